import { NO_ARRAY, isDigest } from '../../hooks/index.ts';
import type { NamingProblem, OptionPlace, Problem } from '../../hooks/index.ts';
import { isRecord, nameOf } from '../../platform/objects.ts';
import { GATEWAY_FILE } from './files.ts';
import type { Sections } from './files.ts';
import { CONFIGURATION } from './sections.ts';

/** The sections of one file: of gateway.json5, or of a fragment. */
export interface SectionsFile {
  /** `gateway.json5` or `gateway.d/<name>.json5`. */
  readonly file: string;
  readonly sections: Sections;
}

/** The lists whose entries open something. */
const TOKENS: ReadonlySet<string> = new Set(['hooks.tokens', 'ops.tokens']);

/** Where something of the merged sections is written. */
interface Origin {
  /** The operator's file first. */
  readonly files: readonly string[];
  /** Its key in there: entries of a list are counted in each file. */
  readonly key: string;
}

/**
 * The sections of gateway.json5 and its fragments as one configuration, in the order in which they are added: objects
 * merge, mappings and agents are appended, presets united, any other value of a later file wins. Remembers which file
 * everything came from, so that whatever is found wrong with the whole can be told with its place.
 */
export class MergedSections {
  /** What is wrong with the files beside each other; the keys name the file. */
  readonly problems: Problem[] = [];
  #sections: Sections = {};
  readonly #files: string[] = [];
  /** By the keys of the merged sections. */
  readonly #origins = new Map<string, Origin>();
  /** The ids in lists whose entries are appended, with their places there. */
  readonly #ids = new Map<string, string>();

  /** @param files in the order of merging: gateway.json5, when there is one, then the fragments */
  constructor(files: readonly SectionsFile[]) {
    for (const { file, sections } of files) {
      this.#files.push(file);
      this.#sections = this.#merged(this.#sections, sections, CONFIGURATION, file);
    }
  }

  get sections(): Sections {
    return this.#sections;
  }

  /** The files that say something in a section, in the order of merging. */
  writersOf(section: string): readonly string[] {
    return this.#origins.get(section)?.files ?? [];
  }

  /** The files that wrote what stands at a key, the operator's first; gateway.json5 where none says anything of it. */
  filesOf(key: string): readonly [string, ...string[]] {
    const [file = GATEWAY_FILE, ...others] = this.#origin(key).files;
    return [file, ...others];
  }

  /**
   * A problem of the merged sections, told where it stands: `gateway.d/ci.json5: hooks.mappings[0].channel`, counted as
   * in that file. As it is when there is only gateway.json5, or when no file says anything about the key.
   */
  place({ key, message, names = [] }: NamingProblem): Problem {
    if (!this.#files.some((file) => file !== GATEWAY_FILE)) return { key, message };
    const told = names.reduce((text, name) => text.replaceAll(name, this.#told(name)), message);
    return { key: this.#told(key), message: told };
  }

  /** Whether a problem of the merged sections is about anything that a fragment wrote. */
  isAboutFragment({ key, names = [] }: NamingProblem): boolean {
    const files = [key, ...names].flatMap((one) => this.#origin(one).files);
    return files.some((file) => file !== GATEWAY_FILE);
  }

  #told(key: string): string {
    const origin = this.#origin(key);
    return origin.files.length === 0 ? key : `${origin.files.join(' and ')}: ${origin.key}`;
  }

  /** Where a key is written; else the nearest one around it, which may only lack something: there the operator's file is named. */
  #origin(key: string): Origin {
    for (let around = key; around !== ''; around = toParent(around)) {
      const origin = this.#origins.get(around);
      if (origin === undefined) continue;
      if (around === key) return origin;
      return { files: origin.files.slice(0, 1), key: origin.key + key.slice(around.length) };
    }
    return { files: [], key };
  }

  /** `given` over `base`; keys that only the operator may write are reported and left out. */
  #merged(base: Sections, given: Sections, around: OptionPlace, file: string): Sections {
    const entries = Object.entries(given).flatMap(([name, value]): [string, unknown][] => {
      const place = around.at(name);
      const present = Object.hasOwn(base, name) ? base[name] : undefined;
      if (file !== GATEWAY_FILE && place.traits.operatorOnly === true) {
        const message = `belongs to the operator: no fragment can widen what is allowed; move it to ${GATEWAY_FILE}`;
        this.#complain(file, place.key, message);
        return [];
      }
      return [[name, this.#value(present, value, place, file)]];
    });
    // Not a spread: a key of the name __proto__ stays a key, for the checks to refuse.
    return Object.fromEntries([...Object.entries(base), ...entries]);
  }

  #value(present: unknown, value: unknown, place: OptionPlace, file: string): unknown {
    const { key, traits } = place;
    if (traits.merge !== undefined) return this.#list(present, value, place, file);
    if (present !== undefined && isRecord(present) !== isRecord(value)) {
      const [wrote] = this.#origin(key).files;
      const message = `is ${isRecord(value) ? 'an object here and none' : 'no object here and one'} in ${wrote}; write the same in both`;
      this.#complain(file, key, message);
      return present;
    }
    if (!isRecord(value)) {
      this.#origins.set(key, { files: [file], key });
      return value;
    }
    this.#addWriter(key, file);
    return this.#merged(isRecord(present) ? present : {}, value, place, file);
  }

  /** A list that is none stays what it is, for the checks to refuse. */
  #list(present: unknown, value: unknown, { key, traits }: OptionPlace, file: string): unknown {
    if (present !== undefined && !Array.isArray(present)) return present;
    if (!Array.isArray(value)) {
      if (present === undefined) this.#addWriter(key, file);
      else this.#complain(file, key, NO_ARRAY);
      return present ?? value;
    }
    this.#addWriter(key, file);
    const before: readonly unknown[] = present ?? [];
    if (traits.merge === 'unite') return this.#united(before, value, file);
    return this.#appended(
      before,
      TOKENS.has(key) ? this.#narrow(value, key, file) : value,
      key,
      file,
    );
  }

  /** Each name once, in the order they were first named. */
  #united(present: readonly unknown[], value: readonly unknown[], file: string): unknown[] {
    const added = present.length === 0 ? value : value.filter((name) => !present.includes(name));
    for (const name of added) this.#addWriter(`preset ${nameOf(name)}`, file);
    return [...present, ...added];
  }

  /** Tokens that a fragment may add: what opens is known to nobody but them, and what it opens is written there. */
  #narrow(value: readonly unknown[], key: string, file: string): readonly unknown[] {
    if (file === GATEWAY_FILE) return value;
    return value.filter((entry, index) => {
      const isNarrow = isNarrowSender(entry);
      const hooks = key === 'hooks.tokens' ? ' and must name its hooks, without *' : '';
      const message = `may hold digests alone (sha256:…)${hooks}: no fragment can widen what is allowed; move it to ${GATEWAY_FILE}`;
      if (!isNarrow) this.#complain(file, `${key}[${index}]`, message);
      return isNarrow;
    });
  }

  /** An id that two files give would be two hooks, or two agents, of one name. */
  #appended(
    present: readonly unknown[],
    value: readonly unknown[],
    key: string,
    file: string,
  ): unknown[] {
    const ids = new Map<string, string>();
    for (const [index, entry] of value.entries()) {
      const own = `${key}[${index}]`;
      this.#origins.set(`${key}[${present.length + index}]`, { files: [file], key: own });
      const id = entryId(entry, key);
      if (id === undefined) continue;
      const other = this.#ids.get(`${key} ${id}`);
      if (other !== undefined) {
        const message = `${JSON.stringify(id)} is also the id of ${other}; give each its own, or write the keys of both there`;
        this.#complain(file, `${own}.id`, message);
      } else if (!ids.has(`${key} ${id}`)) ids.set(`${key} ${id}`, `${file}: ${own}`);
    }
    for (const [id, place] of ids) this.#ids.set(id, place);
    return [...present, ...value];
  }

  #complain(file: string, key: string, message: string): void {
    this.problems.push({ key: `${file}: ${key}`, message });
  }

  #addWriter(key: string, file: string): void {
    const known = this.#origins.get(key)?.files ?? [];
    if (!known.includes(file)) this.#origins.set(key, { files: [...known, file], key });
  }
}

/** Whether secrets are digests, and no hooks but named ones are opened. What is no token at all is refused elsewhere. */
function isNarrowSender(entry: unknown): boolean {
  if (!isRecord(entry)) return true;
  const { token, tokens, hooks } = entry;
  const secrets = [token ?? [], tokens ?? []].flat();
  return (
    secrets.every((secret) => typeof secret === 'string' && isDigest(secret.trim())) &&
    ![hooks].flat().includes('*')
  );
}

/** As the checks compare ids: those of agents case-folded. */
function entryId(entry: unknown, key: string): string | undefined {
  const id = isRecord(entry) ? entry['id'] : undefined;
  if (typeof id !== 'string') return undefined;
  return key === 'agents.list' ? id.trim().toLowerCase() : id;
}

/** The key around a key: without its last name, index, or remark in brackets. */
function toParent(key: string): string {
  return key.slice(
    0,
    Math.max(0, key.lastIndexOf('.'), key.lastIndexOf('['), key.lastIndexOf(' ')),
  );
}
