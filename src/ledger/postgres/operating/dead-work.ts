// Work that was given up: an operator may have it done anew, or forget it. One event's is done in one transaction; of
// many, a page at a time, so that no transaction holds a thousand locks, and a call that is cut off has done whole
// pages. The oldest comes first, and the cursor is the number of the last one that was done.
import type { AttemptNote } from '../../../hooks/ports/change.ts';
import type { Lane } from '../../../hooks/ports/jobs.ts';
import type { DeadWorkFilter, DeadWorkPage } from '../../../hooks/ports/ledger.ts';
import { LANES, RETRIABLE } from '../../work-rows.ts';
import { integer, optionalText, text, word } from '../../rows.ts';
import type { Row } from '../../rows.ts';
import type { Database, Run } from '../connection.ts';
import { CLAIMABLE } from '../functions/queue.ts';
import { isId } from '../ids.ts';

/** Heartbeats are left out: what they were to show waits for a later turn of its session. */
const DEAD = `stage = 'dead' AND kind IN ('run', 'delivery')`;
const OF_EVENT = `SELECT id FROM @schema.work WHERE ${DEAD} AND event_id = $1`;
/** All that is dead is found by its index, before anything is looked at; the table is never walked. */
const FOUND = `WITH dead AS MATERIALIZED
    (SELECT id, kind, hook, ref, event_id, since FROM @schema.work WHERE ${DEAD} AND id > $1)
  SELECT d.id FROM dead d LEFT JOIN @schema.events e ON e.id = d.event_id
  WHERE ($2::text IS NULL OR $2 IN (e.hook, e.mapping)) AND (d.hook = '' OR NOT $6)
    AND ($3::bigint IS NULL OR coalesce(e.received_at, d.since) >= $3)
    AND ($4::text IS NULL OR $4 = CASE d.kind
      WHEN 'run' THEN (SELECT status FROM @schema.runs WHERE id = d.ref)
      ELSE (SELECT status FROM @schema.deliveries WHERE id = d.ref) END)
  ORDER BY d.id LIMIT $5`;
const TAKE = `SELECT id, kind, ref, event_id, attempt FROM @schema.work
  WHERE id = ANY ($1::bigint[]) AND stage = 'dead' ORDER BY id FOR UPDATE`;
const OWNERS = 'SELECT lane, event_id FROM @schema.work WHERE id = ANY ($1::bigint[])';
/** Notes are a list as JSON text. */
const addNotes = (table: string): string => `UPDATE @schema.${table} t
  SET notes = CASE t.notes WHEN '[]' THEN '[' ELSE left(t.notes, -1) || ',' END || note || ']'
  FROM unnest($1::uuid[], $2::text[]) AS given (ref, note) WHERE t.id = given.ref`;
const ADD_NOTES = { run: addNotes('runs'), delivery: addNotes('deliveries') };

/** Those that wait for their next attempt are due now. */
const BRING_FORWARD = `UPDATE @schema.work SET stage = ${CLAIMABLE}, due_at = $2
  WHERE stage = 'retrying' AND kind IN ('run', 'delivery') AND event_id = $1 RETURNING lane`;

/** What was done, beside how much. */
export interface DoneToDeadWork extends DeadWorkPage {
  /** Lanes in which something may be claimable now. */
  readonly lanes: readonly Lane[];
  /** Events whose status is another one now. */
  readonly changed: readonly string[];
}

type Done = Omit<DoneToDeadWork, 'nextCursor'>;
/** What becomes of dead work, by its ids; what somebody else has retried or dismissed meanwhile is left alone. */
type Act = (run: Run, ids: readonly number[]) => Promise<Done>;

/** Dead runs and deliveries. */
export class DeadWork {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Puts what is dead of an event back into its queues, unless its job was forgotten with the payload, and makes due what
   * waits for its next attempt. Null for an unknown event.
   */
  retry(eventId: string, now: number): Promise<DoneToDeadWork | null> {
    return this.#ofEvent(eventId, async (run, ids) => {
      const waiting = await run(BRING_FORWARD, [eventId, now]);
      const { count, lanes, changed } = await this.#putBack(run, ids, now);
      const brought = waiting.map((row) => word(row, 'lane', LANES));
      return {
        count: count + waiting.length,
        lanes: [...new Set([...lanes, ...brought])],
        changed,
      };
    });
  }

  /** The same for all that the filter finds. */
  retryAll(filter: DeadWorkFilter, now: number): Promise<DoneToDeadWork> {
    return this.#ofAll(filter, (run, ids) => this.#putBack(run, ids, now));
  }

  /** Forgets what is dead of an event; its history says so. Null for an unknown event. */
  dismiss(eventId: string, now: number): Promise<DoneToDeadWork | null> {
    return this.#ofEvent(eventId, (run, ids) => this.#forget(run, ids, now));
  }

  /** The same for all that the filter finds. */
  dismissAll(filter: DeadWorkFilter, now: number): Promise<DoneToDeadWork> {
    return this.#ofAll(filter, (run, ids) => this.#forget(run, ids, now));
  }

  #ofEvent(eventId: string, act: Act): Promise<DoneToDeadWork | null> {
    if (!isId(eventId)) return Promise.resolve(null);
    return this.#database.transaction(async (run) => {
      const [known] = await run('SELECT FROM @schema.events WHERE id = $1', [eventId]);
      if (known === undefined) return null;
      const found = await run(OF_EVENT, [eventId]);
      return { ...(await act(run, found.map(idOf))), nextCursor: null };
    });
  }

  /** The oldest first; the cursor is the number of the last one. */
  async #ofAll(filter: DeadWorkFilter, act: Act): Promise<DoneToDeadWork> {
    const { hook = null, since = null, status = null, cursor = '0', limit } = filter;
    // Work that no hook asked for names none.
    const isOfNone = filter.hook === null;
    if (Number.isNaN(since)) throw new RangeError('since is no time');
    const after = Number(cursor);
    if (!Number.isSafeInteger(after)) return { count: 0, lanes: [], changed: [], nextCursor: null };
    return this.#database.transaction(async (run) => {
      const found = await run(FOUND, [after, hook, since, status, limit + 1, isOfNone]);
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : undefined;
      const nextCursor = last === undefined ? null : String(idOf(last));
      return { ...(await act(run, page.map(idOf))), nextCursor };
    });
  }

  /** The queue's own function: it takes the locks of the keys before the rows. */
  async #putBack(run: Run, ids: readonly number[], now: number): Promise<Done> {
    const put = await run(`SELECT ${this.#database.fn('requeue')}($1::bigint[], $2) AS id`, [
      ids,
      now,
    ]);
    const rows = await run(OWNERS, [put.map(idOf)]);
    return {
      count: put.length,
      lanes: [...new Set(rows.map((row) => word(row, 'lane', LANES)))],
      changed: eventsOf(rows),
    };
  }

  async #forget(run: Run, ids: readonly number[], now: number): Promise<Done> {
    const rows = await run(TAKE, [ids]);
    await run(ADD_NOTES.run, [refsOf(rows, 'run'), notesOf(rows, 'run', now)]);
    await run(ADD_NOTES.delivery, [refsOf(rows, 'delivery'), notesOf(rows, 'delivery', now)]);
    await run('DELETE FROM @schema.work WHERE id = ANY ($1::bigint[])', [rows.map(idOf)]);
    const settle = `SELECT ${this.#database.fn('settle')}($1::uuid[]) AS id`;
    const settled = await run(settle, [eventsOf(rows)]);
    return { count: rows.length, lanes: [], changed: settled.map((row) => text(row, 'id')) };
  }
}

function idOf(row: Row): number {
  return integer(row, 'id');
}

/** The events among their owners, each once. */
function eventsOf(rows: readonly Row[]): string[] {
  const ids = rows.map((row) => optionalText(row, 'event_id')).filter((id) => id !== null);
  return [...new Set(ids)];
}

function ofKind(rows: readonly Row[], kind: (typeof RETRIABLE)[number]): Row[] {
  return rows.filter((row) => word(row, 'kind', RETRIABLE) === kind);
}

/** Ids of the runs or the deliveries among them. */
function refsOf(rows: readonly Row[], kind: (typeof RETRIABLE)[number]): string[] {
  return ofKind(rows, kind).map((row) => text(row, 'ref'));
}

function notesOf(rows: readonly Row[], kind: (typeof RETRIABLE)[number], now: number): string[] {
  return ofKind(rows, kind).map((row) => {
    const attempt = integer(row, 'attempt');
    return JSON.stringify({ at: now, attempt, outcome: 'dismissed' } satisfies AttemptNote);
  });
}
