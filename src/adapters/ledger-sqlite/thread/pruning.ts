import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Retention } from '../../../hooks/ports/upkeep.ts';
import { text } from './row.ts';
import type { Row } from './row.ts';

/** Rows that one step may touch; a step must never hold up an accepted event for long. */
const STEP_ROWS = 200;
/** The tool calls of a run without what went in and came out. */
const BARE_TOOL_CALLS = `(SELECT json_group_array(json_set(value, '$.input', NULL, '$.result', NULL))
  FROM json_each(tool_calls))`;
const ENDED = `status IN ('done', 'failed', 'skipped')`;

/** Forgets what is old, a small step at a time. */
export class Pruning {
  readonly #withBodies: StatementSync;
  readonly #oldEvents: StatementSync;
  readonly #clearBodies: readonly StatementSync[];
  readonly #deleteEvent: readonly StatementSync[];
  readonly #onForgotten: (session: string) => void;
  readonly #oldTurns: StatementSync;
  readonly #oldIsolatedTurns: StatementSync;
  readonly #expiredKeys: StatementSync;
  readonly #deadWithoutEvent: StatementSync;
  readonly #forgetRunner: StatementSync;
  readonly #forgetSession: StatementSync;

  /** @param onForgotten hears of every session that was forgotten as a whole. */
  constructor(db: DatabaseSync, onForgotten: (session: string) => void) {
    this.#onForgotten = onForgotten;
    const all = (sql: readonly string[]) => sql.map((statement) => db.prepare(statement));
    // In the order of the index, nearly by age: to sort would be to read everything old.
    const some = `LIMIT ${STEP_ROWS}`;
    this.#withBodies = db.prepare(
      `SELECT id FROM events WHERE pruned = 0 AND received_at < ? AND ${ENDED} ${some}`,
    );
    this.#oldEvents = db.prepare(
      `SELECT id FROM events WHERE pruned IN (0, 1) AND received_at < ? AND ${ENDED}
       AND kept_until <= ? ${some}`,
    );
    this.#clearBodies = all([
      `UPDATE events SET payload = NULL, pruned = 1, request = json_remove(request, '$.console') WHERE id = ?`,
      `UPDATE runs SET prompt = NULL, reply = NULL, summary = NULL, tool_calls = ${BARE_TOOL_CALLS}
       WHERE event_id = ?`,
      `DELETE FROM parts WHERE work_id IN
       (SELECT id FROM work WHERE event_id = ? AND stage = 'dead')`,
      `UPDATE work SET work_order = NULL WHERE event_id = ? AND stage = 'dead'`,
    ]);
    this.#deleteEvent = all([
      'DELETE FROM events WHERE id = ?',
      'DELETE FROM runs WHERE event_id = ?',
      'DELETE FROM deliveries WHERE event_id = ?',
      `DELETE FROM work WHERE event_id = ? AND stage = 'dead'`,
    ]);
    const turns = (which: string) =>
      db.prepare(
        `DELETE FROM turns WHERE n IN (SELECT n FROM turns WHERE ${which} AND at < ? LIMIT ?)
         RETURNING session`,
      );
    this.#oldTurns = turns('isolated IN (0, 1)');
    this.#oldIsolatedTurns = turns('isolated = 1');
    const isEmpty = 'NOT EXISTS (SELECT 1 FROM turns WHERE session = key)';
    this.#forgetRunner = db.prepare(
      `UPDATE sessions SET runner = NULL, runner_session = NULL WHERE key = ? AND ${isEmpty}`,
    );
    this.#forgetSession = db.prepare(
      `DELETE FROM sessions WHERE key = ? AND channel IS NULL AND ${isEmpty}
       AND NOT EXISTS (SELECT 1 FROM system_events WHERE session = key)`,
    );
    this.#expiredKeys = db.prepare(
      `DELETE FROM idempotency WHERE (scope, key) IN
       (SELECT scope, key FROM idempotency WHERE keep_until <= ? ORDER BY keep_until LIMIT ?)`,
    );
    this.#deadWithoutEvent = db.prepare(
      `DELETE FROM work WHERE id IN (SELECT id FROM work
       WHERE stage = 'dead' AND event_id IS NULL AND since < ? LIMIT ?)`,
    );
  }

  /** True: there is more to do. */
  step({ payloadsBefore, eventsBefore, now }: Retention): boolean {
    const budget = { left: STEP_ROWS };
    forEachEvent(this.#oldEvents.all(eventsBefore, now).map(idOf), this.#deleteEvent, budget);
    if (budget.left > 0) {
      forEachEvent(this.#withBodies.all(payloadsBefore).map(idOf), this.#clearBodies, budget);
    }
    if (budget.left > 0) this.#forgetTurns(budget, this.#oldTurns, eventsBefore);
    if (budget.left > 0) this.#forgetTurns(budget, this.#oldIsolatedTurns, payloadsBefore);
    if (budget.left > 0) spend(budget, this.#deadWithoutEvent, eventsBefore);
    if (budget.left > 0) spend(budget, this.#expiredKeys, now);
    return budget.left <= 0;
  }

  /** What the runner remembers goes with the last turn, and so does a session that never spoke to a channel. */
  #forgetTurns(budget: { left: number }, statement: StatementSync, before: number): void {
    const gone = statement.all(before, budget.left);
    budget.left -= gone.length;
    for (const session of new Set(gone.map((row) => text(row, 'session')))) {
      this.#forgetRunner.run(session);
      if (this.#forgetSession.run(session).changes !== 0) this.#onForgotten(session);
    }
  }
}

function idOf(row: Row): string {
  return text(row, 'id');
}

/** An event goes with all its rows, however many they are. */
function forEachEvent(
  ids: readonly string[],
  statements: readonly StatementSync[],
  budget: { left: number },
): void {
  for (const id of ids) {
    if (budget.left <= 0) return;
    for (const statement of statements) budget.left -= Number(statement.run(id).changes);
  }
}

function spend(budget: { left: number }, statement: StatementSync, before: number): void {
  budget.left -= Number(statement.run(before, budget.left).changes);
}
