import type { DatabaseSync } from 'node:sqlite';
import { integer } from '../../../rows.ts';

/** SQLite moves the log into the database at 8 MB by itself; a reader at the wrong moment can keep it from that. */
const LOG_LIMIT_BYTES = 16 * 1024 * 1024;
const BATCHES_BETWEEN_CHECKS = 32;
/** While somebody keeps an old state of the ledger open, trying again soon is in vain. */
const MOST_BATCHES_BETWEEN_CHECKS = 1024;

/** Keeps the write-ahead log short, and empties it of what was forgotten. */
export class WriteAheadLog {
  readonly #db: DatabaseSync;
  readonly #busyMs: number;
  #pause = BATCHES_BETWEEN_CHECKS;
  #batches = 0;
  /** What was forgotten may still be in it; of a log that was found, nobody knows. */
  #holdsForgotten = true;

  /** @param busyMs how long other statements of the connection wait for somebody in their way */
  constructor(db: DatabaseSync, busyMs: number) {
    this.#db = db;
    this.#busyMs = busyMs;
  }

  /**
   * Called between batches, when nobody waits. Never waits for a reader.
   * @param size of the log, in bytes
   * @param hasForgotten something was forgotten in the last batch, which is overwritten in the database by emptying the log
   * @returns true: the database was written
   */
  check(size: number, hasForgotten: boolean): boolean {
    if (hasForgotten) this.#holdsForgotten = true;
    if (++this.#batches < this.#pause && !hasForgotten) return false;
    this.#batches = 0;
    if (size <= LOG_LIMIT_BYTES && !this.#holdsForgotten) return false;
    this.#db.exec('PRAGMA busy_timeout = 0');
    const isShort = this.truncate();
    this.#db.exec(`PRAGMA busy_timeout = ${this.#busyMs}`);
    if (isShort) this.#holdsForgotten = false;
    const next = isShort ? BATCHES_BETWEEN_CHECKS : this.#pause * 2;
    this.#pause = Math.min(next, MOST_BATCHES_BETWEEN_CHECKS);
    return true;
  }

  /** False: a full disk or a busy reader kept it from that. Nothing is lost, and a later check tries again. */
  truncate(): boolean {
    try {
      const row = this.#db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      return row !== undefined && integer(row, 'busy') === 0;
    } catch {
      return false;
    }
  }
}
