import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { integer } from '../../../rows.ts';
import type { LogState } from '../../protocol.ts';

/** Groups between two looks at the log, of which each costs a few microseconds. */
const GROUPS_BETWEEN_LOOKS = 8;

/** The write-ahead log, on the connection that writes. SQLite moves nothing of it into the database by itself. */
export class WriteAheadLog {
  readonly #look: StatementSync;
  readonly #finish: StatementSync;
  readonly #empty: StatementSync;
  #groups = 0;
  /** What was forgotten may still be in it. */
  #holdsForgotten: boolean;

  /** @param holdsForgotten true: of a log that was found, nobody knows what is in it */
  constructor(db: DatabaseSync, holdsForgotten: boolean) {
    this.#look = db.prepare('PRAGMA wal_checkpoint(NOOP)');
    this.#finish = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
    this.#empty = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
    this.#holdsForgotten = holdsForgotten;
  }

  /**
   * After a group; now and then only, unless something was forgotten.
   * @param hasForgotten something was forgotten in the last group, which is overwritten in the database by emptying the log
   */
  look(hasForgotten: boolean): LogState | null {
    if (hasForgotten) this.#holdsForgotten = true;
    this.#groups += 1;
    if (this.#groups % GROUPS_BETWEEN_LOOKS !== 0 && !hasForgotten) return null;
    try {
      const row = this.#look.get()!;
      const pages = integer(row, 'log') - integer(row, 'checkpointed');
      return { pages, holdsForgotten: this.#holdsForgotten };
    } catch {
      // What was committed is durable, whatever becomes of a look.
      return null;
    }
  }

  /** Moves the rest, so that the log begins anew with the next write. Never waits for a reader. */
  finish(): void {
    if (this.#holdsForgotten) this.empty();
    else run(this.#finish);
  }

  /** Leaves nothing in the log. A full disk or a busy reader may keep it from that; nothing is lost then. */
  empty(): void {
    if (run(this.#empty)) this.#holdsForgotten = false;
  }
}

/** True: it came to its end. */
function run(checkpoint: StatementSync): boolean {
  try {
    return integer(checkpoint.get()!, 'busy') === 0;
  } catch {
    return false;
  }
}
