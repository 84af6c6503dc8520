// Forgetting events: their bodies (payloads, words of actions, prompts, replies) first, the whole of them later.
//
// Events lie in the order in which they were accepted, which is nearly that of their age, so the old ones are at the
// beginning and no index is needed. Bodies are forgotten from a mark on (`meta`) that moves on with every step. An event
// that is not over when the mark passes it is marked itself (`look_again`), and has its turn once it is.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Retention } from '../../../../hooks/ports/ledger.ts';
import { mainSession } from '../../../../hooks/ports/jobs.ts';
import { idOf } from '../../id-keys.ts';
import { decodeHead, decodeOnlyWake, withoutBodies } from '../../../stored-head.ts';
import { integer, optionalInteger, text } from '../../../rows.ts';
import type { Row } from '../../../rows.ts';

/** Nothing of these is left to do. */
const ENDED = new Set(['done', 'failed', 'skipped']);

/** How many rows a step may still touch. */
export interface Budget {
  left: number;
}

/** Finds old events and forgets them, as far as a step goes. */
export class OldEvents {
  readonly #sql: ReturnType<typeof prepareStatements>;

  constructor(db: DatabaseSync) {
    this.#sql = prepareStatements(db);
  }

  forget(budget: Budget, { payloadsBefore, eventsBefore, now }: Retention): void {
    for (const row of this.#deletable(eventsBefore, now, budget.left)) {
      if (budget.left > 0) this.#delete(row, budget);
    }
    if (budget.left > 0) this.#clearOverdue(payloadsBefore, budget);
    if (budget.left > 0) this.#clearFromMark(payloadsBefore, now, budget);
  }

  /** The oldest that are over and whose keys have run out. */
  #deletable(before: number, now: number, max: number): Row[] {
    const found: Row[] = [];
    for (const row of this.#sql.fromBeginning.iterate()) {
      if (found.length === max || isYoung(row, before, now)) break;
      const isOld = integer(row, 'received_at') < before && integer(row, 'kept_until') <= now;
      if (isOld && hasEnded(row)) found.push(row);
    }
    return found;
  }

  /** Those that were not over when the mark passed them. */
  #clearOverdue(before: number, budget: Budget): void {
    for (const row of this.#sql.overdue.all(before)) {
      if (budget.left > 0) this.#clearBodies(row, budget);
    }
  }

  #clearFromMark(before: number, now: number, budget: Budget): void {
    const rows: Row[] = [];
    for (const row of this.#sql.fromMark.iterate()) {
      if (rows.length === budget.left || isYoung(row, before, now)) break;
      rows.push(row);
    }
    let mark: number | null = null;
    for (const row of rows) {
      if (budget.left <= 0) break;
      mark = integer(row, 'key');
      if (hasEnded(row) && integer(row, 'received_at') < before) this.#clearBodies(row, budget);
      else budget.left -= Number(this.#sql.lookAgain.run(mark).changes);
    }
    if (mark !== null) this.#sql.setMark.run(String(mark));
  }

  /** Bodies go with all that repeats them, however many rows they are. */
  #clearBodies(row: Row, budget: Budget): void {
    this.#giveWords(row);
    const key = integer(row, 'key');
    const head = withoutBodies(decodeHead(text(row, 'head')));
    budget.left -= Number(this.#sql.clear.run(JSON.stringify(head), key).changes);
    budget.left -= Number(this.#sql.clearRuns.run(key).changes);
    for (const statement of this.#sql.clearDeadWork) spendOn(budget, statement, toId(row));
  }

  #delete(row: Row, budget: Budget): void {
    this.#giveWords(row);
    for (const statement of this.#sql.delete) spendOn(budget, statement, integer(row, 'key'));
    spendOn(budget, this.#sql.deleteDeadWork, toId(row));
  }

  /** A system event that still waits is left with words of its own. */
  #giveWords(row: Row): void {
    const seq = optionalInteger(row, 'shown_as');
    if (seq === null) return;
    const payload = text(this.#sql.payload.get(integer(row, 'key'))!, 'payload');
    const wake = decodeOnlyWake(text(row, 'head'), payload);
    const trust = JSON.stringify(wake.trust);
    const words = [integer(row, 'received_at'), text(row, 'hook'), trust, wake.text];
    this.#sql.giveWords.run(...words, mainSession(wake.agentId), seq, integer(row, 'key'));
  }
}

/**
 * Whether everything behind it is younger still. One that is from the future is not: the clock was wrong then, and must
 * not hold up the others.
 */
function isYoung(row: Row, before: number, now: number): boolean {
  const receivedAt = integer(row, 'received_at');
  return receivedAt >= before && receivedAt <= now;
}

function hasEnded(row: Row): boolean {
  return ENDED.has(text(row, 'status'));
}

function toId(row: Row): string {
  return idOf(integer(row, 'key'), text(row, 'rest'));
}

function spendOn(budget: Budget, statement: StatementSync, of: number | string): void {
  budget.left -= Number(statement.run(of).changes);
}

/** The order of keys is the order of acceptance. `shown_as` is null once the words were given. */
function prepareStatements(db: DatabaseSync) {
  const all = (...sql: readonly string[]) => sql.map((statement) => db.prepare(statement));
  const select = `SELECT key, rest, hook, received_at, status, kept_until, shown_as, head FROM events`;
  return {
    payload: db.prepare('SELECT payload FROM events WHERE key = ?'),
    fromBeginning: db.prepare(`${select} ORDER BY key`),
    fromMark: db.prepare(
      `${select} WHERE key > ifnull((SELECT CAST(value AS INTEGER) FROM meta
       WHERE meta.key = 'bodies_forgotten_to'), -9e15) ORDER BY key`,
    ),
    overdue: db.prepare(
      `${select} WHERE look_again = 1 AND received_at < ?
       AND status IN (${[...ENDED].map((status) => `'${status}'`).join(', ')}) LIMIT 200`,
    ),
    setMark: db.prepare(
      `INSERT OR REPLACE INTO meta (key, value) VALUES ('bodies_forgotten_to', ?)`,
    ),
    lookAgain: db.prepare('UPDATE events SET look_again = 1 WHERE key = ?'),
    clear: db.prepare(
      `UPDATE events SET payload = NULL, head = ?, look_again = 0, shown_as = NULL WHERE key = ?`,
    ),
    clearRuns: db.prepare(
      `UPDATE runs SET prompt = NULL, reply = NULL, summary = NULL, tool_calls =
         (SELECT json_group_array(json_set(value, '$.input', NULL, '$.result', NULL))
          FROM json_each(tool_calls)) WHERE event = ?`,
    ),
    clearDeadWork: all(
      `DELETE FROM parts WHERE work_id IN
       (SELECT id FROM work WHERE event_id = ? AND stage = 'dead')`,
      `UPDATE work SET job = NULL WHERE event_id = ? AND stage = 'dead'`,
    ),
    delete: all(
      'DELETE FROM events WHERE key = ?',
      'DELETE FROM runs WHERE event = ?',
      'DELETE FROM deliveries WHERE event = ?',
    ),
    deleteDeadWork: db.prepare(`DELETE FROM work WHERE event_id = ? AND stage = 'dead'`),
    giveWords: db.prepare(
      `UPDATE system_events SET at = ?, hook = ?, trust = ?, text = ?
       WHERE session = ? AND seq = ? AND event = ? AND text IS NULL`,
    ),
  };
}
