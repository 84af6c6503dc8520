// Erasing by an operator's word: an event with all that repeats it, or whatever has certain words. What is forgotten by age
// is in old-events.ts and prune.ts; the log is emptied and the index follows alike.
import type { DatabaseSync } from 'node:sqlite';
import type { Forgotten, ForgottenStep } from '../../../../hooks/ports/ledger.ts';
import { ERASABLE, STEP_TURNS, matchingRows, sessionsShown } from '../../../erasable-rows.ts';
import type { ErasableRows } from '../../../erasable-rows.ts';
import { integer, text } from '../../../rows.ts';
import type { Row } from '../../../rows.ts';
import { decodeHead, tombstone } from '../../../stored-head.ts';
import { keyOf, restOf } from '../../id-keys.ts';
import type { SystemEvents } from '../sessions/system-events.ts';
import type { WorkQueue } from '../work/queue.ts';

/** The tables that others remember something of. */
interface Remembered {
  readonly queue: WorkQueue;
  readonly systemEvents: SystemEvents;
  /** Keys of events that are another now. */
  readonly changedEvents: Set<number>;
}

/** Erases what an operator names. */
export class Erasing {
  readonly #db: DatabaseSync;
  readonly #remembered: Remembered;
  readonly #sql: ReturnType<typeof prepareStatements>;

  constructor(db: DatabaseSync, remembered: Remembered) {
    this.#db = db;
    this.#remembered = remembered;
    this.#sql = prepareStatements(db);
  }

  /** Erases an event. Null: it is unknown; `under-way`: what has begun would write its words again. */
  event(eventId: string, now: number): Forgotten | 'under-way' | null {
    const sql = this.#sql;
    const { queue, changedEvents } = this.#remembered;
    const key = keyOf(eventId);
    const row = sql.event.get(key);
    if (key === null || row === undefined || text(row, 'rest') !== restOf(eventId)) return null;
    const head = decodeHead(text(row, 'head'));
    const sessions = JSON.stringify(sessionsShown(sql.runs.all(key), head));
    if (sql.underWay.get(eventId, sessions) !== undefined) return 'under-way';
    for (const work of sql.work.all(eventId)) queue.withdraw(work);
    const lines = this.#noteLines(sql.lines.all(sessions, key));
    const turns = this.#noteTurns(sql.turns.all(sessions, eventId));
    for (const statement of sql.ofEvent) statement.run(key);
    sql.badEnds.run(eventId);
    sql.bury.run(JSON.stringify(tombstone(head, now)), key);
    changedEvents.add(key);
    return { turns, lines, refusals: 0 };
  }

  /** Erases what has all of the terms and is part of no event. */
  matching(terms: readonly string[], from: number): ForgottenStep {
    const { someTurns, turn } = this.#sql;
    const rows = someTurns.all(from, STEP_TURNS);
    const found = matchingRows(rows, ['session', 'prompt', 'reply'], terms);
    for (const row of found) turn.run(integer(row, 'n'));
    const turns = this.#noteTurns(found);
    const last = rows.at(-1);
    const next = rows.length === STEP_TURNS && last !== undefined ? integer(last, 'n') : null;
    if (from > 0) return { turns, lines: 0, refusals: 0, next };
    const lines = this.#noteLines(this.#erase(ERASABLE.lines, terms));
    const refusals = this.#erase(ERASABLE.refusals, terms).length;
    this.#erase(ERASABLE.others, terms);
    return { turns, lines, refusals, next };
  }

  #erase(tables: readonly ErasableRows[], terms: readonly string[]): readonly Row[] {
    return tables.flatMap(({ table, key, words, where, clear }) => {
      const all = this.#db.prepare(
        `SELECT ${[...key, ...words].join()} FROM ${table} WHERE ${where}`,
      );
      const found = matchingRows(all.all(), words, terms);
      const act = clear === undefined ? `DELETE FROM ${table}` : `UPDATE ${table} SET ${clear}`;
      const one = this.#db.prepare(`${act} WHERE (${key.join()}) = (${key.map(() => '?').join()})`);
      for (const row of found) one.run(...key.map((column) => keyPart(row, column)));
      return found;
    });
  }

  #noteLines(lines: readonly Row[]): number {
    for (const line of lines) this.#remembered.systemEvents.forget(text(line, 'session'));
    return lines.length;
  }

  /** What the runner remembers by itself goes with what it was shown. */
  #noteTurns(turns: readonly Row[]): number {
    for (const turn of turns) this.#sql.runner.run(text(turn, 'session'));
    return turns.length;
  }
}

function keyPart(row: Row, column: string): string | number {
  return typeof row[column] === 'number' ? integer(row, column) : text(row, column);
}

function prepareStatements(db: DatabaseSync) {
  const inSessions = 'session IN (SELECT value FROM json_each(?))';
  return {
    event: db.prepare('SELECT rest, head FROM events WHERE key = ?'),
    runs: db.prepare('SELECT agent_id, session_key FROM runs WHERE event = ?'),
    // A turn that has begun writes down what it was shown, which may be this event.
    underWay: db.prepare(
      `SELECT 1 FROM work WHERE stage = 'leased'
       AND (event_id = ? OR (lane = 'turn' AND key IN (SELECT value FROM json_each(?))))`,
    ),
    work: db.prepare('SELECT id, lane, key, kind, hook, stage FROM work WHERE event_id = ?'),
    lines: db.prepare(
      `DELETE FROM system_events WHERE ${inSessions} AND event = ? RETURNING session`,
    ),
    turns: db.prepare(
      `DELETE FROM turns WHERE ${inSessions} AND instr(events, ?) > 0 RETURNING session`,
    ),
    runner: db.prepare('UPDATE sessions SET runner = NULL, runner_session = NULL WHERE key = ?'),
    ofEvent: [
      db.prepare('DELETE FROM runs WHERE event = ?'),
      db.prepare('DELETE FROM deliveries WHERE event = ?'),
    ],
    badEnds: db.prepare('DELETE FROM bad_ends WHERE event_id = ?'),
    bury: db.prepare(
      `UPDATE events SET payload = NULL, head = ?, error = NULL, look_again = 0, shown_as = NULL,
         beats_open = 0, beats_failed = 0, status = 'skipped' WHERE key = ?`,
    ),
    someTurns: db.prepare(
      'SELECT n, session, prompt, reply FROM turns WHERE n > ? ORDER BY n LIMIT ?',
    ),
    turn: db.prepare('DELETE FROM turns WHERE n = ?'),
  };
}
