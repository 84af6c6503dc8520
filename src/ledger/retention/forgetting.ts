// How events, or their bodies, are forgotten with all that repeats them. Rows are locked in the order of everybody:
// work, then what waits in sessions, then events (../work/queue.ts).
//
// 1. `lockEnded` keeps those that are over still: an operator may have retried one since it was found by its age.
// 2. Lines that wait in a main session may show the words of a payload that is about to go. They get words of their own
//    first, so that the next turn is shown what it would have been shown.
// 3. `clearBodies` takes payload, prompts, replies and what repeats them, jobs of dead work among it; `deleteEvents`
//    takes the rows. Either way what is left of the search index follows by its triggers.
import { mainSession } from '../../hooks/ports/jobs.ts';
import type { ToolCallDetails } from '../../hooks/ports/event-store.ts';
import { integer, keyIn, storedJson, text } from '../rows.ts';
import type { Key, Row } from '../rows.ts';
import { decodeHead, decodeOnlyWake, withoutBodies } from '../stored-head.ts';
import type { Tx } from '../tx.ts';
import { clearDecisions } from '../work/waits.ts';

const LOCK_WORK = `SELECT id FROM @work WHERE event_id = ANY ($1::uuid[]) AND stage = 'dead' ORDER BY id FOR UPDATE`;
/** Of wakes whose words are those of their system events, which may have been shown and be gone. */
const SHOWN = `SELECT shown_as, head FROM @events e WHERE KEY(e) = ANY ($1::uuid[]) AND shown_as IS NOT NULL`;
const LOCK_WAITING = `SELECT s.session, s.seq, s.event FROM @system_events s
    JOIN ROWS($1, shown: session text, seq bigint) ON s.session = shown.session AND s.seq = shown.seq
  WHERE s.text IS NULL ORDER BY s.session, s.seq FOR UPDATE OF s`;
const LOCK_EVENTS = `SELECT KEY(e) AS key, ID(e) AS id FROM @events e WHERE KEY(e) = ANY ($1::uuid[])
    AND status IN ('done', 'failed', 'skipped') ORDER BY KEY(e) FOR UPDATE`;
const WORDS = `SELECT KEY(e) AS key, received_at, hook, head, payload FROM @events e WHERE KEY(e) = ANY ($1::uuid[])`;
const GIVE_WORDS = `UPDATE @system_events SET at = $3, hook = $4, trust = $5, text = $6 WHERE session = $1 AND seq = $2`;

const HEADS = 'SELECT KEY(e) AS key, head FROM @events e WHERE KEY(e) = ANY ($1::uuid[])';
const CLEAR = `UPDATE @events AS e SET payload = NULL, head = given.head, look_again = false, shown_as = NULL
  FROM ROWS($1, given: key uuid, head text) WHERE KEY(e) = given.key`;
const CALLS = `SELECT KEY(r) AS key, tool_calls FROM @runs r WHERE event = ANY ($1::uuid[]) AND tool_calls IS NOT NULL`;
const CLEAR_RUNS = `UPDATE @runs SET prompt = NULL, reply = NULL, summary = NULL WHERE event = ANY ($1::uuid[])`;
const CLEAR_CALLS = 'UPDATE @runs AS r SET tool_calls = $2 WHERE KEY(r) = $1';
const CLEAR_WORK = [
  `DELETE FROM @parts WHERE work_id IN
    (SELECT id FROM @work WHERE event_id = ANY ($1::uuid[]) AND stage = 'dead')`,
  `UPDATE @work SET job = NULL WHERE event_id = ANY ($1::uuid[]) AND stage = 'dead'`,
];
const DELETE_WORK = `DELETE FROM @work WHERE event_id = ANY ($1::uuid[]) AND stage = 'dead'`;
const DELETE = [
  'DELETE FROM @questions WHERE event = ANY ($1::uuid[])',
  'DELETE FROM @waits WHERE event = ANY ($1::uuid[])',
  'DELETE FROM @deliveries WHERE event = ANY ($1::uuid[])',
  'DELETE FROM @runs WHERE event = ANY ($1::uuid[])',
  'DELETE FROM @events AS e WHERE KEY(e) = ANY ($1::uuid[])',
];

interface NamedEvent {
  readonly key: Key;
  readonly id: string;
}

/** @param row with `key` and `id` */
export function toNamed(row: Row): NamedEvent {
  return { key: keyIn(row, 'key'), id: text(row, 'id') };
}

/** @returns those that are over still; lines that wait in their words have words of their own afterwards */
export async function lockEnded(tx: Tx, events: readonly NamedEvent[]): Promise<NamedEvent[]> {
  if (events.length === 0) return [];
  await tx.run(LOCK_WORK, events.map(idOf));
  const shown = await tx.all(SHOWN, events.map(keyOf));
  const places = shown.map((row) => ({ session: sessionOf(row), seq: integer(row, 'shown_as') }));
  const waiting = places.length === 0 ? [] : await tx.all(LOCK_WAITING, places);
  const locked = await tx.all(LOCK_EVENTS, events.map(keyOf));
  if (waiting.length > 0) await giveWords(tx, waiting);
  return locked.map(toNamed);
}

/** Forgets the bodies of events that were {@link lockEnded}, and what repeats them. @returns how many rows it touched, at least */
export async function clearBodies(tx: Tx, locked: readonly NamedEvent[]): Promise<number> {
  if (locked.length === 0) return 0;
  const keys = locked.map(keyOf);
  const heads = await tx.all(HEADS, keys);
  const bare = heads.map((row) => ({
    key: keyIn(row, 'key'),
    head: JSON.stringify(withoutBodies(decodeHead(text(row, 'head')))),
  }));
  await tx.run(CLEAR, bare);
  const calls = await tx.all(CALLS, keys);
  await tx.run(CLEAR_RUNS, keys);
  for (const run of calls) await tx.run(CLEAR_CALLS, keyIn(run, 'key'), withoutContent(run));
  await clearDecisions(tx, keys);
  for (const statement of CLEAR_WORK) await tx.run(statement, locked.map(idOf));
  return locked.length + calls.length;
}

/** Forgets events that were {@link lockEnded} as a whole. @returns how many rows it touched, at least */
export async function deleteEvents(tx: Tx, locked: readonly NamedEvent[]): Promise<number> {
  if (locked.length === 0) return 0;
  await tx.run(DELETE_WORK, locked.map(idOf));
  for (const statement of DELETE) await tx.run(statement, locked.map(keyOf));
  return locked.length;
}

async function giveWords(tx: Tx, waiting: readonly Row[]): Promise<void> {
  const events = await tx.all(
    WORDS,
    waiting.map((row) => keyIn(row, 'event')),
  );
  const byKey = new Map(events.map((row) => [keyIn(row, 'key'), row]));
  for (const line of waiting) {
    const event = byKey.get(keyIn(line, 'event'));
    if (event === undefined) continue;
    const wake = decodeOnlyWake(text(event, 'head'), text(event, 'payload'));
    await tx.run(
      GIVE_WORDS,
      text(line, 'session'),
      integer(line, 'seq'),
      integer(event, 'received_at'),
      text(event, 'hook'),
      JSON.stringify(wake.trust),
      wake.text,
    );
  }
}

/** The session in which the only wake of an event was shown, or waits. */
function sessionOf(event: Row): string {
  const [wake] = decodeHead(text(event, 'head')).actions ?? [];
  return mainSession(String(wake?.['agentId']));
}

/** The tool calls of a run, as JSON text, without what was sent and answered. */
function withoutContent(run: Row): string {
  const calls: ToolCallDetails[] = storedJson(text(run, 'tool_calls'));
  return JSON.stringify(calls.map((call) => ({ ...call, input: null, result: null })));
}

function idOf({ id }: NamedEvent): string {
  return id;
}

function keyOf({ key }: NamedEvent): Key {
  return key;
}
