// What an operator reads of one event: everything. Read by the reader thread on a connection of its own, beside the
// writer.
import type { DatabaseSync } from 'node:sqlite';
import { keyOf } from '../../id-keys.ts';
import type { ReaderCalls } from '../../protocol.ts';
import type { StoredEventDetails, StoredRunStory } from '../../../stored-head.ts';
import { EventSummaries, SUMMARY_COLUMNS, toId } from './event-summaries.ts';
import { heartbeatStatus, toDelivery, toRun } from '../../../event-rows.ts';
import { integer, optionalText, text } from '../../../rows.ts';
import type { Row } from '../../../rows.ts';

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
      runs: runs.map((row) => toRun(row, toId(row))),
      summary: summaries.length === 0 ? null : summaries.join('\n'),
      heartbeat: heartbeatStatus(event),
      deliveries: this.#sql.deliveries.all(key).map((row) => toDelivery(row, toId(row))),
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
      run: toRun(run, id),
      deliveries: this.#sql.deliveriesOfRun
        .all(integer(run, 'event'), id)
        .map((row) => toDelivery(row, toId(row))),
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
