// How events, or their bodies, are forgotten with all that repeats them. Rows are locked in the order of everybody:
// work, then what waits in sessions, then events (functions/queue.ts).
//
// 1. `lockEnded` keeps those that are over still: an operator may have retried one since it was found by its age.
// 2. Lines that wait in a main session may show the words of a payload that is about to go. They get words of their own
//    first, so that the next turn is shown what it would have been shown.
// 3. `clearBodies` takes payload, prompts, replies and what repeats them, jobs of dead work among it; `deleteEvents`
//    takes the rows. Either way what is left of the search index follows by its triggers.
import { mainSession } from '../../../hooks/ports/jobs.ts';
import type { ToolCallDetails } from '../../../hooks/ports/event-store.ts';
import { integer, storedJson, text } from '../../rows.ts';
import type { Row } from '../../rows.ts';
import { decodeHead, decodeOnlyWake, withoutBodies } from '../../stored-head.ts';
import type { Run } from '../connection.ts';

const LOCK_WORK = `SELECT id FROM @schema.work WHERE event_id = ANY ($1::uuid[]) AND stage = 'dead'
  ORDER BY id FOR UPDATE`;
/** Of wakes whose words are those of their system events, which may have been shown and be gone. */
const SHOWN = `SELECT id, shown_as, head FROM @schema.events WHERE id = ANY ($1::uuid[]) AND shown_as IS NOT NULL`;
const LOCK_WAITING = `SELECT s.session, s.seq, s.event FROM @schema.system_events s
    JOIN unnest($1::text[], $2::bigint[]) AS shown (session, seq) USING (session, seq)
  WHERE s.text IS NULL ORDER BY s.session, s.seq FOR UPDATE OF s`;
const LOCK_EVENTS = `SELECT id FROM @schema.events WHERE id = ANY ($1::uuid[])
    AND status IN ('done', 'failed', 'skipped') ORDER BY id FOR UPDATE`;
const WORDS =
  'SELECT id, received_at, hook, head, payload FROM @schema.events WHERE id = ANY ($1::uuid[])';
const GIVE_WORDS = `UPDATE @schema.system_events s SET at = given.at, hook = given.hook, trust = given.trust, text = given.text
  FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[])
    AS given (session, seq, at, hook, trust, text)
  WHERE s.session = given.session AND s.seq = given.seq`;

const HEADS = 'SELECT id, head FROM @schema.events WHERE id = ANY ($1::uuid[])';
const CLEAR = `UPDATE @schema.events e SET payload = NULL, head = given.head, look_again = false, shown_as = NULL
  FROM unnest($1::uuid[], $2::text[]) AS given (id, head) WHERE e.id = given.id`;
const CLEAR_RUNS = `UPDATE @schema.runs SET prompt = NULL, reply = NULL, summary = NULL WHERE event = ANY ($1::uuid[])
  RETURNING id, tool_calls`;
const CLEAR_TOOL_CALLS = `UPDATE @schema.runs r SET tool_calls = given.calls
  FROM unnest($1::uuid[], $2::text[]) AS given (id, calls) WHERE r.id = given.id`;
const CLEAR_WORK = [
  `DELETE FROM @schema.parts WHERE work_id IN
    (SELECT id FROM @schema.work WHERE event_id = ANY ($1::uuid[]) AND stage = 'dead')`,
  `UPDATE @schema.work SET job = NULL WHERE event_id = ANY ($1::uuid[]) AND stage = 'dead'`,
];
const DELETE = [
  `DELETE FROM @schema.work WHERE event_id = ANY ($1::uuid[]) AND stage = 'dead'`,
  'DELETE FROM @schema.deliveries WHERE event = ANY ($1::uuid[])',
  'DELETE FROM @schema.runs WHERE event = ANY ($1::uuid[])',
  'DELETE FROM @schema.events WHERE id = ANY ($1::uuid[])',
];

/**
 * Locks events with all that is to be forgotten with them. What waits for a turn in their words has words of its own
 * afterwards.
 * @returns those that are over still: an operator may have retried one meanwhile
 */
export async function lockEnded(run: Run, ids: readonly string[]): Promise<readonly Row[]> {
  if (ids.length === 0) return [];
  await run(LOCK_WORK, [ids]);
  const shown = await run(SHOWN, [ids]);
  const waiting =
    shown.length === 0 ? [] : await run(LOCK_WAITING, [shown.map(sessionOf), shown.map(seqOf)]);
  const locked = await run(LOCK_EVENTS, [ids]);
  if (waiting.length > 0) await giveWords(run, shown, waiting);
  return locked;
}

/** Forgets the bodies of events that were {@link lockEnded}, and what repeats them. @returns how many rows it touched */
export async function clearBodies(run: Run, locked: readonly Row[]): Promise<number> {
  if (locked.length === 0) return 0;
  const ids = locked.map(idOf);
  const heads = await run(HEADS, [ids]);
  const bare = heads.map((row) => JSON.stringify(withoutBodies(decodeHead(text(row, 'head')))));
  await run(CLEAR, [heads.map(idOf), bare]);
  const runs = await run(CLEAR_RUNS, [ids]);
  const withCalls = runs.filter((row) => row['tool_calls'] !== null);
  if (withCalls.length > 0) {
    await run(CLEAR_TOOL_CALLS, [withCalls.map(idOf), withCalls.map(withoutContent)]);
  }
  for (const statement of CLEAR_WORK) await run(statement, [ids]);
  return ids.length + runs.length;
}

/** Forgets events that were {@link lockEnded} as a whole. @returns how many rows it touched, at least */
export async function deleteEvents(run: Run, locked: readonly Row[]): Promise<number> {
  if (locked.length === 0) return 0;
  for (const statement of DELETE) await run(statement, [locked.map(idOf)]);
  return locked.length;
}

/** A system event that still waits is left with words of its own. */
async function giveWords(run: Run, shown: readonly Row[], waiting: readonly Row[]): Promise<void> {
  const events = await run(WORDS, [waiting.map((row) => row['event'])]);
  const places = new Map(shown.map((row) => [idOf(row), row]));
  const words = events.map((row) => ({
    ...decodeOnlyWake(text(row, 'head'), text(row, 'payload')),
    at: integer(row, 'received_at'),
    hook: text(row, 'hook'),
    place: places.get(idOf(row))!,
  }));
  await run(GIVE_WORDS, [
    words.map(({ place }) => sessionOf(place)),
    words.map(({ place }) => seqOf(place)),
    words.map(({ at }) => at),
    words.map(({ hook }) => hook),
    words.map(({ trust }) => JSON.stringify(trust)),
    words.map((one) => one.text),
  ]);
}

/** The session in which the only wake of an event was shown, or waits. */
function sessionOf(event: Row): string {
  const [wake] = decodeHead(text(event, 'head')).actions ?? [];
  return mainSession(String(wake?.['agentId']));
}

function seqOf(event: Row): number {
  return integer(event, 'shown_as');
}

/** The tool calls of a run, as JSON text, without what was sent and answered. */
function withoutContent(run: Row): string {
  const calls: ToolCallDetails[] = storedJson(text(run, 'tool_calls'));
  return JSON.stringify(calls.map((call) => ({ ...call, input: null, result: null })));
}

function idOf(row: Row): string {
  return text(row, 'id');
}
