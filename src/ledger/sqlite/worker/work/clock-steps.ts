// What passes between two steps of the clock is measured by the monotonic time that comes with each group.
import type { DatabaseSync } from 'node:sqlite';
import { text } from '../../../rows.ts';

/** Less is no step: clocks are corrected by a little all the time, and a wait may be as much longer. */
const SMALLEST_STEP_MS = 1000;
/** A service may have been off for so long without anybody wondering. */
const LONGEST_ABSENCE_MS = 3_600_000;
/** So long a clock that leapt ahead has to stand, while the service runs, before anything is forgotten by it. */
const PROBATION_MS = 86_400_000;

/** What is remembered of the clock over a restart, written with every step of pruning and of the clock. */
interface Stored {
  /** The latest time that was seen, epoch milliseconds. */
  readonly last: number;
  readonly believed: number;
  readonly stood: number;
}

export class ClockSteps {
  readonly #db: DatabaseSync;
  readonly #sql: ReturnType<typeof prepareStatements>;
  #now: number;
  #elapsed: number;
  #believed: number;
  #believedAt: number;
  #stood: number;
  #stoodAt: number;

  /** A clock that is behind the process before was set back. One ahead makes work due, but nothing too old. */
  constructor(db: DatabaseSync, now: number, elapsed: number) {
    this.#db = db;
    this.#sql = prepareStatements(db);
    const { last, believed, stood } = this.#read() ?? { last: now, believed: now, stood: 0 };
    if (last - now > SMALLEST_STEP_MS) this.#shift(now - last);
    if (now - last > LONGEST_ABSENCE_MS) this.#sql.rejuvenate.run(now - last, now);
    this.#now = now;
    this.#elapsed = elapsed;
    this.#believed = Math.min(believed, now);
    this.#believedAt = elapsed;
    this.#stood = stood;
    this.#stoodAt = elapsed;
    this.#write();
  }

  /**
   * Called before each group, outside of its transaction. Work that waits goes on waiting as long as it would have.
   * @returns true: the clock was set
   */
  note(now: number, elapsed: number): boolean {
    // A clock without a monotonic time of its own goes back with it.
    const passed = Math.max(0, elapsed - this.#elapsed);
    const step = now - this.#now - passed;
    const isStep = Math.abs(step) > SMALLEST_STEP_MS;
    if (isStep) {
      // Together: a start that did not know of the step would take it for one while the service was off.
      this.#inTransaction(() => {
        this.#shift(step);
        this.#write(now);
      });
    }
    this.#now = now;
    this.#elapsed = elapsed;
    return isStep;
  }

  /**
   * Whether things may be forgotten by this time: not while the clock is more than an hour ahead of what is explained by
   * the time that passed, until it has stood for a day. Asked with every step of pruning, inside its transaction.
   */
  isBelieved(now: number): boolean {
    const expected = this.#believed + this.#elapsed - this.#believedAt;
    this.#stood += this.#elapsed - this.#stoodAt;
    this.#stoodAt = this.#elapsed;
    const isBelieved = now - expected <= LONGEST_ABSENCE_MS || this.#stood >= PROBATION_MS;
    if (isBelieved) {
      this.#believed = now;
      this.#believedAt = this.#elapsed;
      this.#stood = 0;
    }
    this.#write();
    return isBelieved;
  }

  #shift(step: number): void {
    this.#sql.shift.run(step);
    this.#sql.shiftWaits.run(step);
  }

  #inTransaction(act: () => void): void {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      act();
      this.#db.exec('COMMIT');
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  #read(): Stored | null {
    const row = this.#sql.read.get();
    return row === undefined ? null : JSON.parse(text(row, 'value'));
  }

  #write(last = this.#now): void {
    const stored: Stored = { last, believed: this.#believed, stood: this.#stood };
    this.#sql.write.run(JSON.stringify(stored));
  }
}

function prepareStatements(db: DatabaseSync) {
  return {
    // All of a queue, so that its order stays.
    shift: db.prepare(
      `UPDATE work SET due_at = due_at + ?1, since = since + ?1 WHERE stage <> 'dead'`,
    ),
    shiftWaits: db.prepare('UPDATE waits SET until = until + ? WHERE decision IS NULL'),
    rejuvenate: db.prepare(
      `UPDATE work SET since = min(since + ?1, ?2) WHERE stage <> 'dead' AND since < ?2`,
    ),
    read: db.prepare(`SELECT value FROM meta WHERE key = 'clock'`),
    write: db.prepare(`INSERT OR REPLACE INTO meta (key, value) VALUES ('clock', ?)`),
  };
}
