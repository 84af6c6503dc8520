import { readdirSync, statSync } from 'node:fs';
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import type { Problem } from '../../hooks/index.ts';
import { DOTENV_FILE, sectionFiles } from './files.ts';
import type { ConfigurationFiles } from './files.ts';
import { FRAGMENTS_DIR } from './fragments.ts';

// Who else on this machine can read secrets, or change what hooks do. `hooks doctor` looks at more files.

export interface Lapse {
  readonly message: string;
  readonly fix: string;
}

const OTHERS_READ = 0o044;
const OTHERS_WRITE = 0o022;

/** Undefined: nothing that they should not, or there is no such file; on Windows modes say nothing. */
export function findLapse(path: string, isSecret: boolean): Lapse | undefined {
  if (process.platform === 'win32') return undefined;
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  const fix = `chmod ${isSecret ? 'go-rwx' : 'go-w'} '${path.replaceAll("'", String.raw`'\''`)}'`;
  if ((mode & OTHERS_WRITE) !== 0) return { message: 'can be changed by other users', fix };
  if (!isSecret || (mode & OTHERS_READ) === 0) return undefined;
  return { message: 'can be read by other users', fix };
}

const TRANSFORMS_DIR = 'transforms';
const MOST_MODULES = 200;

function modulesBelow(dir: string): string[] {
  const found = [TRANSFORMS_DIR];
  for (const folder of found) {
    for (const entry of entriesOf(join(dir, folder))) {
      const isOurs = entry.name !== 'node_modules' && (entry.isFile() || entry.isDirectory());
      if (isOurs && found.length < MOST_MODULES) found.push(join(folder, entry.name));
    }
  }
  return found;
}

/** None of what is no folder, or cannot be read: what is wrong with it is told where it is used. */
function entriesOf(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** @param dataDir where payloads and tokens are kept @param tokens our own; a file that holds one of them is secret */
export function modeWarnings(
  dir: string,
  files: ConfigurationFiles,
  dataDir: string,
  tokens: readonly string[],
): Problem[] {
  const holdsToken = (text: string): boolean => tokens.some((token) => text.includes(token));
  const secret = new Map(sectionFiles(files).map(({ file, text }) => [file, holdsToken(text)]));
  // Whoever can add a file there decides what hooks do, as whoever can change one.
  const names = [...secret.keys(), DOTENV_FILE, FRAGMENTS_DIR, ...modulesBelow(dir)];
  const places = names.map((key) => ({
    key,
    path: join(dir, key),
    isSecret: secret.get(key) ?? key === DOTENV_FILE,
  }));
  return [...places, { key: 'store.dir', path: dataDir, isSecret: true }].flatMap(
    ({ key, path, isSecret }) => {
      const lapse = findLapse(path, isSecret);
      return lapse === undefined ? [] : [{ key, message: `${lapse.message}; run: ${lapse.fix}` }];
    },
  );
}
