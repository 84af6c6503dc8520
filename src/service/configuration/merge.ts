import { isDigest } from '../../hooks/index.ts';
import type { Problem } from '../../hooks/index.ts';
import { isRecord } from '../../platform/objects.ts';
import { GATEWAY_FILE } from './files.ts';
import type { Sections } from './files.ts';

/** The sections of one file: of gateway.json5, or of a fragment. */
export interface SectionsFile {
  /** `gateway.json5` or `gateway.d/<name>.json5`. */
  readonly file: string;
  readonly sections: Sections;
}

/** Lists whose entries are appended: whoever adds one leaves those of the others alone. */
const APPENDED = ['hooks.mappings', 'hooks.tokens', 'agents.list'];

/** The list whose entries open hooks. */
const TOKENS = 'hooks.tokens';

/** The list whose entries are a set. */
const UNITED = 'hooks.presets';

/** What only the operator may say, in gateway.json5: a fragment cannot widen what was closed there. */
const OPERATORS_OWN = new Set([
  'hooks.token',
  'hooks.endpoints',
  'hooks.allowedAgentIds',
  'hooks.allowedSessionKeyPrefixes',
  'agents.defaults.models',
  'gateway.trustedProxies',
  'gateway.auth',
  'ops',
]);

/** An entry of an appended list, with the place where it is written. */
interface Entry {
  readonly file: string;
  /** In the list of its own file. */
  readonly index: number;
  readonly id: string | undefined;
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
  /** The files that wrote what stands under a key. */
  readonly #writers = new Map<string, readonly string[]>();
  readonly #entries = new Map(APPENDED.map((key): [string, Entry[]] => [key, []]));

  /** @param files in the order of merging: gateway.json5, when there is one, then the fragments */
  constructor(files: readonly SectionsFile[]) {
    for (const { file, sections } of files) {
      this.#files.push(file);
      this.#sections = this.#merged(this.#sections, sections, '', file);
    }
  }

  get sections(): Sections {
    return this.#sections;
  }

  /** The files that say something in a section, in the order of merging. */
  writersOf(section: string): readonly string[] {
    return this.#writers.get(section) ?? [];
  }

  /** The files that wrote what stands at a key, the operator's first; gateway.json5 where none says anything of it. */
  filesOf(key: string): readonly [string, ...string[]] {
    const [file = GATEWAY_FILE, ...others] = this.#writersNear(key);
    return [file, ...others];
  }

  /**
   * A problem of the merged sections, told where it stands: `gateway.d/ci.json5: hooks.mappings[0].channel`, counted as
   * in that file. As it is when there is only gateway.json5, or when no file says anything about the key.
   */
  place(problem: Problem): Problem {
    if (!this.#files.some((file) => file !== GATEWAY_FILE)) return problem;
    const files = this.#writersNear(problem.key);
    const place = files.length === 0 ? '' : `${files.join(' and ')}: `;
    return {
      key: `${place}${this.#asWritten(problem.key, ({ key }) => key)}`,
      message: this.#asWritten(problem.message, ({ file, key }) => `${file}: ${key}`),
    };
  }

  /** Whether a problem of the merged sections names anything that a fragment wrote. */
  isAboutFragment({ key, message }: Problem): boolean {
    const named = this.#named(message).map(({ file }) => file);
    return [...this.#writersNear(key), ...named].some((file) => file !== GATEWAY_FILE);
  }

  /** `given` over `base`; keys that only the operator may write are reported and left out. */
  #merged(base: Sections, given: Sections, parent: string, file: string): Sections {
    const entries = Object.entries(given).flatMap(([name, value]): [string, unknown][] => {
      const key = parent === '' ? name : `${parent}.${name}`;
      const present = Object.hasOwn(base, name) ? base[name] : undefined;
      if (file !== GATEWAY_FILE && OPERATORS_OWN.has(key)) {
        const message = `belongs to the operator: no fragment can widen what is allowed; move it to ${GATEWAY_FILE}`;
        this.#complain(file, key, message);
        return [];
      }
      return [[name, this.#value(present, value, key, file)]];
    });
    // Not a spread: a key of the name __proto__ stays a key, for the checks to refuse.
    return Object.fromEntries([...Object.entries(base), ...entries]);
  }

  #value(present: unknown, value: unknown, key: string, file: string): unknown {
    if (key === UNITED || APPENDED.includes(key)) return this.#list(present, value, key, file);
    if (present !== undefined && isRecord(present) !== isRecord(value)) {
      const [wrote] = this.#writersNear(key);
      const message = `is ${isRecord(value) ? 'an object here and none' : 'no object here and one'} in ${wrote}; write the same in both`;
      this.#complain(file, key, message);
      return present;
    }
    if (!isRecord(value)) {
      this.#writers.set(key, [file]);
      return value;
    }
    this.#addWriter(key, file);
    return this.#merged(isRecord(present) ? present : {}, value, key, file);
  }

  /** A list that is none stays what it is, for the checks to refuse. */
  #list(present: unknown, value: unknown, key: string, file: string): unknown {
    if (present !== undefined && !Array.isArray(present)) return present;
    if (!Array.isArray(value)) {
      if (present === undefined) this.#addWriter(key, file);
      else this.#complain(file, key, 'must be an array: […]');
      return present ?? value;
    }
    this.#addWriter(key, file);
    const before: readonly unknown[] = present ?? [];
    if (key === UNITED) return this.#united(before, value, file);
    return this.#appended(before, key === TOKENS ? this.#narrow(value, file) : value, key, file);
  }

  /** Each name once, in the order they were first named. */
  #united(present: readonly unknown[], value: readonly unknown[], file: string): unknown[] {
    const added = present.length === 0 ? value : value.filter((name) => !present.includes(name));
    for (const name of added) this.#addWriter(`preset ${String(name)}`, file);
    return [...present, ...added];
  }

  /** Senders that a fragment may add: what opens is known to nobody but them, and what it opens is written there. */
  #narrow(value: readonly unknown[], file: string): readonly unknown[] {
    if (file === GATEWAY_FILE) return value;
    return value.filter((entry, index) => {
      const isNarrow = isNarrowSender(entry);
      const message = `may hold digests alone (sha256:…) and must name its hooks, without *: no fragment can widen what is allowed; move it to ${GATEWAY_FILE}`;
      if (!isNarrow) this.#complain(file, `${TOKENS}[${index}]`, message);
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
    for (const [index, entry] of value.entries()) {
      const id = entryId(entry, key);
      const other = entries.find((known) => known.id === id && known.file !== file);
      if (id !== undefined && other !== undefined) {
        const where = `${other.file}: ${key}[${other.index}]`;
        const message = `${JSON.stringify(id)} is also the id of ${where}; give each its own, or write the keys of both there`;
        this.#complain(file, `${key}[${index}].id`, message);
      }
      entries.push({ file, index, id });
    }
    return [...present, ...value];
  }

  #complain(file: string, key: string, message: string): void {
    this.problems.push({ key: `${file}: ${key}`, message });
  }

  #addWriter(key: string, file: string): void {
    const known = this.#writers.get(key) ?? [];
    if (!known.includes(file)) this.#writers.set(key, [...known, file]);
  }

  /** Who wrote a key; else the nearest one around it, which may only lack something: there the operator's file is named first. */
  #writersNear(key: string): readonly string[] {
    const [entry] = this.#named(key);
    if (entry !== undefined && key.startsWith(entry.text)) return [entry.file];
    const own = this.#writers.get(key);
    if (own !== undefined) return own;
    for (let around = toParent(key); around !== ''; around = toParent(around)) {
      const writers = this.#writers.get(around);
      if (writers !== undefined) return writers.slice(0, 1);
    }
    return [];
  }

  /** Every entry of an appended list that a text names, with the place where it is written. */
  #named(text: string): { readonly text: string; readonly file: string; readonly key: string }[] {
    return Array.from(text.matchAll(ENTRY_KEY), ([found, key = '', index]) => {
      const entry = this.#entries.get(key)?.[Number(index)];
      return entry && { text: found, file: entry.file, key: `${key}[${entry.index}]` };
    }).filter((entry) => entry !== undefined);
  }

  #asWritten(text: string, show: (entry: { file: string; key: string }) => string): string {
    return text.replaceAll(ENTRY_KEY, (found) => {
      const [entry] = this.#named(found);
      return entry === undefined ? found : show(entry);
    });
  }
}

const ENTRY_KEY = /\b(hooks\.mappings|hooks\.tokens|agents\.list)\[(\d+)\]/g;

/** Whether a sender's secrets are digests, and its hooks are named. What is no sender at all is refused elsewhere. */
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
