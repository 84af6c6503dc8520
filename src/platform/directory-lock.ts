import { truncateSync } from 'node:fs';
import { basename } from 'node:path';
import type { DatabaseSync as Connection } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { getField } from './objects.ts';

/** Not imported: a Node that has no SQLite is to say that it is too old, before anything else fails. */
const { DatabaseSync } = process.getBuiltinModule('node:sqlite');

/** SQLite's primary result codes for a file that somebody else holds, and for one that is no database. */
const HELD: ReadonlySet<number> = new Set([5, 6]);
const NO_DATABASE: ReadonlySet<number> = new Set([11, 26]);

const ASK_EVERY_MS = 25;

const USED_BY_ANOTHER =
  'another process uses it: stop that process first, or give this one a directory of its own';

export class DirectoryInUse extends Error {
  override readonly name = 'DirectoryInUse';
}

/** The lock is the system's on an open file: it ends with the process, kill -9 included; nothing is left behind. */
export class DirectoryLock {
  readonly #db: Connection;

  private constructor(db: Connection) {
    this.#db = db;
  }

  /** @param onHeld called once; then this waits, without an end. Absent: refused. @throws DirectoryInUse */
  static async take(file: string, onHeld?: () => void): Promise<DirectoryLock> {
    let found = lock(file);
    if (found === 'held' && onHeld !== undefined) {
      onHeld();
      while (found === 'held') {
        await wait(ASK_EVERY_MS);
        found = lock(file);
      }
    }
    return DirectoryLock.#of(file, found);
  }

  /** @throws DirectoryInUse when another process has it. */
  static takeNow(file: string): DirectoryLock {
    return DirectoryLock.#of(file, lock(file));
  }

  static #of(file: string, found: ReturnType<typeof lock>): DirectoryLock {
    if (found === 'held') throw new DirectoryInUse(USED_BY_ANOTHER);
    return new DirectoryLock(found === 'no database' ? lockAnew(file) : found);
  }

  release(): void {
    this.#db.close();
  }
}

function lock(file: string): Connection | 'held' | 'no database' {
  const db = new DatabaseSync(file, { timeout: 0 });
  try {
    db.exec('BEGIN EXCLUSIVE');
    return db;
  } catch (error) {
    db.close();
    const code = Number(getField(error, 'errcode')) & 0xff;
    if (NO_DATABASE.has(code)) return 'no database';
    if (HELD.has(code)) return 'held';
    throw error;
  }
}

/** Nothing is kept in the file. Nobody holds it: whoever does is found before anything of it is read. */
function lockAnew(file: string): Connection {
  truncateSync(file);
  const found = lock(file);
  if (typeof found !== 'string') return found;
  throw new Error(`${basename(file)} cannot be used: remove it while no service runs`);
}
