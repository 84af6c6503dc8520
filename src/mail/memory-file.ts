import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DirectoryInUse, DirectoryLock } from '../platform/directory-lock.ts';
import { errorCode } from '../platform/errors.ts';
import { getField } from '../platform/objects.ts';
import { MailMemory } from './memory.ts';
import type { HeldText } from './memory.ts';

/** Names of the files in the data directory. The lock is one of its own, so that a backup can read what is kept. */
const FILE = 'mail.sqlite';
const LOCK_FILE = 'mail.lock';
/** How long a reader waits for a writer, and the other way round. */
const BUSY_MS = 1000;

/** What SQLite says when somebody else holds the file. */
const SQLITE_BUSY = 5;

export class MailStoreHeld extends Error {
  override readonly name = 'MailStoreHeld';

  constructor(dir: string) {
    super(
      `Another watcher reads the mail of ${dir} (a running service with hooks.mail, or "hooks mail run"); there can be only one. Stop it first.`,
    );
  }
}

/** The files of version 1 have these names: `told` says whether the main session was notified. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS cursors (
    mailbox TEXT PRIMARY KEY, uid_validity TEXT NOT NULL, last_uid INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS outages (
    account TEXT PRIMARY KEY, id TEXT NOT NULL, told INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS refresh_tokens (
    configured TEXT PRIMARY KEY, token TEXT NOT NULL) STRICT`;

const READ = `SELECT json_object(
  'cursors', (SELECT json_group_object(
    mailbox, json_object('uidValidity', uid_validity, 'lastUid', last_uid)) FROM cursors),
  'outages', (SELECT json_group_object(
    account, json_object('id', id, 'isNotified', json(iif(told = 1, 'true', 'false')))) FROM outages),
  'refreshTokens', (SELECT json_group_object(configured, token) FROM refresh_tokens)) AS text`;

const WRITE = [
  `INSERT INTO cursors SELECT key, value ->> 'uidValidity', value ->> 'lastUid'
    FROM json_each(?, '$.cursors')`,
  `INSERT INTO outages SELECT key, value ->> 'id', value ->> 'isNotified'
    FROM json_each(?, '$.outages')`,
  `INSERT INTO refresh_tokens SELECT key, value FROM json_each(?, '$.refreshTokens')`,
];

/** The system frees the lock when the process dies. Commits do not wait for the disk: what is lost is only repeated. */
class MemoryFile implements HeldText {
  readonly #db: DatabaseSync;
  readonly #lock: DirectoryLock;
  readonly text: string;

  /** @throws Error when the file cannot be used */
  constructor(file: string, lock: DirectoryLock) {
    this.#lock = lock;
    this.#db = new DatabaseSync(file, { timeout: BUSY_MS });
    try {
      this.#db.exec(
        'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA trusted_schema = OFF',
      );
      this.#db.exec(`BEGIN EXCLUSIVE; ${TABLES}; COMMIT`);
      this.text = textIn(this.#db);
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  save(text: string): void {
    try {
      this.#db.exec(
        'BEGIN IMMEDIATE; DELETE FROM cursors; DELETE FROM outages; DELETE FROM refresh_tokens',
      );
      for (const statement of WRITE) this.#db.prepare(statement).run(text);
      this.#db.exec('COMMIT');
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    if (!this.#db.isOpen) return;
    this.#db.close();
    this.#lock.release();
  }
}

/** Held until it is closed. @throws MailStoreHeld; Error when the file cannot be used, or the directory is not there */
export function openMailMemory(dir: string): MailMemory {
  const lock = hold(dir);
  const file = join(dir, FILE);
  try {
    createPrivately(file);
    return new MailMemory(new MemoryFile(file, lock));
  } catch (error) {
    lock.release();
    // Builds before the lock had a file of its own hold this one.
    if (getField(error, 'errcode') === SQLITE_BUSY) throw new MailStoreHeld(dir);
    throw error;
  }
}

function hold(dir: string): DirectoryLock {
  const file = join(dir, LOCK_FILE);
  createPrivately(file);
  try {
    return DirectoryLock.takeNow(file);
  } catch (error) {
    throw error instanceof DirectoryInUse ? new MailStoreHeld(dir) : error;
  }
}

/** Never opens a file that is there: closing it would drop the locks that this process holds on it (POSIX). */
function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    chmodSync(file, 0o600);
  }
}

function textIn(db: DatabaseSync): string {
  return String(db.prepare(READ).get()?.['text']);
}

/** The text in a data directory; null: nothing. Changes nothing; a watcher goes on meanwhile. */
export function readMailMemory(dir: string): string | null {
  const file = join(dir, FILE);
  if (!existsSync(file)) return null;
  using db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
  return textIn(db);
}

/** Keeps in a data directory what another watcher remembered. @throws MailStoreHeld while one works with it */
export function writeMailMemory(dir: string, text: string): void {
  const memory = openMailMemory(dir);
  try {
    memory.takeOver(text);
  } finally {
    memory.close();
  }
}
