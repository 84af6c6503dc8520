// What an operator reads of one event: everything.
import type { EventDetails, RunStory, StoredRequest } from '../../../hooks/ports/event-store.ts';
import { heartbeatStatus, toDelivery, toRun } from '../../event-rows.ts';
import { optionalText, text } from '../../rows.ts';
import type { Row } from '../../rows.ts';
import { decodeEventDetails, decodeRequest, decodeRunStory } from '../../stored-head.ts';
import type { Database } from '../connection.ts';
import { isId } from '../ids.ts';
import { reasonOf, selectSummaries, summaryOf } from './event-summaries.ts';

const ONE_EVENT = 'SELECT * FROM @schema.events WHERE id = $1';
const DETAILS = selectSummaries(ONE_EVENT, ', e.head, e.payload, e.beats_open, e.beats_done');
/** Not the payload: it may be large. */
const EVENT_OF_RUN = selectSummaries(ONE_EVENT, ', e.head');
const RUNS = 'SELECT * FROM @schema.runs WHERE event = $1 ORDER BY id';
const DELIVERIES = 'SELECT * FROM @schema.deliveries WHERE event = $1 ORDER BY id';

/** Null for an unknown event. */
export async function readEvent(database: Database, id: string): Promise<EventDetails | null> {
  if (!isId(id)) return null;
  const [event] = await database.query(DETAILS, [id]);
  if (event === undefined) return null;
  const [runs, deliveries] = await Promise.all([
    database.query(RUNS, [id]),
    database.query(DELIVERIES, [id]),
  ]);
  const summaries = runs.map((run) => optionalText(run, 'summary')).filter((it) => it !== null);
  return decodeEventDetails({
    ...summaryOf(event),
    head: text(event, 'head'),
    payload: optionalText(event, 'payload'),
    runs: runs.map((run) => toRun(run, idOf(run))),
    summary: summaries.length === 0 ? null : summaries.join('\n'),
    heartbeat: heartbeatStatus(event),
    deliveries: deliveries.map((delivery) => toDelivery(delivery, idOf(delivery))),
    error: reasonOf(event),
  });
}

/** One run with its event, but for the payload. Null for an unknown run. */
export async function readRun(database: Database, id: string): Promise<RunStory | null> {
  if (!isId(id)) return null;
  const [run] = await database.query('SELECT * FROM @schema.runs WHERE id = $1', [id]);
  if (run === undefined) return null;
  const [[event], deliveries] = await Promise.all([
    database.query(EVENT_OF_RUN, [run['event']]),
    database.query(
      'SELECT * FROM @schema.deliveries WHERE event = $1 AND run_id = $2 ORDER BY id',
      [run['event'], id],
    ),
  ]);
  if (event === undefined) return null;
  return decodeRunStory({
    event: summaryOf(event),
    head: text(event, 'head'),
    run: toRun(run, id),
    deliveries: deliveries.map((delivery) => toDelivery(delivery, idOf(delivery))),
  });
}

/** What came in, as it was stored: enough to send it again or to preview it. Null for an unknown event. */
export async function readRequest(database: Database, id: string): Promise<StoredRequest | null> {
  if (!isId(id)) return null;
  const [event] = await database.query(
    'SELECT hook, head, payload FROM @schema.events WHERE id = $1',
    [id],
  );
  if (event === undefined) return null;
  return {
    hook: text(event, 'hook'),
    request: decodeRequest(text(event, 'head')),
    payload: optionalText(event, 'payload'),
  };
}

function idOf(row: Row): string {
  return text(row, 'id');
}
