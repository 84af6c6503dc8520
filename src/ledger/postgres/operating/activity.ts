// What is counted for charts, by the minute: accepted and refused requests, ends of runs and deliveries, and how much work
// waits. Each instance adds up in memory what it has committed, and adds the sums to the rows of all once in ten seconds
// at most, so that no request pays for them. What a crash costs is what was counted since.
//
// Clocks may be set back or ahead. Minutes that lie ahead are no part of an answer. A row that was last written long ago,
// by the clock of the database, is one of a clock that was ahead: when its minute comes it is begun anew.
import type { Counted } from '../../../hooks/ports/activity.ts';
import type { Clock } from '../../../hooks/ports/clock.ts';
import { COUNTED, COUNTED_COLUMNS, minuteOf, noCounts } from '../../activity-rows.ts';
import type { Counts } from '../../activity-rows.ts';
import type { Database } from '../connection.ts';
import { WAITING } from '../../records/work-counts.ts';
import { toPostgres } from '../statements.ts';

const BETWEEN_WRITES_MS = 10_000;
/** An instance that could not write for so long still adds to rows of the others. */
const LATEST_WRITE_MS = 3_600_000;

/** Adds sums to the rows of their minutes. Where nothing was counted, a row is written only when as much no longer waits. */
const names = COUNTED_COLUMNS;
const WRITE = `WITH waiting AS (${toPostgres(WAITING)}),
  now AS (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now),
  before AS (SELECT waiting FROM @schema.activity WHERE minute <= $1 ORDER BY minute DESC LIMIT 1),
  counted AS (
    SELECT * FROM unnest($2::bigint[], ${names.map((_, at) => `$${at + 3}::bigint[]`).join(', ')})
    UNION ALL SELECT $1, ${names.map(() => '0').join(', ')} FROM waiting
      WHERE cardinality($2::bigint[]) = 0 AND runs_and_deliveries <> coalesce((SELECT waiting FROM before), 0)
  )
  INSERT INTO @schema.activity AS kept (minute, ${names.join(', ')}, waiting, written_at)
  SELECT counted.*, runs_and_deliveries, now FROM counted, waiting, now ORDER BY 1
  ON CONFLICT (minute) DO UPDATE SET waiting = excluded.waiting, written_at = excluded.written_at,
    ${names.map((name) => `${name} = excluded.${name} + CASE WHEN kept.written_at > excluded.written_at - ${LATEST_WRITE_MS} THEN kept.${name} ELSE 0 END`).join(',\n    ')}`;

/** Counts what this instance has committed, and writes the sums now and then. */
export class ActivityRecord {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  /** Committed and not written, by minute. */
  #unwritten = new Map<number, Counts>();
  #isWaiting = false;
  #writing = Promise.resolve();

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** So many more were committed. */
  add(what: Counted, count = 1): void {
    const minute = minuteOf(this.#clock.now());
    let counts = this.#unwritten.get(minute);
    if (counts === undefined) this.#unwritten.set(minute, (counts = noCounts()));
    counts[what] += count;
    if (!this.#isWaiting) void this.#writeLater();
  }

  /** Writes what there is, after what is being written. @throws LedgerUnavailable, and the same is written later */
  write(): Promise<void> {
    const write = (): Promise<void> => this.#writeNow();
    this.#writing = this.#writing.then(write, write);
    return this.#writing;
  }

  async #writeNow(): Promise<void> {
    const rows = this.#unwritten;
    this.#unwritten = new Map();
    const sums = COUNTED.map((what) => Array.from(rows.values(), (counts) => counts[what]));
    try {
      const minute = minuteOf(this.#clock.now());
      await this.#database.query(WRITE, [minute, [...rows.keys()], ...sums]);
    } catch (error) {
      for (const [minute, counts] of rows) this.#putBack(minute, counts);
      throw error;
    }
  }

  /** Writes the rest, if it can be written. */
  async close(): Promise<void> {
    this.#closing.abort();
    // What cannot be written now is lost, as in a crash.
    await (this.#unwritten.size > 0 ? this.write() : this.#writing).catch(() => {});
  }

  async #writeLater(): Promise<void> {
    this.#isWaiting = true;
    await this.#clock.wait(BETWEEN_WRITES_MS, this.#closing.signal);
    this.#isWaiting = false;
    if (this.#closing.signal.aborted || this.#unwritten.size === 0) return;
    // The ledger says itself what is the matter with it.
    await this.write().catch(() => {});
  }

  #putBack(minute: number, counts: Counts): void {
    const since = this.#unwritten.get(minute) ?? noCounts();
    for (const what of COUNTED) since[what] += counts[what];
    this.#unwritten.set(minute, since);
  }
}
