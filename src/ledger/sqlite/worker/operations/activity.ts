// What is counted for charts, by the minute: accepted and refused requests, ends of runs and deliveries, and how much work
// waits. Counting is adding in memory; the sums are written with a commit that happens anyway, once in ten seconds at
// most, so that no request pays for them. What a crash costs is what was counted since.
//
// The clock may be set back or ahead. Minutes that lie ahead are no part of an answer; each minute that begins is emptied
// first, so that what was counted while the clock was ahead is never added to.
import type { DatabaseSync } from 'node:sqlite';
import type { Counted } from '../../../../hooks/ports/activity.ts';
import { COUNTED, COUNTED_COLUMNS, minuteOf, noCounts } from '../../../activity-rows.ts';
import type { Counts } from '../../../activity-rows.ts';

const BETWEEN_WRITES_MS = 10_000;

/** A write that is not committed yet. */
interface Writing {
  readonly elapsed: number;
  readonly waiting: number;
  readonly reached: number;
}

/** Counts, and writes the sums now and then. */
export class ActivityRecord {
  readonly #sql: ReturnType<typeof prepareRecord>;
  readonly #countWaiting: () => number;
  /** Of the transaction that is under way. */
  #fresh: Counts | null = null;
  /** Committed and not written, by minute. */
  readonly #unwritten = new Map<number, Counts>();
  #writing: Writing | null = null;
  #isWanted = false;
  #minute: number;
  /** Up to this minute, the rows are of the time that passed, and are added to. */
  #reached: number;
  #wroteAt = -Infinity;
  #waiting: number | null = null;

  /** @param countWaiting how many runs and deliveries wait now */
  constructor(db: DatabaseSync, now: number, countWaiting: () => number) {
    this.#sql = prepareRecord(db);
    this.#countWaiting = countWaiting;
    this.#minute = minuteOf(now);
    this.#reached = this.#minute;
  }

  /** One more, if the transaction under way is committed. */
  add(what: Counted, count = 1): void {
    (this.#fresh ??= noCounts())[what] += count;
  }

  /** The clock was set; what is not written yet counts as of now. */
  clockWasSet(now: number): void {
    const unwritten = [...this.#unwritten.values()];
    this.#unwritten.clear();
    this.#minute = minuteOf(now);
    this.#reached = this.#minute;
    for (const counts of unwritten) this.#keep(counts);
  }

  /** Somebody wants to read: this transaction writes what there is, whenever the last one did. */
  writeNow(): void {
    this.#isWanted = true;
  }

  /** Called in each transaction as the last of it. */
  beforeCommit(now: number, elapsed: number): void {
    this.#minute = minuteOf(now);
    const isDue = Math.abs(elapsed - this.#wroteAt) >= BETWEEN_WRITES_MS;
    if (isDue || this.#isWanted) this.#write(elapsed);
  }

  /** All that is left, in a transaction of its own at the end. */
  writeRest(): void {
    this.#write(this.#wroteAt);
  }

  #write(elapsed: number): void {
    const waiting = this.#countWaiting();
    const rows = new Map(this.#unwritten);
    if (this.#fresh !== null) rows.set(this.#minute, sum(rows.get(this.#minute), this.#fresh));
    if (rows.size === 0 && waiting !== this.#waiting) rows.set(this.#minute, noCounts());
    let reached = this.#reached;
    for (const [minute, counts] of rows) {
      if (minute > reached) this.#sql.empty.run(reached, minute);
      reached = Math.max(reached, minute);
      this.#sql.add.run(minute, ...COUNTED.map((what) => counts[what]), waiting);
    }
    this.#writing = { elapsed, waiting, reached };
  }

  /** The transaction is durable. */
  committed(): void {
    if (this.#writing !== null) {
      const { elapsed, waiting, reached } = this.#writing;
      this.#wroteAt = elapsed;
      this.#waiting = waiting;
      this.#reached = reached;
      this.#unwritten.clear();
    } else if (this.#fresh !== null) this.#keep(this.#fresh);
    this.forget();
  }

  /** The transaction is over; of one that was rolled back, nothing happened. */
  forget(): void {
    this.#fresh = null;
    this.#writing = null;
    this.#isWanted = false;
  }

  #keep(counts: Counts): void {
    this.#unwritten.set(this.#minute, sum(this.#unwritten.get(this.#minute), counts));
  }
}

function prepareRecord(db: DatabaseSync) {
  const columns = COUNTED_COLUMNS;
  return {
    add: db.prepare(
      `INSERT INTO activity (minute, ${columns.join(', ')}, waiting)
       VALUES (?, ${columns.map(() => '?').join(', ')}, ?)
       ON CONFLICT (minute) DO UPDATE SET waiting = excluded.waiting,
         ${columns.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`,
    ),
    empty: db.prepare('DELETE FROM activity WHERE minute > ? AND minute <= ?'),
  };
}

function sum(one: Counts | undefined, other: Counts): Counts {
  if (one === undefined) return other;
  const all = noCounts();
  for (const what of COUNTED) all[what] = one[what] + other[what];
  return all;
}
