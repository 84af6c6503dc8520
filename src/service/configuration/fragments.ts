import { randomUUID } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  fchownSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import JSON5 from 'json5';
import { ConfigurationError } from '../../hooks/index.ts';
import { errorCode } from '../../platform/errors.ts';
import { isRecord } from '../../platform/objects.ts';
import { syncDirectory } from '../../platform/sync-directory.ts';

// What a command sets up stands in a fragment of its own, beside gateway.json5, which nobody edits; merge.ts merges
// them.

export const FRAGMENTS_DIR = 'gateway.d';

export interface Fragment {
  /** Relative to the configuration directory: `gateway.d/mail.json5`. */
  readonly file: string;
  readonly text: string;
}

/** Where the fragment `name` stands: `<dir>/gateway.d/<name>.json5`. @throws RangeError when no such file could be read. */
export function fragmentPath(dir: string, name: string): string {
  const isFileName = /^[^./\\\0][^/\\\0]*$/.test(name);
  if (!isFileName) throw new RangeError(`"${name}" cannot be the name of a fragment`);
  return join(dir, FRAGMENTS_DIR, `${name}.json5`);
}

/** Why nothing can be written into a directory, as the code of the system; undefined: nothing is in the way. */
function whyUnwritable(dir: string): string | undefined {
  try {
    accessSync(dir, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return errorCode(error) ?? 'EIO';
  }
}

/** The same of fragments, whose folder is made where there is none. @param dir the configuration directory */
export function whyFragmentsUnwritable(dir: string): string | undefined {
  const folder = join(dir, FRAGMENTS_DIR);
  return whyUnwritable(isThere(folder) ? folder : dir);
}

export function fragmentFile(name: string): string {
  return `${FRAGMENTS_DIR}/${name}.json5`;
}

/** Whether a file of the folder is a fragment. Hidden files and drafts (`*.tmp`) are none. */
export function isFragment(name: string): boolean {
  return !name.startsWith('.') && name.endsWith('.json5');
}

/**
 * In the code-point order of the names, in which they are merged.
 * @param dir may have no folder of fragments
 * @throws ConfigurationError names each file that cannot be read
 */
export function readFragments(dir: string): Fragment[] {
  const problems: { key: string; message: string }[] = [];
  const fragments = fragmentNames(dir).flatMap((name): Fragment[] => {
    const file = `${FRAGMENTS_DIR}/${name}`;
    try {
      const text = readText(dir, file);
      if (text !== undefined) return [{ file, text }];
      // Removed since the folder was listed: not the same as a link that leads nowhere.
      const isGone = !isThere(join(dir, file));
      if (!isGone) problems.push({ key: file, message: unreadable('ENOENT', 'file') });
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      problems.push(...error.problems);
    }
    return [];
  });
  if (problems.length > 0) throw new ConfigurationError(problems);
  return fragments;
}

/**
 * A file of the configuration, without the mark that editors put before a text; undefined for one that does not exist.
 * @throws ConfigurationError when it cannot be read
 */
export function readText(dir: string, file: string): string | undefined {
  let message = 'is not in UTF-8; save it in that encoding';
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(join(dir, file)));
    // UTF-16 without a mark.
    if (!text.includes('\0')) return text;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return undefined;
    if (code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') message = unreadable(code, 'file');
  }
  throw new ConfigurationError([{ key: file, message }]);
}

/** When each fragment was last written: equal as long as none is written, added or removed. */
export function fragmentsWrittenAt(dir: string): string {
  const times = fragmentNames(dir).map((name) => {
    const stat = statSync(join(dir, FRAGMENTS_DIR, name), { throwIfNoEntry: false });
    return `${name} ${stat?.mtimeMs}`;
  });
  return times.join(' ');
}

/** Whether a fragment says that it is the work of that command, whatever its arguments were. */
export function isWrittenBy({ text }: Fragment, command: string): boolean {
  return [' ', '"'].some((end) => text.startsWith(`${AUTHOR}${command}${end}`));
}

const AUTHOR = '// Written by "';

function fragmentNames(dir: string): string[] {
  try {
    const names = readdirSync(join(dir, FRAGMENTS_DIR)).filter(isFragment);
    // UTF-8 sorts by code point; JavaScript's own order is that of UTF-16.
    return names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return [];
    throw new ConfigurationError([{ key: FRAGMENTS_DIR, message: unreadable(code, 'directory') }]);
  }
}

function unreadable(code: string | undefined, kind: 'file' | 'directory'): string {
  return `cannot be read (${code}); make it a ${kind} that this user may read`;
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/**
 * Writes or replaces a fragment: whoever reads it at any moment, or after a crash, finds all of the old or all of the
 * new. Mode 0600; one that is replaced keeps its owner.
 * @param data as in gateway.json5; `${NAME}` names a variable only in what is {@link Written}
 * @param command its author, e.g. `hooks mail setup`
 * @param keepsKeys whether that command keeps what a person adds to the file
 * @returns its path
 */
export function writeFragment(
  dir: string,
  name: string,
  data: Readonly<Record<string, unknown>>,
  command: string,
  keepsKeys = false,
): string {
  const path = fragmentPath(dir, name);
  const folder = join(dir, FRAGMENTS_DIR);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const header = [
    `${AUTHOR}${command}", which ${keepsKeys ? 'keeps keys that you add here, but no comments,' : 'replaces this whole file'} when it is called again.`,
    '// Merged over gateway.json5; remove the file to undo it.',
  ];
  const body = JSON5.stringify(asWritten(data), { space: 2, quote: "'" });
  replaceFile(folder, path, `${[...header, body].join('\n')}\n`);
  return path;
}

/** Removes the fragment `name` for good; one that is not there is no mistake. */
export function removeFragment(dir: string, name: string): void {
  rmSync(fragmentPath(dir, name), { force: true });
  syncDirectory(join(dir, FRAGMENTS_DIR));
}

/** A part of a fragment that is in the language of its files already: `${NAME}` in its texts names a variable. */
export class Written {
  constructor(readonly value: unknown) {}
}

/** The entries of an object that a file has, each as {@link Written}. */
export function keptAsWritten(entries: object): Record<string, Written> {
  return Object.fromEntries(
    Object.entries(entries).map(([name, value]) => [name, new Written(value)]),
  );
}

/** Data as fragments write it. What comes over the API or a command line names no variable, whatever it holds. */
export function asWritten(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, escaped(value)]));
}

function escaped(value: unknown): unknown {
  if (value instanceof Written) return value.value;
  if (typeof value === 'string') return literal(value);
  if (Array.isArray(value)) return value.map(escaped);
  return isRecord(value) ? asWritten(value) : value;
}

/** A text that the configuration reads back exactly as it is, though it holds `${NAME}`. */
export function literal(text: string): string {
  return text.replaceAll(/\$(?=\{[A-Za-z_][A-Za-z0-9_]*\})/g, '$$$$');
}

/** Replaces a file of that folder in one go (mode 0600): after a crash it has all of the old text or all of the new. */
export function replaceFile(folder: string, path: string, text: string): void {
  const old = statSync(path, { throwIfNoEntry: false });
  const draft = join(folder, `.${randomUUID()}.tmp`);
  try {
    const file = openSync(draft, 'wx', 0o600);
    try {
      // Only root may give files away: a command of root's must not take the fragment from the service.
      if (old !== undefined && process.getuid?.() === 0) fchownSync(file, old.uid, old.gid);
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncDirectory(folder);
}
