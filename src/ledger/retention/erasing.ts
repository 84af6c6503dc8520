// Erasing by an operator's word: an event with all that repeats it, or whatever has certain words. What is forgotten by
// age is in old-events.ts and pruning.ts. The keys and sessions that are touched are locked before anything is looked at,
// and work of theirs with its rows: so no step begins meanwhile that would write down what is about to go.
import type { Forgotten, ForgottenStep } from '../../hooks/ports/ledger-admin.ts';
import { batchesOf, handOver, leaveBatches, questionsOf } from './batches.ts';
import { ERASABLE, STEP_TURNS, matchingRows, sessionsShown } from '../erasable-rows.ts';
import type { ErasableRows } from '../erasable-rows.ts';
import { integer, isTrue, text } from '../rows.ts';
import type { Row } from '../rows.ts';
import { decodeHead, tombstone } from '../stored-head.ts';
import { first, sessionLock } from '../tx.ts';
import type { Tx, Value } from '../tx.ts';
import { Touched, settle } from '../work/settlement.ts';
import { addWork, lockOfWork, withdraw } from '../work/queue.ts';
import { forgettingWork, openQuestions } from '../work/waits.ts';

const EVENT = 'SELECT ID(e) AS id, head FROM @events e WHERE KEY(e) = $1';
const RUNS = 'SELECT agent_id, session_key FROM @runs WHERE event = $1';
const KEYS = 'SELECT lane, key FROM @work WHERE event_id = $1';
/** A turn that has begun writes down what it was shown, which may be this event. */
const WORK = `SELECT id, lane, key, kind, hook, stage, coalesce(event_id = $1, false) AS own FROM @work
  WHERE event_id = ANY ($3::uuid[]) OR (lane = 'turn' AND key = ANY ($2::text[])) ORDER BY id FOR UPDATE`;
const LINES = `DELETE FROM @system_events WHERE session = ANY ($1::text[]) AND event = $2 RETURNING session`;
const TURNS = `DELETE FROM @turns WHERE session = ANY ($1::text[]) AND events LIKE '%' || $2 || '%' RETURNING session`;
/** What the runner remembers by itself goes with what it was shown. */
const FORGET_RUNNERS = `UPDATE @sessions SET runner = NULL, runner_session = NULL WHERE key = ANY ($1::text[])`;
const OF_EVENT = ['runs', 'deliveries', 'waits', 'questions'].map(
  (table) => `DELETE FROM @${table} WHERE event = $1`,
);
const BAD_ENDS = 'DELETE FROM @bad_ends WHERE event_id = $1';
const BURY = `UPDATE @events AS e SET payload = NULL, head = $2, error = NULL, look_again = false, shown_as = NULL,
  beats_open = 0, beats_failed = 0, status = 'skipped' WHERE KEY(e) = $1`;
const SOME_TURNS = `SELECT n, session, prompt, reply FROM @turns WHERE n > $1 ORDER BY n LIMIT ${STEP_TURNS}`;
const TAKE_TURNS = 'DELETE FROM @turns WHERE n = ANY ($1::bigint[])';

/** Erases an event. Null: it is unknown; `under-way`: what has begun would write its words again. */
export async function forgetEvent(
  tx: Tx,
  eventId: string,
): Promise<Forgotten | 'under-way' | null> {
  const key = tx.keys.of(eventId);
  const event = key === null ? undefined : await first(tx, EVENT, key);
  if (key === null || event === undefined || text(event, 'id') !== eventId) return null;
  const head = decodeHead(text(event, 'head'));
  const sessions = sessionsShown(await tx.all(RUNS, key), head);
  const keys = [...(await tx.all(KEYS, eventId))];
  const asked = await openQuestions(tx, key);
  const batches = await batchesOf(tx, key);
  const touching = [eventId, ...batches.values()];
  for (const [run, owner] of batches) {
    keys.push(...(await tx.all(KEYS, owner)));
    asked.push(...(await questionsOf(tx, run, owner)));
  }
  await tx.lock(() => [
    ...sessions.map(sessionLock),
    ...keys.map(keyName),
    ...asked.map(({ work }) => lockOfWork(work)),
  ]);
  const work = await tx.all(WORK, eventId, sessions, touching);
  if (work.some(({ stage }) => stage === 'leased')) return 'under-way';
  await leaveBatches(tx, batches, eventId);
  const handed = await handOver(tx, eventId);
  const left = handed.length === 0 ? work : await tx.all(WORK, eventId, sessions, touching);
  await withdraw(
    tx,
    left.filter((row) => isTrue(row, 'own')),
  );
  const lines = await tx.all(LINES, sessions, key);
  tx.memory.forgetSessions(lines.map(sessionOf));
  const turns = [];
  for (const id of touching) turns.push(...(await tx.all(TURNS, sessions, id)));
  await tx.run(FORGET_RUNNERS, turns.map(sessionOf));
  // Somebody may have decided before the locks.
  const edits = (await openQuestions(tx, key)).flatMap(forgettingWork);
  for (const statement of OF_EVENT) await tx.run(statement, key);
  await addWork(tx, edits);
  await tx.run(BAD_ENDS, eventId);
  await tx.run(BURY, key, JSON.stringify(tombstone(head, tx.now)));
  tx.changedEvents.add(key);
  const touched = new Touched();
  for (const id of [...handed, ...batches.values()]) touched.addId(tx, id);
  await settle(tx, touched);
  return { turns: turns.length, lines: lines.length, refusals: 0 };
}

/** Erases what has all of the terms and is part of no event. */
export async function forgetMatching(
  tx: Tx,
  terms: readonly string[],
  from: number,
): Promise<ForgottenStep> {
  const rows = await tx.all(SOME_TURNS, from);
  const found = matchingRows(rows, ['session', 'prompt', 'reply'], terms);
  await tx.run(
    TAKE_TURNS,
    found.map((row) => integer(row, 'n')),
  );
  await tx.run(FORGET_RUNNERS, found.map(sessionOf));
  const turns = found.length;
  const last = rows.at(-1);
  const next = rows.length === STEP_TURNS && last !== undefined ? integer(last, 'n') : null;
  if (from > 0) return { turns, lines: 0, refusals: 0, next };
  const lines = await erase(tx, ERASABLE.lines, terms);
  tx.memory.forgetSessions(lines.map(sessionOf));
  const refusals = await erase(tx, ERASABLE.refusals, terms);
  await erase(tx, ERASABLE.others, terms);
  return { turns, lines: lines.length, refusals: refusals.length, next };
}

function keyName(row: Row): string {
  return `key ${text(row, 'lane')} ${text(row, 'key')}`;
}

function sessionOf(row: Row): string {
  return text(row, 'session');
}

async function erase(
  tx: Tx,
  tables: readonly ErasableRows[],
  terms: readonly string[],
): Promise<Row[]> {
  const erased: Row[] = [];
  for (const { table, key, words, where, clear } of tables) {
    const all = await tx.all(`SELECT ${[...key, ...words].join()} FROM @${table} WHERE ${where}`);
    const act = clear === undefined ? `DELETE FROM @${table}` : `UPDATE @${table} SET ${clear}`;
    const places = key.map((_, index) => `$${index + 1}`).join();
    for (const row of matchingRows(all, words, terms)) {
      await tx.run(
        `${act} WHERE (${key.join()}) = (${places})`,
        ...key.map((column) => partOf(row, column)),
      );
      erased.push(row);
    }
  }
  return erased;
}

function partOf(row: Row, column: string): Value {
  return typeof row[column] === 'number' ? integer(row, column) : text(row, column);
}
