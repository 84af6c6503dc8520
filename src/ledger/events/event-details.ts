// What the head and the payload of an event say is JSON text still, which the main thread parses.
import type { RunDetails } from '../../hooks/ports/event-store.ts';
import { fullSessionKey } from '../../hooks/ports/jobs.ts';
import { heartbeatStatus, toDelivery, toRun } from '../event-rows.ts';
import { keyIn, optionalInteger, optionalText, text } from '../rows.ts';
import type { Row } from '../rows.ts';
import type { StoredEventDetails, StoredRunStory } from '../stored-head.ts';
import { SHOWN_PAYLOAD } from '../shown-payload.ts';
import { first } from '../tx.ts';
import type { Tx } from '../tx.ts';
import { storedKey } from '../work/queue.ts';
import { FIRST } from '../work/stages.ts';
import { waitsOf } from '../work/waits.ts';
import { SUMMARY, reasonOf, summaryOf } from './event-summaries.ts';

const DETAILS = `SELECT ${SUMMARY}, e.head, ${SHOWN_PAYLOAD}, e.beats_open, e.beats_done FROM @events e WHERE KEY(e) = $1`;
/** Not the payload: it may be large. */
const EVENT_OF_RUN = `SELECT ${SUMMARY}, e.head FROM @events e WHERE KEY(e) = $1`;
const REQUEST = 'SELECT ID(e) AS id, hook, head, payload FROM @events e WHERE KEY(e) = $1';
const RUN = 'SELECT r.*, ID(r) AS id FROM @runs r WHERE KEY(r) = $1';
const RUNS = 'SELECT r.*, ID(r) AS id FROM @runs r WHERE event = $1 ORDER BY KEY(r)';
const DELIVERIES = `SELECT d.*, ID(d) AS id FROM @deliveries d WHERE event = $1 ORDER BY KEY(d)`;
const DELIVERIES_OF_RUN = `SELECT d.*, ID(d) AS id FROM @deliveries d WHERE event = $1 AND run_id = $2 ORDER BY KEY(d)`;

/** A run is in the queue of its session, or in one of its own. */
const RESTS_FOR = `SELECT server FROM @work
  WHERE lane = 'turn' AND key IN ($1, $2) AND ${FIRST} AND stage = 'ready' AND ref = $3 AND server <> ''`;

interface StoredText {
  readonly hook: string;
  readonly head: string;
  readonly payload: string | null;
}

/** Null for an unknown event. */
export async function readEvent(tx: Tx, id: string): Promise<StoredEventDetails | null> {
  const event = await find(tx, DETAILS, id);
  if (event === null) return null;
  const key = keyIn(event, 'key');
  const [runs, deliveries, waits] = await Promise.all([
    tx.all(RUNS, key),
    tx.all(DELIVERIES, key),
    waitsOf(tx, key),
  ]);
  const summaries = runs.map((run) => optionalText(run, 'summary')).filter((it) => it !== null);
  return {
    ...summaryOf(event),
    head: text(event, 'head'),
    payload: optionalText(event, 'payload'),
    payloadBytes: optionalInteger(event, 'payload_bytes') ?? 0,
    runs: runs.map((run) => toRun(run, text(run, 'id'), waits)),
    summary: summaries.length === 0 ? null : summaries.join('\n'),
    heartbeat: heartbeatStatus(event),
    deliveries: deliveries.map((delivery) => toDelivery(delivery, text(delivery, 'id'))),
    error: reasonOf(event),
  };
}

/** One run with its event, but for the payload. Null for an unknown run. */
export async function readRun(tx: Tx, id: string): Promise<StoredRunStory | null> {
  const run = await find(tx, RUN, id);
  if (run === null) return null;
  const key = keyIn(run, 'event');
  const [[event], deliveries, waits] = await Promise.all([
    tx.all(EVENT_OF_RUN, key),
    tx.all(DELIVERIES_OF_RUN, key, id),
    waitsOf(tx, key),
  ]);
  if (event === undefined) return null;
  const details = toRun(run, id, waits);
  return {
    event: summaryOf(event),
    head: text(event, 'head'),
    run: details,
    waitsFor: details.status === 'queued' ? await restsFor(tx, details) : null,
    deliveries: deliveries.map((delivery) => toDelivery(delivery, text(delivery, 'id'))),
  };
}

async function restsFor(tx: Tx, { id, agentId, sessionKey }: RunDetails): Promise<string | null> {
  const session = fullSessionKey(agentId, sessionKey);
  const keys = [storedKey(session), storedKey(`${session} ${id}`)];
  const row = await first(tx, RESTS_FOR, ...keys, id);
  return row === undefined ? null : text(row, 'server');
}

/** What came in: enough to send it again or to preview it. Null for an unknown event. */
export async function readRequest(tx: Tx, id: string): Promise<StoredText | null> {
  const event = await find(tx, REQUEST, id);
  if (event === null) return null;
  return {
    hook: text(event, 'hook'),
    head: text(event, 'head'),
    payload: optionalText(event, 'payload'),
  };
}

/** A key alone can be guessed: the whole id has to be the row's. */
async function find(tx: Tx, sql: string, id: string): Promise<Row | null> {
  const key = tx.keys.of(id);
  const row = key === null ? undefined : await first(tx, sql, key);
  return row === undefined || text(row, 'id') !== id ? null : row;
}
