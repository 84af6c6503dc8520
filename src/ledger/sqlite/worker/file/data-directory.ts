// Made for its owner alone, on disk with its name, and refused when what lies in it would be taken for a new ledger.
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../../../../platform/errors.ts';
import { syncDirectory } from '../../../../platform/sync-directory.ts';

export interface LedgerFiles {
  readonly database: string;
  /** SQLite's write-ahead log: what was committed last is only there. */
  readonly log: string;
  readonly lock: string;
}

export interface FileMark {
  readonly device: number;
  readonly inode: number;
}

export function markOf(file: string): FileMark {
  const { dev, ino } = statSync(file);
  return { device: dev, inode: ino };
}

export function filesOf(dir: string): LedgerFiles {
  const database = join(dir, 'ledger.db');
  return { database, log: `${database}-wal`, lock: join(dir, 'lock.db') };
}

/** For their owner alone. @throws Error with a sentence that says what to do; nothing that was there is changed */
export function prepareDirectory(dir: string): LedgerFiles {
  const files = filesOf(dir);
  refuseLogAlone(files);
  attempt('the directory cannot be made: check its path', () => makeDirectory(dir));
  attempt('the directory may not be written: check who owns it', () => {
    for (const file of [files.database, files.lock]) makeOwn(file);
    accessSync(dir, constants.W_OK);
    syncDirectory(dir);
  });
  return files;
}

/** SQLite would begin a new database and throw the log away, with all that was committed last. */
function refuseLogAlone({ database, log }: LedgerFiles): void {
  if (sizeOf(database) > 0 || sizeOf(log) === 0) return;
  throw new Error(
    'ledger.db is missing or empty while its log ledger.db-wal has data: put ledger.db back beside it, or move the log away to start with an empty ledger (nothing was changed)',
  );
}

/** In bytes; 0: there is none. */
export function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** What is made has to be on disk with its name before anything in it counts as durable. */
function makeDirectory(dir: string): void {
  const first = mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = dir; made.length >= first.length; made = dirname(made)) {
    syncDirectory(dirname(made));
  }
}

/** The system's own words name the path; the code is enough. */
function attempt(sentence: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOSPC') throw new Error('the disk is full: make room', { cause: error });
    throw new Error(`${sentence} (${code ?? 'unknown'})`, { cause: error });
  }
}

/** Never opens a file that is there: closing it would drop the locks that this process holds on it (POSIX). */
function makeOwn(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    accessSync(file, constants.R_OK | constants.W_OK);
    chmodSync(file, 0o600);
  }
}

/** Names of whole copies beside the file, `ledger.before-9.db` (migrate.ts). */
const UPGRADE_COPY = /^ledger\.\w+-\d+\.db$/;

/** Copies that upgrades made of the file in a directory, a sentence each. */
export async function upgradeCopies(dir: string): Promise<readonly string[]> {
  const copies = (await readdir(dir)).filter((name) => UPGRADE_COPY.test(name));
  return Promise.all(
    copies.map(async (name) => {
      const { mtime } = await stat(join(dir, name));
      return `${join(dir, name)}, a copy that an upgrade made on ${mtime.toISOString().slice(0, 10)}: delete it when you are content with the upgrade.`;
    }),
  );
}
