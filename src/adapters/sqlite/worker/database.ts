// Opens the files of a ledger for its threads: a directory that only its owner reads, a lock that ends with the
// process, a database whose commits survive a power loss, and a write-ahead log that stays short.
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { storeTrouble } from './batch.ts';
import { checkEdition, migrate, prepareNewFile } from './migrate.ts';
import { text } from './rows.ts';

/** How long the writer waits for a reader that is in its way (only a truncation of the log is). */
const BUSY_MS = 100;
/** How long a reader waits for the writer. */
const READER_BUSY_MS = 1000;
/** Holds the hot pages of every index. */
const CACHE_KIB = 16_384;

const DATABASE_FILE = 'ledger.db';
const LOCK_FILE = 'lock.db';

/** A ledger that ends with its thread. */
export function openInMemory(): { db: DatabaseSync; close: () => void } {
  const db = new DatabaseSync(':memory:');
  prepareNewFile(db);
  migrate(db);
  return { db, close: () => db.close() };
}

/**
 * Opens the ledger of a directory, made when absent, and holds the directory until it is closed.
 * @throws Error with a sentence that says what to do when it cannot be used.
 */
export function openDirectory(dir: string): {
  db: DatabaseSync;
  log: WriteAheadLog;
  close: () => void;
} {
  prepareFiles(dir);
  const lock = new DirectoryLock(join(dir, LOCK_FILE));
  try {
    const file = join(dir, DATABASE_FILE);
    refuseOtherEditions(file);
    const db = openForWriting(file);
    const log = new WriteAheadLog(db, file);
    const close = () => {
      log.truncate();
      db.close();
      lock.release();
    };
    return { db, log, close };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Opens a ledger beside its writer. */
export function openForReading(dir: string): DatabaseSync {
  return new DatabaseSync(join(dir, DATABASE_FILE), { readOnly: true, timeout: READER_BUSY_MS });
}

/** Looks before anything is written: even closing a connection that can write moves the log into the database. */
function refuseOtherEditions(file: string): void {
  const db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
  try {
    checkEdition(db);
  } finally {
    db.close();
  }
}

/** Opens and migrates; a file that cannot be used is closed again. */
function openForWriting(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: BUSY_MS });
  try {
    prepareNewFile(db);
    const mode = db.prepare('PRAGMA journal_mode = WAL').get();
    if (mode === undefined || text(mode, 'journal_mode') !== 'wal') {
      throw new Error('its file system cannot keep a write-ahead log: use a local disk');
    }
    // FULL: every commit is fsynced before it returns.
    db.exec(`PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF`);
    db.exec(`PRAGMA wal_autocheckpoint = 2000; PRAGMA journal_size_limit = 16777216`);
    db.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
    migrate(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Makes the directory and empty files for their owner alone; SQLite gives its side files the same mode. */
function prepareFiles(dir: string): void {
  attempt('the directory cannot be made: check its path', () => {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
  });
  attempt('the directory may not be written: check who owns it', () => {
    for (const name of [DATABASE_FILE, LOCK_FILE]) makeOwn(join(dir, name));
    accessSync(dir, constants.W_OK);
  });
}

/** The system's own words name the path; the code is enough. */
function attempt(sentence: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOSPC') throw new Error('the disk is full: make room', { cause: error });
    throw new Error(`${sentence} (${code})`, { cause: error });
  }
}

/** Never opens a file that is there: closing it would drop the locks that this process holds on it (POSIX). */
function makeOwn(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    accessSync(file, constants.R_OK | constants.W_OK);
    chmodSync(file, 0o600);
  }
}

function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

/**
 * Holds a directory for this process. The lock is the operating system's on an open file: it ends with the process,
 * kill -9 included, so that nothing is ever left to clean up.
 */
class DirectoryLock {
  readonly #db: DatabaseSync;

  constructor(file: string) {
    this.#db = new DatabaseSync(file, { timeout: 0 });
    try {
      this.#db.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      this.#db.close();
      if (!storeTrouble(error)?.includes('another process')) throw error;
      throw new Error(
        'another process uses it: stop that process first, or give this one a directory of its own',
        { cause: error },
      );
    }
  }

  release(): void {
    this.#db.close();
  }
}

/** SQLite moves the log into the database at 8 MB by itself; a reader at the wrong moment can keep it from that. */
const LOG_LIMIT_BYTES = 16 * 1024 * 1024;
const BATCHES_BETWEEN_CHECKS = 32;

/** Keeps the write-ahead log short. */
class WriteAheadLog {
  readonly #db: DatabaseSync;
  readonly #file: string;
  #batches = 0;

  constructor(db: DatabaseSync, databaseFile: string) {
    this.#db = db;
    this.#file = `${databaseFile}-wal`;
  }

  /** Called between batches, when nobody waits. */
  check(): void {
    if (++this.#batches % BATCHES_BETWEEN_CHECKS !== 0) return;
    const size = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
    if (size > LOG_LIMIT_BYTES) this.truncate();
  }

  /** False: a full disk or a busy reader kept it from that. Nothing is lost, and the next check tries again. */
  truncate(): boolean {
    try {
      this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      return true;
    } catch {
      return false;
    }
  }
}
