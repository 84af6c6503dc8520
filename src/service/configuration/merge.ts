import { NO_ARRAY, isDigest } from '../../hooks/index.ts';
import type { NamingProblem, OptionPlace, Problem } from '../../hooks/index.ts';
import { getField, isRecord, nameOf } from '../../platform/objects.ts';
import { GATEWAY_FILE } from './files.ts';
import type { Sections } from './files.ts';
import { CONFIGURATION } from './sections.ts';

export interface SectionsFile {
  /** `gateway.json5` or `gateway.d/<name>.json5`. */
  readonly file: string;
  readonly sections: Sections;
}

/** The lists whose entries open something. */
const TOKENS: ReadonlySet<string> = new Set(['hooks.tokens', 'ops.tokens']);

/** An entry of a merged list: the file that it is from, and its index there. */
interface Entry {
  readonly file: string;
  readonly index: number;
}

/**
 * One configuration of all files: objects merge, mappings and agents are appended, presets united, any other value of a
 * later file wins.
 */
export class MergedSections {
  /** What is wrong with the files beside each other; the keys name the file. */
  readonly problems: Problem[] = [];
  #sections: Sections = {};
  readonly #files: readonly SectionsFile[];
  /** Those of lists that are appended, by key. */
  readonly #entries = new Map<string, Entry[]>();

  /** @param files in the order of merging: gateway.json5, when there is one, then the fragments */
  constructor(files: readonly SectionsFile[]) {
    this.#files = files;
    for (const { file, sections } of files) {
      this.#sections = this.#merged(this.#sections, sections, CONFIGURATION, file);
    }
  }

  get sections(): Sections {
    return this.#sections;
  }

  writersOf(section: string): readonly string[] {
    const wrote = this.#files.filter(({ sections }) => valueAt(sections, section) !== undefined);
    return wrote.map(({ file }) => file);
  }

  /** The files that wrote what stands at a key, the operator's first; gateway.json5 where none says anything of it. */
  filesOf(key: string): readonly [string, ...string[]] {
    const [file = GATEWAY_FILE, ...others] = this.#place(key).files;
    return [file, ...others];
  }

  /**
   * As `gateway.d/ci.json5: hooks.mappings[0].channel`, counted as in that file; as it is when there is only
   * gateway.json5, or no file says anything.
   */
  place({ key, message, names = [] }: NamingProblem): Problem {
    if (!this.#files.some(({ file }) => file !== GATEWAY_FILE)) return { key, message };
    const told = names.reduce((text, name) => text.replaceAll(name, this.#told(name)), message);
    return { key: this.#told(key), message: told };
  }

  /** Whether a problem of the merged sections is about anything that a fragment wrote. */
  isAboutFragment({ key, names = [] }: NamingProblem): boolean {
    const files = [key, ...names].flatMap((one) => this.#place(one).files);
    return files.some((file) => file !== GATEWAY_FILE);
  }

  #told(written: string): string {
    const { files, key } = this.#place(written);
    return files.length === 0 ? key : `${files.join(' and ')}: ${key}`;
  }

  /** Where a key is written; else the nearest one around it, which may only lack something: there the operator's file is named. */
  #place(key: string): { files: readonly string[]; key: string } {
    const [, list = '', index = '', rest = ''] = /^([\w.]+)\[(\d+)\](.*)$/s.exec(key) ?? [];
    const entry = this.#entries.get(list)?.[Number(index)];
    if (entry !== undefined) return { files: [entry.file], key: `${list}[${entry.index}]${rest}` };
    const [, preset] = /^preset ([^.[ ]+)/.exec(key) ?? [];
    if (preset !== undefined) return { files: this.#namers(preset), key };
    for (let around = key; around !== ''; around = toParent(around)) {
      const files = this.writersOf(around);
      if (files.length === 0) continue;
      if (around !== key) return { files: files.slice(0, 1), key };
      const value = valueAt(this.#sections, key);
      if (typeof value === 'object') return { files, key };
      const wrote = this.#files.filter(({ sections }) => valueAt(sections, key) === value);
      return { files: wrote.slice(-1).map(({ file }) => file), key };
    }
    return { files: [], key };
  }

  /** The files whose presets have that name. */
  #namers(preset: string): readonly string[] {
    const named = this.#files.filter(({ sections }) => {
      const presets = valueAt(sections, 'hooks.presets');
      return Array.isArray(presets) && presets.some((name) => nameOf(name) === preset);
    });
    return named.map(({ file }) => file);
  }

  /** `given` over `base`; what is null is absent, and keys that only the operator may write are reported and left out. */
  #merged(base: Sections, given: Sections, around: OptionPlace, file: string): Sections {
    const entries = Object.entries(given).flatMap(([name, value]): [string, unknown][] => {
      if (value === null && around.declares(name)) return [];
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
      const [wrote] = this.writersOf(key);
      const message = `is ${isRecord(value) ? 'an object here and none' : 'no object here and one'} in ${wrote}; write the same in both`;
      this.#complain(file, key, message);
      return present;
    }
    if (!isRecord(value)) return value;
    return this.#merged(isRecord(present) ? present : {}, value, place, file);
  }

  /** A list that is none stays what it is, for the checks to refuse. */
  #list(present: unknown, value: unknown, { key, traits }: OptionPlace, file: string): unknown {
    if (present !== undefined && !Array.isArray(present)) return present;
    if (!Array.isArray(value)) {
      if (present !== undefined) this.#complain(file, key, NO_ARRAY);
      return present ?? value;
    }
    const before: readonly unknown[] = present ?? [];
    // Each name once, in the order they were first named.
    if (traits.merge === 'unite')
      return before.length === 0 ? value : [...new Set([...before, ...value])];
    const added = TOKENS.has(key) ? this.#narrow(value, key, file) : value;
    return this.#appended(before, added, key, file);
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
    const entries = this.#entries.get(key) ?? [];
    const ids = present.map((entry) => entryId(entry, key));
    for (const [index, entry] of value.entries()) {
      const id = entryId(entry, key);
      const other = id === undefined ? undefined : entries[ids.indexOf(id)];
      if (other === undefined) continue;
      const message = `${JSON.stringify(id)} is also the id of ${other.file}: ${key}[${other.index}]; give each its own, or write the keys of both there`;
      this.#complain(file, `${key}[${index}].id`, message);
    }
    const added = value.map((_, index) => ({ file, index }));
    this.#entries.set(key, [...entries, ...added]);
    return [...present, ...value];
  }

  #complain(file: string, key: string, message: string): void {
    this.problems.push({ key: `${file}: ${key}`, message });
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

/** What stands at a key without indexes. */
function valueAt(sections: Sections, key: string): unknown {
  return getField(sections, ...key.split('.'));
}

/** The key around a key: without its last name, index, or remark in brackets. */
function toParent(key: string): string {
  return key.slice(
    0,
    Math.max(0, key.lastIndexOf('.'), key.lastIndexOf('['), key.lastIndexOf(' ')),
  );
}
