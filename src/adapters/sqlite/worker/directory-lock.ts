import { truncateSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { storeTrouble } from './store-trouble.ts';

const USED_BY_ANOTHER =
  'another process uses it: stop that process first, or give this one a directory of its own';

/**
 * Holds a directory for this process. The lock is the operating system's on an open file: it ends with the process,
 * kill -9 included, so that nothing is ever left to clean up.
 */
export class DirectoryLock {
  readonly #db: DatabaseSync;

  /** @throws Error with a sentence that says what to do when another process has it. */
  constructor(file: string) {
    this.#db = lock(file) ?? lockAnew(file);
  }

  release(): void {
    this.#db.close();
  }
}

/** Null: the file is no database. */
function lock(file: string): DatabaseSync | null {
  const db = new DatabaseSync(file, { timeout: 0 });
  try {
    db.exec('BEGIN EXCLUSIVE');
    return db;
  } catch (error) {
    db.close();
    const trouble = storeTrouble(error);
    if (trouble?.includes('damaged')) return null;
    if (!trouble?.includes('another process')) throw error;
    throw new Error(USED_BY_ANOTHER, { cause: error });
  }
}

/** Nothing is kept in the file. Nobody holds it: whoever does is found before anything of it is read. */
function lockAnew(file: string): DatabaseSync {
  truncateSync(file);
  const db = lock(file);
  if (db === null) throw new Error('lock.db cannot be used: remove it while no service runs');
  return db;
}
