// Opens the database of a ledger for its threads: commits that survive a power loss, in a file that is watched.
import { DatabaseSync } from 'node:sqlite';
import { idOf } from '../../id-keys.ts';
import type { Inventory } from '../../protocol.ts';
import { filesOf, prepareDirectory, sizeOf } from './data-directory.ts';
import type { LedgerFiles } from './data-directory.ts';
import { DirectoryLock } from './directory-lock.ts';
import { FileGuard } from './file-guard.ts';
import { checkEdition, migrate, prepareNewFile } from './migrate.ts';
import { integer, text } from '../../../rows.ts';
import { WriteAheadLog } from './write-ahead-log.ts';

/** How long the writer waits for somebody in its way, such as an operator's `sqlite3`. */
const BUSY_MS = 100;
/** How long a reader waits for the writer. */
const READER_BUSY_MS = 1000;
/** Holds the hot pages of every index. A larger one costs more: SQLite walks through all of it at the end of a transaction that split a page. */
const CACHE_KIB = 4096;

/** A directory that is held, the connection that writes, and what was begun on it. */
export interface OpenDirectory<T> {
  readonly db: DatabaseSync;
  readonly begun: T;
  readonly guard: FileGuard;
  /** What was there already. */
  readonly found: Inventory;
  /** Called between batches, when nobody waits. @param hasForgotten see {@link WriteAheadLog.check} */
  afterAnswer(hasForgotten: boolean): void;
  /** Releases the directory. Of a lost ledger, what was not moved into the database stays where it is. */
  close(): void;
}

/** A ledger that ends with its thread. */
export async function openInMemory<T>(
  begin: (db: DatabaseSync) => T | Promise<T>,
): Promise<Pick<OpenDirectory<T>, 'db' | 'begun' | 'found' | 'close'>> {
  const db = new DatabaseSync(':memory:');
  prepareNewFile(db);
  const begun = await migrate(db, () => begin(db));
  return { db, begun, found: takeInventory(db, true), close: () => db.close() };
}

/**
 * Opens the ledger of a directory, made when absent, and holds the directory until it is closed.
 * @param begin is called in the transaction that makes or changes tables
 * @param onHeld see {@link DirectoryLock}
 * @throws Error with a sentence that says what to do when it cannot be used.
 */
export async function openDirectory<T>(
  dir: string,
  begin: (db: DatabaseSync) => T | Promise<T>,
  onHeld?: () => void,
): Promise<OpenDirectory<T>> {
  const files = prepareDirectory(dir);
  const lock = new DirectoryLock(files.lock, onHeld);
  try {
    const isNew = sizeOf(files.database) === 0;
    const opened = await openLocked(files, lock, begin);
    return { ...opened, found: takeInventory(opened.db, isNew) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function openLocked<T>(
  files: LedgerFiles,
  lock: DirectoryLock,
  begin: (db: DatabaseSync) => T | Promise<T>,
): Promise<Omit<OpenDirectory<T>, 'found'>> {
  refuseOtherEditions(files.database);
  const { db, begun } = await openForWriting(files.database, begin);
  const log = new WriteAheadLog(db, BUSY_MS);
  const guard = new FileGuard(db, files);
  return {
    db,
    begun,
    guard,
    afterAnswer: (hasForgotten) => {
      if (log.check(guard.logSize, hasForgotten)) guard.noteCheckpoint();
    },
    close: () => {
      if (!guard.isLost) log.truncate();
      guard.close(db);
      lock.release();
    },
  };
}

/** Counting more would cost a large ledger its quick start. */
const MOST_COUNTED = 10_000;

/** What a start finds; an operator sees by it that the ledger is the one he meant. */
function takeInventory(db: DatabaseSync, isNew: boolean): Inventory {
  const count = (rows: string) => {
    const sql = `SELECT count(*) AS count FROM (SELECT 1 FROM ${rows} LIMIT ${MOST_COUNTED + 1})`;
    return integer(db.prepare(sql).get()!, 'count');
  };
  const events = count('events');
  return {
    isNew,
    events: Math.min(events, MOST_COUNTED),
    hasMore: events > MOST_COUNTED,
    lastId: findLastId(db),
    waiting: count(`work WHERE stage <> 'dead'`),
  };
}

/** The last id of all events, runs and deliveries; null: there is none. */
function findLastId(db: DatabaseSync): string | null {
  const last = (table: string) =>
    `SELECT * FROM (SELECT key, rest FROM ${table} ORDER BY key DESC LIMIT 1)`;
  const all = ['events', 'runs', 'deliveries'].map(last).join(' UNION ALL ');
  const row = db.prepare(`${all} ORDER BY key DESC LIMIT 1`).get();
  return row === undefined ? null : idOf(integer(row, 'key'), text(row, 'rest'));
}

/** Opens a ledger beside its writer. */
export function openForReading(dir: string): DatabaseSync {
  return new DatabaseSync(filesOf(dir).database, { readOnly: true, timeout: READER_BUSY_MS });
}

/**
 * Looks before anything is written: even closing a connection that can write moves the log into the database. Only what
 * the power cut short while the file was made, before it had a log, is undone first; that takes a connection that can write.
 */
function refuseOtherEditions(file: string): void {
  const isCutShort = sizeOf(`${file}-journal`) > 0;
  const db = new DatabaseSync(file, { readOnly: !isCutShort, timeout: BUSY_MS });
  try {
    checkEdition(db);
  } finally {
    db.close();
  }
}

/** Opens and migrates; a file that cannot be used is closed again. */
async function openForWriting<T>(
  file: string,
  begin: (db: DatabaseSync) => T | Promise<T>,
): Promise<{ db: DatabaseSync; begun: T }> {
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
    // What is deleted is overwritten with zeros, in pages that are freed as well.
    db.exec('PRAGMA secure_delete = ON');
    db.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
    return { db, begun: await migrate(db, () => begin(db)) };
  } catch (error) {
    db.close();
    throw error;
  }
}
