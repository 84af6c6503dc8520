import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

/** SQLite moves the log into the database at 8 MB by itself; a reader at the wrong moment can keep it from that. */
const LOG_LIMIT_BYTES = 16 * 1024 * 1024;
const BATCHES_BETWEEN_LOOKS = 32;

/** Keeps the write-ahead log short. */
export class WalKeeper {
  readonly #db: DatabaseSync;
  readonly #file: string;
  #batches = 0;

  constructor(db: DatabaseSync, databaseFile: string) {
    this.#db = db;
    this.#file = `${databaseFile}-wal`;
  }

  /** Called between batches, when nobody waits. */
  look(): void {
    if (++this.#batches % BATCHES_BETWEEN_LOOKS !== 0) return;
    const size = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
    if (size > LOG_LIMIT_BYTES) this.truncate();
  }

  truncate(): void {
    try {
      this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // A full disk or a busy reader: nothing is lost, and the next look tries again.
    }
  }
}
