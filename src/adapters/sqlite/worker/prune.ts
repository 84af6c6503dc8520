// Forgetting what is old: payloads, prompts and replies first, whole events later, then transcripts, dead work that
// belongs to no event, refusals, and idempotency keys; then the pages that this left free. Unfinished events are never
// touched.
//
// The main thread asks for one step after the other until a step has room left (hooks/work/retention.ts). Each step is
// one call among others in a batch, and has a budget of rows. A process that ends between two steps loses nothing: the
// next one finds what is left by the same queries.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Retention } from '../../../hooks/ports/ledger.ts';
import { text } from './rows.ts';
import type { Row } from './rows.ts';

/** Rows that one step may touch; a step shares the writer with accepted events and must never hold them up for long. */
const STEP_ROWS = 200;
/** The tool calls of a run without what went in and came out. */
const BARE_TOOL_CALLS = `(SELECT json_group_array(json_set(value, '$.input', NULL, '$.result', NULL))
  FROM json_each(tool_calls))`;
/** The actions of an event without their words. */
const BARE_ACTIONS = `(SELECT json_group_array(json_remove(value, '$.text', '$.message')) FROM json_each(actions))`;
/** Nothing of the event is left to do. */
const ENDED = `status IN ('done', 'failed', 'skipped')`;

/** Pages that one step may give back to the disk. */
const STEP_PAGES = 200;
/** A file keeps up to this share of free pages, since what comes next needs them again. */
const KEPT_FREE_SHARE = 0.1;
/** Nor is it worth the trouble below so many. */
const KEPT_FREE_PAGES = 256;

/** How many rows a step may still touch. */
interface Budget {
  left: number;
}

/** Forgets a small step's worth at a time. */
export class Pruning {
  readonly #onForgotten: (session: string) => void;
  readonly #db: DatabaseSync;
  readonly #sql: ReturnType<typeof prepareStatements>;

  /** @param onForgotten is called for every session that was forgotten as a whole. */
  constructor(db: DatabaseSync, onForgotten: (session: string) => void) {
    this.#db = db;
    this.#onForgotten = onForgotten;
    this.#sql = prepareStatements(db);
  }

  /** True: there is more to do. */
  step({ payloadsBefore, eventsBefore, now }: Retention): boolean {
    const sql = this.#sql;
    const budget = { left: STEP_ROWS };
    forEachEvent(sql.oldEvents.all(eventsBefore, now).map(toId), sql.deleteEvent, budget);
    if (budget.left > 0) {
      forEachEvent(sql.withBodies.all(payloadsBefore).map(toId), sql.clearBodies, budget);
    }
    if (budget.left > 0) this.#forgetTurns(budget, sql.oldTurns, eventsBefore);
    if (budget.left > 0) this.#forgetTurns(budget, sql.oldIsolatedTurns, payloadsBefore);
    if (budget.left > 0) spend(budget, sql.deadWithoutEvent, eventsBefore);
    if (budget.left > 0) spend(budget, sql.oldRefusals, eventsBefore);
    if (budget.left > 0) spend(budget, sql.expiredKeys, now);
    const hasFreePages = this.#shrink();
    return budget.left <= 0 || hasFreePages;
  }

  /** Gives free pages back to the disk. True: there are more. */
  #shrink(): boolean {
    const { free, pages } = this.#sql.freePages.get()!;
    const surplus = Number(free) - Math.max(KEPT_FREE_PAGES, Number(pages) * KEPT_FREE_SHARE);
    if (surplus <= 0) return false;
    // `exec` takes every step of the pragma, which is one per page.
    this.#db.exec(`PRAGMA incremental_vacuum(${Math.min(STEP_PAGES, Math.ceil(surplus))})`);
    return surplus > STEP_PAGES;
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
}

/**
 * Each kind of what is forgotten has a query that finds some of it by age and statements that delete it. `pruned` is 1
 * when payload, prompts and replies of an event are gone.
 */
function prepareStatements(db: DatabaseSync) {
  const all = (sql: readonly string[]) => sql.map((statement) => db.prepare(statement));
  const turns = (which: string) =>
    db.prepare(
      `DELETE FROM turns WHERE n IN (SELECT n FROM turns WHERE ${which} AND at < ? LIMIT ?)
       RETURNING session`,
    );
  // In the order of the index, nearly by age: to sort would be to read everything old.
  const some = `LIMIT ${STEP_ROWS}`;
  const isEmpty = 'NOT EXISTS (SELECT 1 FROM turns WHERE session = key)';
  return {
    freePages: db.prepare(
      'SELECT freelist_count AS free, page_count AS pages FROM pragma_freelist_count, pragma_page_count',
    ),
    withBodies: db.prepare(
      `SELECT id FROM events WHERE pruned = 0 AND received_at < ? AND ${ENDED} ${some}`,
    ),
    clearBodies: all([
      `UPDATE events SET payload = NULL, pruned = 1, request = json_remove(request, '$.console'),
       actions = ${BARE_ACTIONS} WHERE id = ?`,
      `UPDATE runs SET prompt = NULL, reply = NULL, summary = NULL, tool_calls = ${BARE_TOOL_CALLS}
       WHERE event_id = ?`,
      `DELETE FROM parts WHERE work_id IN
       (SELECT id FROM work WHERE event_id = ? AND stage = 'dead')`,
      `UPDATE work SET job = NULL WHERE event_id = ? AND stage = 'dead'`,
    ]),
    oldEvents: db.prepare(
      `SELECT id FROM events WHERE pruned IN (0, 1) AND received_at < ? AND ${ENDED}
       AND kept_until <= ? ${some}`,
    ),
    deleteEvent: all([
      'DELETE FROM events WHERE id = ?',
      'DELETE FROM runs WHERE event_id = ?',
      'DELETE FROM deliveries WHERE event_id = ?',
      `DELETE FROM work WHERE event_id = ? AND stage = 'dead'`,
    ]),
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
    expiredKeys: db.prepare(
      `DELETE FROM idempotency WHERE (scope, key) IN
       (SELECT scope, key FROM idempotency WHERE keep_until <= ? ORDER BY keep_until LIMIT ?)`,
    ),
  };
}

function toId(row: Row): string {
  return text(row, 'id');
}

/** An event goes with all its rows, however many they are. */
function forEachEvent(
  ids: readonly string[],
  statements: readonly StatementSync[],
  budget: Budget,
): void {
  for (const id of ids) {
    if (budget.left <= 0) return;
    for (const statement of statements) budget.left -= Number(statement.run(id).changes);
  }
}

/** Runs a statement that deletes up to what is left of the budget. */
function spend(budget: Budget, statement: StatementSync, before: number): void {
  budget.left -= Number(statement.run(before, budget.left).changes);
}
