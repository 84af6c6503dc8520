// What a ledger holds of the events of a time, read in one transaction beside the service: what came, and what became of
// it. For a simulation (service/simulation), over the seam of both databases.
import type { DeliveryStatus, RunStatus } from '../hooks/ports/change.ts';
import type { TokenUsage } from '../hooks/ports/agent-runner.ts';
import type { EventRequest } from '../hooks/ports/event.ts';
import { DELIVERY_STATUSES, RUN_STATUSES } from './event-rows.ts';
import { integer, keyIn, optionalInteger, optionalText, storedJson, text, word } from './rows.ts';
import type { Key, Row } from './rows.ts';
import { decodeHead } from './stored-head.ts';
import type { Tx } from './tx.ts';

/** An event as it was stored. */
export interface RecordedEvent {
  readonly id: string;
  readonly hook: string;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  readonly request: EventRequest;
  /** JSON text; null once it was forgotten. */
  readonly payload: string | null;
  readonly runs: readonly RecordedRun[];
  /** How its messages ended. */
  readonly deliveries: readonly DeliveryStatus[];
}

/** What is known of one run; prompt and reply are null where no agent was asked, or once they were forgotten. */
export interface RecordedRun {
  readonly agentId: string;
  readonly status: RunStatus;
  /** The model that answered. */
  readonly model: string | null;
  readonly prompt: string | null;
  readonly reply: string | null;
  readonly error: string | null;
  /** Null: the runner did not know. */
  readonly usage: TokenUsage | null;
  /** How long its last attempt took, in milliseconds. */
  readonly ms: number;
}

/** Rows that are in memory at a time. */
const PAGE = 500;

const EVENTS = `SELECT KEY(e) AS key, ID(e) AS id, e.hook, e.received_at, e.head, e.payload FROM @events e
  WHERE KEY(e) >= $1 ORDER BY KEY(e) LIMIT ${PAGE}`;
const NEXT = EVENTS.replace('>=', '>');
const RUNS = `SELECT r.event, r.agent_id, r.status, r.model, r.prompt, r.reply, r.error, r.usage, r.started_at, r.finished_at
  FROM @runs r WHERE r.event >= $1 AND r.event <= $2 ORDER BY KEY(r)`;
const DELIVERIES = `SELECT d.event, d.status FROM @deliveries d
  WHERE d.event >= $1 AND d.event <= $2 ORDER BY KEY(d)`;

/**
 * The events of a time in the order in which they were accepted, a page at a time.
 * @param since epoch milliseconds, of those that were accepted then or later
 * @param until and before that
 */
export async function* recordedEvents(
  tx: Tx,
  since: number,
  until: number,
): AsyncGenerator<readonly RecordedEvent[]> {
  let rows = await tx.all(EVENTS, tx.keys.first(since));
  while (rows.length > 0) {
    const [from, to] = [keyIn(rows[0]!, 'key'), keyIn(rows.at(-1)!, 'key')];
    const runs = byEvent(await tx.all(RUNS, from, to));
    const deliveries = byEvent(await tx.all(DELIVERIES, from, to));
    // Ids are made a moment later.
    const within = rows.filter((row) => {
      const receivedAt = integer(row, 'received_at');
      return receivedAt >= since && receivedAt < until;
    });
    yield within.map((row) => {
      const key = keyIn(row, 'key');
      return toEvent(row, runs.get(key) ?? [], deliveries.get(key) ?? []);
    });
    if (rows.length < PAGE) return;
    rows = await tx.all(NEXT, to);
  }
}

function byEvent(rows: readonly Row[]): ReadonlyMap<Key, readonly Row[]> {
  return Map.groupBy(rows, (row) => keyIn(row, 'event'));
}

function toEvent(row: Row, runs: readonly Row[], deliveries: readonly Row[]): RecordedEvent {
  const {
    console: _console,
    redaction: _redaction,
    ...request
  } = decodeHead(text(row, 'head')).request;
  return {
    id: text(row, 'id'),
    hook: text(row, 'hook'),
    receivedAt: integer(row, 'received_at'),
    request,
    payload: optionalText(row, 'payload'),
    runs: runs.map(toRun),
    deliveries: deliveries.map((delivery) => word(delivery, 'status', DELIVERY_STATUSES)),
  };
}

function toRun(row: Row): RecordedRun {
  const [from, to] = [optionalInteger(row, 'started_at'), optionalInteger(row, 'finished_at')];
  return {
    agentId: text(row, 'agent_id'),
    status: word(row, 'status', RUN_STATUSES),
    model: optionalText(row, 'model'),
    prompt: optionalText(row, 'prompt'),
    reply: optionalText(row, 'reply'),
    error: optionalText(row, 'error'),
    usage: storedJson(optionalText(row, 'usage') ?? 'null'),
    ms: from === null || to === null ? 0 : Math.max(0, to - from),
  };
}
