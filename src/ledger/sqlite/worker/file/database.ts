import { DatabaseSync } from './sqlite.ts';
import { integer, text } from '../../../rows.ts';
import { idOf } from '../../id-keys.ts';
import type { HeldFiles, Inventory } from '../../protocol.ts';
import { filesOf, sizeOf } from './data-directory.ts';
import { FileGuard } from './file-guard.ts';
import { checkEdition, migrate, prepareNewFile } from './migrate.ts';
import type { Edition } from './migrate.ts';
import { WriteAheadLog } from './write-ahead-log.ts';

/** How long is waited at a start for somebody in the way, such as an operator's `sqlite3`. Nobody is waited for later. */
const BUSY_MS = 100;
/** How long a reader waits for the writer. */
const READER_BUSY_MS = 1000;
/** Holds the hot pages of every index. A larger one costs more: SQLite walks through all of it at the end of a transaction that split a page. */
const CACHE_KIB = 4096;

interface OpenDatabase<T> {
  readonly db: DatabaseSync;
  readonly begun: T;
  readonly files?: { readonly guard: FileGuard; readonly log: WriteAheadLog };
}

export async function openInMemory<T>(
  begin: (db: DatabaseSync) => T | Promise<T>,
): Promise<OpenDatabase<T>> {
  const db = new DatabaseSync(':memory:');
  prepareNewFile(db);
  return { db, begun: await migrate(db, () => begin(db)) };
}

/**
 * Opens the ledger of a directory that is held, and brings its tables to this edition.
 * @param begin is called in the transaction that makes or changes tables
 * @throws Error with a sentence that says what to do when it cannot be used; StoreLost when it is no longer what was held
 */
export async function openForWriting<T>(
  held: HeldFiles,
  begin: (db: DatabaseSync) => T | Promise<T>,
): Promise<Required<OpenDatabase<T>>> {
  const holdsForgotten = sizeOf(held.log) > 0;
  const db = new DatabaseSync(held.database, { timeout: BUSY_MS });
  try {
    prepareNewFile(db);
    const mode = db.prepare('PRAGMA journal_mode = WAL').get();
    if (mode === undefined || text(mode, 'journal_mode') !== 'wal') {
      throw new Error('its file system cannot keep a write-ahead log: use a local disk');
    }
    // FULL: every commit is fsynced before it returns. Checkpoints are made beside it (worker/open.ts).
    db.exec(`PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF`);
    db.exec(`PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 16777216`);
    // What is deleted is overwritten with zeros, in pages that are freed as well.
    db.exec('PRAGMA secure_delete = ON');
    db.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
    const guard = new FileGuard(db, held);
    const begun = await migrate(db, () => begin(db));
    db.exec('PRAGMA busy_timeout = 0');
    return { db, begun, files: { guard, log: new WriteAheadLog(db, holdsForgotten) } };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Counting more would cost a large ledger its quick start. */
const MOST_COUNTED = 10_000;

export function takeInventory(db: DatabaseSync, isNew: boolean): Inventory {
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

export function openForReading(dir: string): DatabaseSync {
  return new DatabaseSync(filesOf(dir).database, { readOnly: true, timeout: READER_BUSY_MS });
}

/** Opens a ledger beside its writer, to move what is in the log into the database. */
export function openForCheckpoints(dir: string): DatabaseSync {
  const db = new DatabaseSync(filesOf(dir).database, { timeout: 0 });
  db.exec('PRAGMA query_only = ON; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0');
  return db;
}

/** Even closing a connection that can write moves the log. Only a first start that was cut short is undone before. */
export function lookBeforeOpening(file: string): Edition {
  const isCutShort = sizeOf(`${file}-journal`) > 0;
  const db = new DatabaseSync(file, { readOnly: !isCutShort, timeout: BUSY_MS });
  try {
    return checkEdition(db);
  } finally {
    db.close();
  }
}
