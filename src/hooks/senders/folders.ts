import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import JSON5 from 'json5';
import type { PresetFile } from './preset.ts';
import type { SchemeFile } from './scheme.ts';

// The build reads all of ours into one file, so that a start opens one and parses plain JSON.

export interface SenderFiles {
  readonly preset?: PresetFile;
  readonly scheme?: SchemeFile;
}

export const OWN_FOLDERS = new URL('../../senders/', import.meta.url);

/** Where the operator's are, in the directory of the configuration. */
export const SENDERS_DIR = join('gateway.d', 'senders');

export function operatorsFolders(configDir: string): URL {
  return pathToFileURL(join(configDir, SENDERS_DIR, '/'));
}

export const COLLECTED = new URL('../../senders.json', import.meta.url);

const KINDS = ['preset', 'scheme'] as const;

/** Every folder by its name, in the order of names. @param directory its URL, with a slash at the end */
export function readFolders(directory: URL): Record<string, SenderFiles> {
  return Object.fromEntries(
    folderNames(directory).map((name) => [name, readFolder(new URL(`${name}/`, directory))]),
  );
}

export function folderNames(directory: URL): string[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .toSorted();
}

export class UnreadableSender extends Error {
  override readonly name = 'UnreadableSender';

  constructor(
    readonly file: string,
    message: string,
  ) {
    super(message);
  }
}

/** @param folder its URL, with a slash at the end @throws UnreadableSender */
export function readFolder(folder: URL): SenderFiles {
  const files = KINDS.map((kind) => [kind, new URL(`${kind}.json5`, folder)] as const);
  const present = files.filter(([, file]) => existsSync(file));
  return Object.fromEntries(
    present.map(([kind, file]) => [kind, readFile(file, `${kind}.json5`)] as const),
  );
}

function readFile(file: URL, name: string): unknown {
  try {
    return JSON5.parse<unknown>(readFileSync(file, 'utf8'));
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    throw new UnreadableSender(name, `cannot be read (${what.replace(/^JSON5: /, '')})`);
  }
}

/** Ours, as the build collected them; without a build, from their folders. */
export function readOwn(): Readonly<Record<string, SenderFiles>> {
  if (!existsSync(COLLECTED)) return readFolders(OWN_FOLDERS);
  const collected: Readonly<Record<string, SenderFiles>> = JSON.parse(
    readFileSync(COLLECTED, 'utf8'),
  );
  return collected;
}
