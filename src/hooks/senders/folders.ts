import { existsSync, readFileSync, readdirSync } from 'node:fs';
import JSON5 from 'json5';
import type { PresetFile } from './preset.ts';
import type { SchemeFile } from './scheme.ts';

/*
 * A sender is a folder of data, `senders/<id>/` (its README.md says what it holds): here the files become objects. The
 * build reads all of ours into one file, so that a start opens one and parses plain JSON.
 */

/** The files of one folder, as they are written. */
export interface SenderFiles {
  readonly preset?: PresetFile;
  readonly scheme?: SchemeFile;
}

/** Ours. */
export const OWN_FOLDERS = new URL('../../senders/', import.meta.url);

/** What the build makes of them. */
export const COLLECTED = new URL('../../senders.json', import.meta.url);

const KINDS = ['preset', 'scheme'] as const;

/** Every folder by its name, in the order of names. @param directory its URL, with a slash at the end */
export function readFolders(directory: URL): Record<string, SenderFiles> {
  const names = readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
  return Object.fromEntries(
    names.map((name) => [name, readFolder(new URL(`${name}/`, directory))] as const),
  );
}

function readFolder(folder: URL): SenderFiles {
  const files = KINDS.map((kind) => [kind, new URL(`${kind}.json5`, folder)] as const);
  const present = files.filter(([, file]) => existsSync(file));
  const texts = present.map(([kind, file]) => [kind, readFileSync(file, 'utf8')] as const);
  return Object.fromEntries(texts.map(([kind, text]) => [kind, JSON5.parse<unknown>(text)]));
}

/** Ours, as the build collected them; without a build, from their folders. */
export function readOwn(): Readonly<Record<string, SenderFiles>> {
  if (!existsSync(COLLECTED)) return readFolders(OWN_FOLDERS);
  const collected: Readonly<Record<string, SenderFiles>> = JSON.parse(
    readFileSync(COLLECTED, 'utf8'),
  );
  return collected;
}
