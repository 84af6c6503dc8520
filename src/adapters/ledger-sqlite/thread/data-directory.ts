import { accessSync, constants, chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';

export interface LedgerFiles {
  readonly database: string;
  readonly lock: string;
}

/** Makes the directory and empty files for their owner alone; SQLite gives its side files the same mode. */
export function prepareFiles(dir: string): LedgerFiles {
  const files = { database: join(dir, 'ledger.db'), lock: join(dir, 'lock.db') };
  attempt('the directory cannot be made: check its path', () => makeDirectory(dir));
  attempt('the directory may not be written: check who owns it', () => {
    for (const file of Object.values(files)) makeOwn(file);
    accessSync(dir, constants.W_OK);
  });
  return files;
}

function makeDirectory(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
}

/** The system's own words name the path; the code is enough. */
function attempt(sentence: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOSPC') throw new Error('the disk is full: make room', { cause: error });
    throw new Error(`${sentence} (${code})`, { cause: error });
  }
}

/** Never opens a file that is there: closing it would drop the locks that this process holds on it (POSIX). */
function makeOwn(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    accessSync(file, constants.R_OK | constants.W_OK);
    chmodSync(file, 0o600);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
