// Erasing by an operator's word: an event with all that repeats it. What is forgotten by age is in old-events.ts and
// pruning.ts. The keys and sessions that are touched are locked before anything is looked at,
// and work of theirs with its rows: so no step begins meanwhile that would write down what is about to go.
import { fullSessionKey, mainSession } from '../../hooks/ports/jobs.ts';
import type { Forgotten } from '../../hooks/ports/ledger-admin.ts';
import { batchesOf, handOver, leaveBatches, questionsOf } from './batches.ts';
import { isTrue, text } from '../rows.ts';
import type { Row } from '../rows.ts';
import { decodeHead, tombstone } from '../stored-head.ts';
import type { StoredHead } from '../stored-head.ts';
import { first, sessionLock } from '../tx.ts';
import type { Tx } from '../tx.ts';
import { Touched, settle } from '../work/settlement.ts';
import { addWork, lockOfWork, withdraw } from '../work/queue.ts';
import { forgettingWork, openQuestions } from '../work/waits.ts';

const EVENT = 'SELECT ID(e) AS id, head FROM @events e WHERE KEY(e) = $1';
const RUNS = 'SELECT agent_id, session_key FROM @runs WHERE event = $1';
/** Which sessions a handler has told of it nobody wrote down. A line that is shown meanwhile stands in a turn by then. */
const TOLD_IN_LINES = 'SELECT DISTINCT session FROM @system_events WHERE event = $1';
const TOLD_IN_TURNS = `SELECT DISTINCT session FROM @turns WHERE events LIKE '%' || $1 || '%'`;
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
  if (head.actions?.some(({ kind }) => kind === 'handler') === true) {
    sessions.push(...(await tx.all(TOLD_IN_LINES, key)).map(sessionOf));
    sessions.push(...(await tx.all(TOLD_IN_TURNS, eventId)).map(sessionOf));
  }
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
  return { turns: turns.length, lines: lines.length };
}

function keyName(row: Row): string {
  return `key ${text(row, 'lane')} ${text(row, 'key')}`;
}

function sessionOf(row: Row): string {
  return text(row, 'session');
}

/** The sessions that were, or will be, shown an event: those of its runs, and the main ones of its agents. */
function sessionsShown(runs: readonly Row[], { actions = [] }: StoredHead): string[] {
  const own = runs.map((run) => fullSessionKey(text(run, 'agent_id'), text(run, 'session_key')));
  const agents = [...runs.map((run) => run['agent_id']), ...actions.map(({ agentId }) => agentId)];
  return [...new Set([...own, ...agents.map((id) => mainSession(String(id)))])];
}
