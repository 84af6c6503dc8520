import { DatabaseSync } from 'node:sqlite';
import { DirectoryLock } from './directory-lock.ts';
import { prepareFiles } from './data-directory.ts';
import { migrate } from './migrations.ts';
import { WalKeeper } from './wal.ts';
import { text } from './row.ts';

/** How long a writer waits for a reader that is in its way (only a truncation of the log is). */
const BUSY_MS = 100;

/** Holds the hot pages of every index. */
const CACHE_KIB = 16_384;

export interface OpenDatabase {
  readonly db: DatabaseSync;
  readonly wal: WalKeeper | null;
  readonly close: () => void;
}

/** A ledger that ends with its thread. */
export function openInMemory(): OpenDatabase {
  const db = new DatabaseSync(':memory:');
  migrate(db);
  return { db, wal: null, close: () => db.close() };
}

/** Opens the ledger of a directory and holds the directory. */
export function openDirectory(dir: string): OpenDatabase {
  const files = prepareFiles(dir);
  const lock = new DirectoryLock(files.lock);
  try {
    const db = openFile(files.database);
    const wal = new WalKeeper(db, files.database);
    const close = () => {
      wal.truncate();
      db.close();
      lock.release();
    };
    return { db, wal, close };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function openFile(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: BUSY_MS });
  try {
    const mode = db.prepare('PRAGMA journal_mode = WAL').get();
    if (mode === undefined || text(mode, 'journal_mode') !== 'wal') {
      throw new Error('its file system cannot keep a write-ahead log: use a local disk');
    }
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
