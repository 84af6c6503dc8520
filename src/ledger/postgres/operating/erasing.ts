// Erasing by an operator's word, as erasing.ts of the SQLite ledger does it. The keys and sessions that are touched are
// locked before anything is looked at, and work of theirs with its rows: so no step begins meanwhile that would write down
// what is about to go.
import type { Forgotten, ForgottenStep } from '../../../hooks/ports/ledger.ts';
import { ERASABLE, STEP_TURNS, matchingRows, sessionsShown } from '../../erasable-rows.ts';
import type { ErasableRows } from '../../erasable-rows.ts';
import { integer, text } from '../../rows.ts';
import type { Row } from '../../rows.ts';
import { decodeHead, tombstone } from '../../stored-head.ts';
import type { Database, Run } from '../connection.ts';
import { isId } from '../ids.ts';
import { lockSessions } from '../locks.ts';

const EVENT = 'SELECT head FROM @schema.events WHERE id = $1';
const RUNS = 'SELECT agent_id, session_key FROM @schema.runs WHERE event = $1';
const KEYS = 'SELECT lane, key FROM @schema.work WHERE event_id = $1';
const WORK = `SELECT id, lane, key, stage, event_id = $1 AS own FROM @schema.work
  WHERE event_id = $1 OR (lane = 'turn' AND key = ANY ($2::text[])) ORDER BY id FOR UPDATE`;
const LINES = `DELETE FROM @schema.system_events WHERE session = ANY ($2::text[]) AND event = $1 RETURNING 1`;
const TURNS = `DELETE FROM @schema.turns WHERE session = ANY ($2::text[]) AND position($1::text in events) > 0
  RETURNING session`;
const FORGET_RUNNERS = `UPDATE @schema.sessions SET runner = NULL, runner_session = NULL WHERE key = ANY ($1::text[])`;
const OF_EVENT = [
  'DELETE FROM @schema.runs WHERE event = $1',
  'DELETE FROM @schema.deliveries WHERE event = $1',
  'DELETE FROM @schema.bad_ends WHERE event_id = $1::text',
];
const BURY = `UPDATE @schema.events SET payload = NULL, head = $2, error = NULL, look_again = false, shown_as = NULL,
  beats_open = 0, beats_failed = 0, status = 'skipped' WHERE id = $1`;
const SOME_TURNS = `SELECT n, session, prompt, reply FROM @schema.turns WHERE n > $1 ORDER BY n LIMIT ${STEP_TURNS}`;
const TAKE_TURNS = 'DELETE FROM @schema.turns WHERE n = ANY ($1::bigint[])';

/** Erases what an operator names. */
export class Erasing {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Erases an event. Null: it is unknown; `under-way`: what has begun would write its words again. */
  event(eventId: string, now: number): Promise<Forgotten | 'under-way' | null> {
    if (!isId(eventId)) return Promise.resolve(null);
    return this.#database.transaction(async (run) => {
      const [event] = await run(EVENT, [eventId]);
      if (event === undefined) return null;
      const head = decodeHead(text(event, 'head'));
      const sessions = sessionsShown(await run(RUNS, [eventId]), head);
      const keys = await run(KEYS, [eventId]);
      await lockSessions(this.#database, run, sessions, keys.map(keyName));
      const work = await run(WORK, [eventId, sessions]);
      if (work.some(({ stage }) => stage === 'leased')) return 'under-way';
      await this.#withdraw(
        run,
        work.filter(({ own }) => own === true),
      );
      const lines = await run(LINES, [eventId, sessions]);
      const turns = await run(TURNS, [eventId, sessions]);
      await run(FORGET_RUNNERS, [turns.map((row) => text(row, 'session'))]);
      for (const statement of OF_EVENT) await run(statement, [eventId]);
      await run(BURY, [eventId, JSON.stringify(tombstone(head, now))]);
      return { turns: turns.length, lines: lines.length, refusals: 0 };
    });
  }

  /** Erases what has all of the terms and is part of no event. */
  matching(terms: readonly string[], from: number): Promise<ForgottenStep> {
    return this.#database.transaction(async (run) => {
      const rows = await run(SOME_TURNS, [from]);
      const found = matchingRows(rows, ['session', 'prompt', 'reply'], terms);
      await run(TAKE_TURNS, [found.map((row) => integer(row, 'n'))]);
      await run(FORGET_RUNNERS, [found.map((row) => text(row, 'session'))]);
      const last = rows.at(-1);
      const next = rows.length === STEP_TURNS && last !== undefined ? integer(last, 'n') : null;
      if (from > 0) return { turns: found.length, lines: 0, refusals: 0, next };
      const lines = await erase(run, ERASABLE.lines, terms);
      const refusals = await erase(run, ERASABLE.refusals, terms);
      await erase(run, ERASABLE.others, terms);
      return { turns: found.length, lines, refusals, next };
    });
  }

  /** The next of each key is up; keys are locked. */
  async #withdraw(run: Run, work: readonly Row[]): Promise<void> {
    await run('DELETE FROM @schema.work WHERE id = ANY ($1::bigint[])', [
      work.map((row) => integer(row, 'id')),
    ]);
    const wasFirst = ({ stage }: Row) => !['dead', 'blocked', 'deferred'].includes(String(stage));
    for (const row of work.filter(wasFirst)) {
      const key = [text(row, 'lane'), text(row, 'key')];
      await run(`SELECT ${this.#database.fn('promote')}($1, $2)`, key);
    }
  }
}

function keyName(row: Row): string {
  return `key ${text(row, 'lane')} ${text(row, 'key')}`;
}

/** @returns how many rows */
async function erase(
  run: Run,
  tables: readonly ErasableRows[],
  terms: readonly string[],
): Promise<number> {
  let count = 0;
  for (const { table, key, words, where, clear } of tables) {
    const columns = [...key, ...words].join();
    const all = await run(`SELECT ${columns} FROM @schema.${table} WHERE ${where}`);
    const act =
      clear === undefined ? `DELETE FROM @schema.${table}` : `UPDATE @schema.${table} SET ${clear}`;
    const places = key.map((_, index) => `$${index + 1}`).join();
    for (const row of matchingRows(all, words, terms)) {
      await run(
        `${act} WHERE (${key.join()}) = (${places})`,
        key.map((column) => row[column]),
      );
      count += 1;
    }
  }
  return count;
}
