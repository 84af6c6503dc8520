// What an operator reads of one event: everything. Read by the reader thread on a connection of its own, beside the
// writer.
import type { DatabaseSync } from 'node:sqlite';
import type { AttemptNote } from '../../../hooks/ports/change.ts';
import type {
  DeliveryDetails,
  EventNote,
  HeartbeatStatus,
  RunDetails,
} from '../../../hooks/ports/event-store.ts';
import { keyOf } from '../id-keys.ts';
import type { ReaderCalls } from '../protocol.ts';
import type { StoredEventDetails, StoredRunStory } from '../../stored/stored-head.ts';
import { EventSummaries, SUMMARY_COLUMNS, toId } from './event-summaries.ts';
import { DELIVERY_STATUSES, integer, optionalText, optionalTime, text, word } from './rows.ts';
import type { Row } from './rows.ts';

/** The words that may stand in `runs.status`; a row with any other is refused. */
const RUN_STATUSES = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'timed-out',
  'interrupted',
] as const;

/** Finds one event with its runs and deliveries, one run, and what a replay needs of an event. */
export class EventReader {
  readonly #sql: ReturnType<typeof prepareReader>;
  readonly #summaries: EventSummaries;

  constructor(db: DatabaseSync) {
    this.#sql = prepareReader(db);
    this.#summaries = new EventSummaries(db);
  }

  /** Null for an unknown event. What its head and its payload say is JSON text still: the main thread parses it (codec.ts). */
  get(id: string): StoredEventDetails | null {
    const event = this.#find(id);
    if (event === null) return null;
    const key = integer(event, 'key');
    const runs = this.#sql.runs.all(key);
    const summaries = runs.map((run) => optionalText(run, 'summary')).filter((it) => it !== null);
    return {
      ...this.#summaries.of(event),
      head: text(event, 'head'),
      payload: optionalText(event, 'payload'),
      runs: runs.map(toRun),
      summary: summaries.length === 0 ? null : summaries.join('\n'),
      heartbeat: heartbeatStatus(event),
      deliveries: this.#sql.deliveries.all(key).map(toDelivery),
      error: this.#summaries.reason(event),
    };
  }

  /** One run with its event, but for the payload. Null for an unknown run. */
  run(id: string): StoredRunStory | null {
    const run = this.#sql.run.get(keyOf(id));
    if (run === undefined || toId(run) !== id) return null;
    const event = this.#sql.eventOfRun.get(integer(run, 'event'));
    if (event === undefined) return null;
    return {
      event: this.#summaries.of(event),
      head: text(event, 'head'),
      run: toRun(run),
      deliveries: this.#sql.deliveriesOfRun.all(integer(run, 'event'), id).map(toDelivery),
    };
  }

  /** What came in, as it was stored: enough to send it again or to preview it. Null for an unknown event. */
  storedRequest(id: string): ReaderCalls['storedRequest']['result'] {
    const event = this.#find(id);
    if (event === null) return null;
    return {
      hook: text(event, 'hook'),
      head: text(event, 'head'),
      payload: optionalText(event, 'payload'),
    };
  }

  /** A key alone can be guessed: the rest of the id has to be the event's, too. */
  #find(id: string): Row | null {
    const row = this.#sql.event.get(keyOf(id));
    return row === undefined || toId(row) !== id ? null : row;
  }
}

function prepareReader(db: DatabaseSync) {
  return {
    event: db.prepare(`SELECT e.*, ${SUMMARY_COLUMNS} FROM events e WHERE e.key = ?`),
    runs: db.prepare('SELECT * FROM runs WHERE event = ? ORDER BY key'),
    deliveries: db.prepare('SELECT * FROM deliveries WHERE event = ? ORDER BY key'),
    run: db.prepare('SELECT * FROM runs WHERE key = ?'),
    // Not the payload: it may be large.
    eventOfRun: db.prepare(`SELECT ${SUMMARY_COLUMNS}, e.head FROM events e WHERE e.key = ?`),
    deliveriesOfRun: db.prepare(
      'SELECT * FROM deliveries WHERE event = ? AND run_id = ? ORDER BY key',
    ),
  };
}

/** One word for all heartbeats of an event: what is still to be done says more than what failed, and that more than what is done. */
function heartbeatStatus(event: Row): HeartbeatStatus {
  if (integer(event, 'beats_open') > 0) return 'requested';
  if (integer(event, 'beats_failed') > 0) return 'failed';
  return integer(event, 'beats_done') > 0 ? 'done' : 'none';
}

/** A row of `runs`; columns that hold JSON are parsed, and those that were never written are empty. */
function toRun(row: Row): RunDetails {
  return {
    id: toId(row),
    status: word(row, 'status', RUN_STATUSES),
    agentId: text(row, 'agent_id'),
    sessionKey: text(row, 'session_key'),
    model: optionalText(row, 'model'),
    thinking: optionalText(row, 'thinking'),
    prompt: optionalText(row, 'prompt'),
    reply: optionalText(row, 'reply'),
    error: optionalText(row, 'error'),
    contract: JSON.parse(optionalText(row, 'contract') ?? 'null'),
    usage: JSON.parse(optionalText(row, 'usage') ?? 'null'),
    warnings: JSON.parse(optionalText(row, 'warnings') ?? '[]'),
    toolCalls: JSON.parse(optionalText(row, 'tool_calls') ?? '[]'),
    attempts: integer(row, 'attempts'),
    notes: toNotes(row),
    startedAt: optionalTime(row, 'started_at'),
    finishedAt: optionalTime(row, 'finished_at'),
  };
}

/** A row of `deliveries`; its notes are the attempts to send it. */
function toDelivery(row: Row): DeliveryDetails {
  return {
    id: toId(row),
    runId: text(row, 'run_id'),
    channel: text(row, 'channel'),
    to: optionalText(row, 'recipient'),
    status: word(row, 'status', DELIVERY_STATUSES),
    attempts: toNotes(row),
    messageId: optionalText(row, 'message_id'),
    error: optionalText(row, 'error'),
  };
}

/** The history of a run or a delivery, with times as an operator reads them. */
function toNotes(row: Row): EventNote[] {
  const notes: AttemptNote[] = JSON.parse(text(row, 'notes'));
  return notes.map((note) => ({ ...note, at: new Date(note.at).toISOString() }));
}
