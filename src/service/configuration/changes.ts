import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../platform/objects.ts';
import { DOTENV_FILE, sectionFiles } from './files.ts';
import type { ConfigurationFiles, Sections } from './files.ts';

// What is other than it was: by name for the log, which has no values of a configuration, and with masked values for the
// audit.

/** So many names are told of each. */
const MOST_NAMES = 12;

/** What a configuration was read from, and what it says. */
interface Read {
  readonly files: ConfigurationFiles;
  /** Variables replaced. */
  readonly sections: Sections;
}

/** Where two configurations differ. */
export interface Changes {
  /** As `gateway.d/ci.json5 (new)`. */
  readonly files: readonly string[];
  readonly keys: readonly (readonly (string | number)[])[];
}

/** Which files and keys two configurations differ in. */
export function findChanges(before: Read, after: Read): Changes {
  const [old, now] = [textsOf(before.files), textsOf(after.files)];
  const files = [...new Set([...old.keys(), ...now.keys()])].flatMap((file) => {
    if (old.get(file) === now.get(file)) return [];
    if (!old.has(file)) return [`${file} (new)`];
    return [now.has(file) ? file : `${file} (gone)`];
  });
  return { files, keys: changedKeys(before.sections, after.sections, []) };
}

/** As a sentence each: ` Files: gateway.d/ci.json5 (new). Keys: hooks.mappings[1].` Empty: there are none. */
export function describeChanges({ files, keys }: Changes): string {
  return told('Files', files) + told('Keys', keys.map(toKey));
}

/** As problems name it: `hooks.mappings[0].to`. */
export function toKey(path: readonly (string | number)[]): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`));
  return steps.join('').replace(/^\./, '');
}

function textsOf(files: ConfigurationFiles): Map<string, string> {
  const all = [...sectionFiles(files), ...(files.senders ?? [])];
  const texts = new Map(all.map(({ file, text }) => [file, text]));
  return files.dotenv === undefined ? texts : texts.set(DOTENV_FILE, files.dotenv);
}

/** As deep as both say something; a list that only one has is one key. */
function changedKeys(
  before: unknown,
  after: unknown,
  path: readonly (string | number)[],
): (readonly (string | number)[])[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (isRecord(before) && isRecord(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) => changedKeys(before[name], after[name], [...path, name]));
  }
  if (Array.isArray(before) && Array.isArray(after) && [...before, ...after].some(isRecord)) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, at) =>
      changedKeys(before[at], after[at], [...path, at]),
    ).flat();
  }
  return [path];
}

function told(what: string, names: readonly string[]): string {
  if (names.length === 0) return '';
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  const shown = names.slice(0, MOST_NAMES).map((name) => name.replaceAll(/\p{C}/gu, '\ufffd'));
  return ` ${what}: ${shown.join(', ')}${more}.`;
}
