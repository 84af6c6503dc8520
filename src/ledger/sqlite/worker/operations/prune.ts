// Forgetting what is old: whole events, payloads, prompts and replies, then transcripts, dead work that belongs to no
// event, refusals, why channels failed, ended sessions of the console, counts, and idempotency keys; then the pages that
// this left free. Unfinished events are never touched.
//
// The main thread asks for one step after the other until a step has room left (hooks/work/retention.ts). Each step is
// one call among others in a batch, and has a budget of rows. A process that ends between two steps loses nothing: the
// next one finds what is left by the same queries.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Retention } from '../../../../hooks/ports/ledger.ts';
import { minuteOf } from '../../../activity-rows.ts';
import { prepareOldActivity } from './activity.ts';
import { CHANNEL_FAILURE_KEYS } from '../../../channel-rows.ts';
import { ExpiredKeys } from '../intake/idempotency.ts';
import { OldEvents } from './old-events.ts';
import type { Budget } from './old-events.ts';
import { integer, text } from '../../../rows.ts';

/** Rows that one step may touch; a step shares the writer with accepted events and must never hold them up for long. */
const STEP_ROWS = 200;
/** Pages that one step may give back to the disk. */
const STEP_PAGES = 200;
/** A file keeps up to this share of free pages, since what comes next needs them again. */
const KEPT_FREE_SHARE = 0.1;
/** Nor is it worth the trouble below so many. */
const KEPT_FREE_PAGES = 256;

/** Forgets a small step's worth at a time. */
export class Pruning {
  readonly #onForgotten: (session: string) => void;
  readonly #db: DatabaseSync;
  readonly #events: OldEvents;
  readonly #keys: ExpiredKeys;
  readonly #sql: ReturnType<typeof prepareStatements>;
  #forgot: 'nothing' | 'something' | 'all' = 'nothing';

  /** @param onForgotten is called for every session that was forgotten as a whole. */
  constructor(db: DatabaseSync, onForgotten: (session: string) => void) {
    this.#db = db;
    this.#onForgotten = onForgotten;
    this.#events = new OldEvents(db);
    this.#keys = new ExpiredKeys(db);
    this.#sql = prepareStatements(db);
  }

  /** True: there is more to do. */
  step(retention: Retention): boolean {
    const { payloadsBefore, eventsBefore, now } = retention;
    const sql = this.#sql;
    const budget = { left: STEP_ROWS };
    this.#events.forget(budget, retention);
    if (budget.left > 0) this.#forgetTurns(budget, sql.oldTurns, eventsBefore);
    if (budget.left > 0) this.#forgetTurns(budget, sql.oldIsolatedTurns, payloadsBefore);
    if (budget.left > 0) spend(budget, sql.deadWithoutEvent, eventsBefore);
    if (budget.left > 0) spend(budget, sql.oldRefusals, eventsBefore);
    if (budget.left > 0) spend(budget, sql.oldChannelFailures, eventsBefore);
    if (budget.left > 0) spend(budget, sql.endedConsoleSessions, now);
    if (budget.left > 0) spend(budget, sql.oldActivity, minuteOf(now));
    if (budget.left > 0) spend(budget, sql.activityAhead, minuteOf(now));
    if (budget.left > 0) this.#keys.forget(budget, now);
    const hasFreePages = this.#shrink();
    const hasMore = budget.left <= 0 || hasFreePages;
    if (budget.left < STEP_ROWS) this.#forgot = 'something';
    if (this.#forgot === 'something' && !hasMore) this.#forgot = 'all';
    return hasMore;
  }

  /** True, once: everything that was old is forgotten, and some of it just now. */
  takeForgotten(): boolean {
    if (this.#forgot !== 'all') return false;
    this.#forgot = 'nothing';
    return true;
  }

  /** Something was forgotten by an operator's word: the log is not to hold it any longer either. */
  noteForgotten(): void {
    if (this.#forgot === 'nothing') this.#forgot = 'all';
  }

  /** What the runner remembers goes with the last turn, and so does a session that never spoke to a channel. */
  #forgetTurns(budget: Budget, statement: StatementSync, before: number): void {
    const gone = statement.all(before, budget.left);
    budget.left -= gone.length;
    for (const session of new Set(gone.map((row) => text(row, 'session')))) {
      this.#sql.forgetRunner.run(session);
      if (this.#sql.forgetSession.run(session).changes !== 0) this.#onForgotten(session);
    }
  }

  /** Gives free pages back to the disk. True: there are more. */
  #shrink(): boolean {
    const row = this.#sql.freePages.get()!;
    const kept = Math.max(KEPT_FREE_PAGES, integer(row, 'pages') * KEPT_FREE_SHARE);
    const surplus = Math.floor(integer(row, 'free') - kept);
    if (surplus <= 0) return false;
    // `exec` takes every step of the pragma, which is one per page.
    this.#db.exec(`PRAGMA incremental_vacuum(${Math.min(STEP_PAGES, surplus)})`);
    return surplus > STEP_PAGES;
  }
}

/** Each kind of what is forgotten has a statement that finds some of it by age. */
function prepareStatements(db: DatabaseSync) {
  const turns = (which: string) =>
    db.prepare(
      `DELETE FROM turns WHERE n IN (SELECT n FROM turns WHERE ${which} AND at < ? LIMIT ?)
       RETURNING session`,
    );
  const isEmpty = 'NOT EXISTS (SELECT 1 FROM turns WHERE session = key)';
  return {
    ...prepareOldActivity(db),
    freePages: db.prepare(
      `SELECT freelist_count AS free, page_count AS pages
       FROM pragma_freelist_count, pragma_page_count`,
    ),
    oldTurns: turns('isolated IN (0, 1)'),
    oldIsolatedTurns: turns('isolated = 1'),
    forgetRunner: db.prepare(
      `UPDATE sessions SET runner = NULL, runner_session = NULL WHERE key = ? AND ${isEmpty}`,
    ),
    forgetSession: db.prepare(
      `DELETE FROM sessions WHERE key = ? AND channel IS NULL AND ${isEmpty}
       AND NOT EXISTS (SELECT 1 FROM system_events WHERE session = key)`,
    ),
    deadWithoutEvent: db.prepare(
      `DELETE FROM work WHERE id IN (SELECT id FROM work
       WHERE stage = 'dead' AND event_id IS NULL AND since < ? LIMIT ?)`,
    ),
    oldRefusals: db.prepare(
      'DELETE FROM refusals WHERE n IN (SELECT n FROM refusals WHERE at < ? LIMIT ?)',
    ),
    oldChannelFailures: db.prepare(
      `DELETE FROM meta WHERE key IN (SELECT key FROM meta
       WHERE iif(key LIKE '${CHANNEL_FAILURE_KEYS}', value ->> 'at' < ?, 0) LIMIT ?)`,
    ),
    endedConsoleSessions: db.prepare(
      `DELETE FROM console_sessions WHERE digest IN
       (SELECT digest FROM console_sessions WHERE ends_at <= ? LIMIT ?)`,
    ),
  };
}

/** Runs a statement that deletes up to what is left of the budget. */
function spend(budget: Budget, statement: StatementSync, before: number): void {
  budget.left -= Number(statement.run(before, budget.left).changes);
}
