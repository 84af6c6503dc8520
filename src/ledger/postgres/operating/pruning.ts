// Forgetting what is old: whole events, payloads, prompts and replies, then transcripts, dead work that belongs to no
// event, refusals, why channels failed, ended sessions of the console, counts, and idempotency keys. Unfinished events
// are never touched.
//
// The module asks for one step after the other until a step has room left (hooks/work/retention.ts). Each step has a
// budget of rows, and only one instance makes a step at a time. A process that ends between two steps loses nothing: the
// next one finds what is left by the same queries. What is forgotten is no longer in any row; what PostgreSQL does with
// the room that it took is PostgreSQL's (docs/decisions/0184).
import { ACTIVITY_KEPT_MS } from '../../../hooks/ports/activity.ts';
import type { Clock } from '../../../hooks/ports/clock.ts';
import type { Retention } from '../../../hooks/ports/ledger.ts';
import { MINUTE_MS, minuteOf } from '../../activity-rows.ts';
import { CHANNEL_FAILURE_KEYS, CHANNEL_TIME } from '../../channel-rows.ts';
import { integer, text } from '../../rows.ts';
import type { Database, Run } from '../connection.ts';
import { lockSessions, takeLock } from '../locks.ts';
import { OldEvents } from './old-events.ts';
import type { Budget } from './old-events.ts';

/** Rows that one step may touch; it holds locks that accepting and working may wait for. */
const STEP_ROWS = 200;
/** Keys that a step looks at: their order is that of their digests, so those that have run out lie among the others. */
const STEP_KEYS = 4000;
const KEPT_MINUTES = ACTIVITY_KEPT_MS / MINUTE_MS;

/** Each finds some of one kind by age and deletes it: $1 is a time, $2 how many. */
const DEAD_WITHOUT_EVENT = deleteSome(
  'work',
  'id',
  `stage = 'dead' AND event_id IS NULL AND since < $1`,
);
const OLD_REFUSALS = deleteSome('refusals', 'n', 'at < $1');
const OLD_CHANNEL_FAILURES = deleteSome(
  'meta',
  'key',
  `key LIKE '${CHANNEL_FAILURE_KEYS}' AND substring(value from '${CHANNEL_TIME}')::bigint < $1`,
);
const ENDED_CONSOLE_SESSIONS = deleteSome('console_sessions', 'digest', 'ends_at <= $1');
const OLD_ACTIVITY = deleteSome('activity', 'minute', `minute < $1 - ${KEPT_MINUTES}`);
/** Of clocks that are set ahead again and again. */
const ACTIVITY_AHEAD = `DELETE FROM @schema.activity WHERE minute IN
  (SELECT minute FROM @schema.activity WHERE minute > $1 ORDER BY minute OFFSET ${KEPT_MINUTES} LIMIT $2) RETURNING 1`;

const OLD_TURNS = 'isolated IN (true, false) AND at < $1';
const OLD_ISOLATED_TURNS = 'isolated AND at < $1';
const IS_EMPTY = 'NOT EXISTS (SELECT FROM @schema.turns WHERE session = key)';
const FORGET_RUNNERS = `UPDATE @schema.sessions SET runner = NULL, runner_session = NULL
  WHERE key = ANY ($1::text[]) AND ${IS_EMPTY}`;
const FORGET_SESSIONS = `DELETE FROM @schema.sessions WHERE key = ANY ($1::text[]) AND channel IS NULL AND ${IS_EMPTY}
  AND NOT EXISTS (SELECT FROM @schema.system_events WHERE session = key)`;

/** A stretch of all keys, in their order. */
const EXPIRED_KEYS = `WITH stretch AS MATERIALIZED
    (SELECT name, keep_until FROM @schema.idempotency WHERE name > $1 ORDER BY name LIMIT ${STEP_KEYS}),
  gone AS (DELETE FROM @schema.idempotency WHERE keep_until <= $2
    AND name IN (SELECT name FROM stretch WHERE keep_until <= $2 ORDER BY name))
  SELECT max(name) AS last, count(*) FILTER (WHERE keep_until <= $2) AS expired, count(*) AS looked_at FROM stretch`;

/** Forgets a small step's worth at a time. */
export class Pruning {
  readonly #database: Database;
  readonly #belief: ClockBelief;
  readonly #events = new OldEvents();
  /** Where the next step goes on among the idempotency keys. */
  #keysFrom = '';

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#belief = new ClockBelief(clock);
  }

  /** True: there is more to do. */
  async step(retention: Retention): Promise<boolean> {
    const { payloadsBefore, eventsBefore, now } = retention;
    const budget = { left: STEP_ROWS };
    if (!(await this.#forgetEvents(budget, retention))) return false;
    await this.#forgetTurns(budget, OLD_TURNS, eventsBefore);
    await this.#forgetTurns(budget, OLD_ISOLATED_TURNS, payloadsBefore);
    await this.#spend(budget, DEAD_WITHOUT_EVENT, eventsBefore);
    await this.#spend(budget, OLD_REFUSALS, eventsBefore);
    await this.#spend(budget, OLD_CHANNEL_FAILURES, eventsBefore);
    await this.#spend(budget, ENDED_CONSOLE_SESSIONS, now);
    await this.#spend(budget, OLD_ACTIVITY, minuteOf(now));
    await this.#spend(budget, ACTIVITY_AHEAD, minuteOf(now));
    await this.#forgetKeys(budget, now);
    return budget.left <= 0;
  }

  /** False: nothing may be forgotten by this clock. */
  async #forgetEvents(budget: Budget, retention: Retention): Promise<boolean> {
    try {
      return await this.#database.transaction(async (run) => {
        budget.left = STEP_ROWS;
        await takeLock(this.#database, run, 'forgetting');
        const isBelieved = await this.#belief.isBelieved(run);
        if (isBelieved) await this.#events.forget(run, budget, retention);
        return isBelieved;
      });
    } catch (error) {
      this.#events.beginAnew();
      throw error;
    }
  }

  /** What the runner remembers goes with the last turn, and so does a session that never spoke to a channel. */
  async #forgetTurns(budget: Budget, which: string, before: number): Promise<void> {
    if (budget.left <= 0) return;
    const found = `SELECT n, session FROM @schema.turns WHERE ${which} LIMIT $2`;
    const turns = await this.#database.query(found, [before, budget.left]);
    if (turns.length === 0) return;
    const sessions = [...new Set(turns.map((row) => text(row, 'session')))];
    await this.#database.transaction(async (run) => {
      // Nothing comes into these sessions while it is decided whether there is anything in them.
      await lockSessions(this.#database, run, sessions);
      await run('DELETE FROM @schema.turns WHERE n = ANY ($1::bigint[])', [
        turns.map((row) => integer(row, 'n')),
      ]);
      await run(FORGET_RUNNERS, [sessions]);
      await run(FORGET_SESSIONS, [sessions]);
    });
    budget.left -= turns.length;
  }

  /** Goes round all keys, a stretch in each step: no index of their ends is needed. */
  async #forgetKeys(budget: Budget, now: number): Promise<void> {
    if (budget.left <= 0) return;
    const [row] = await this.#database.query(EXPIRED_KEYS, [this.#keysFrom, now]);
    const isWhole = integer(row!, 'looked_at') === STEP_KEYS;
    this.#keysFrom = isWhole ? text(row!, 'last') : '';
    budget.left -= integer(row!, 'expired');
  }

  /** Runs a statement that deletes up to what is left of the budget. */
  async #spend(budget: Budget, statement: string, before: number): Promise<void> {
    if (budget.left <= 0) return;
    budget.left -= (await this.#database.query(statement, [before, budget.left])).length;
  }
}

function deleteSome(table: string, key: string, which: string): string {
  return `DELETE FROM @schema.${table} WHERE ${key} IN
    (SELECT ${key} FROM @schema.${table} WHERE ${which} LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING 1`;
}

// The clock of an instance may be set, by years, and one instance that forgot by such a clock would forget what all of them
// keep. So nothing is forgotten by a clock that leapt ahead, until it has stood for a day.

/** All instances may have been off for so long without anybody wondering. */
const LONGEST_ABSENCE_MS = 3_600_000;
/** So long a clock that leapt ahead has to stand, while the instance runs, before anything is forgotten by it. */
const PROBATION_MS = 86_400_000;

const READ = `SELECT value FROM @schema.meta WHERE key = 'believed'`;
const WRITE = `INSERT INTO @schema.meta (key, value) VALUES ('believed', $1)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`;

/** Whether things may be forgotten by the clock of this instance. */
class ClockBelief {
  readonly #clock: Clock;
  #askedAt: number;
  /** How long a clock that is not believed has stood. */
  #stood = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#askedAt = clock.elapsed();
  }

  /**
   * Asked with every step of pruning, inside its transaction. All instances share the latest time that was believed; this
   * one knows how long it is since it asked.
   */
  async isBelieved(run: Run): Promise<boolean> {
    const [now, elapsed] = [this.#clock.now(), this.#clock.elapsed()];
    const passed = Math.max(0, elapsed - this.#askedAt);
    this.#askedAt = elapsed;
    this.#stood += passed;
    const [row] = await run(READ);
    const believed = row === undefined ? now : Number(text(row, 'value'));
    const isBelieved = now - believed - passed <= LONGEST_ABSENCE_MS || this.#stood >= PROBATION_MS;
    if (!isBelieved) return false;
    this.#stood = 0;
    if (now > believed || row === undefined) await run(WRITE, [String(now)]);
    return true;
  }
}
