// Lists events in the order of acceptance, newest first; the cursor is the id of the last one shown.
import type { EventFilter, EventSummary, FoundEvents } from '../../../hooks/ports/event-store.ts';
import { agentAndShortKey } from '../../../hooks/ports/jobs.ts';
import { EVENT_STATUSES } from '../../../hooks/ports/event-store.ts';
import { integer, text } from '../../rows.ts';
import type { Database, Run } from '../connection.ts';
import { FIRST_ID, idAt, isId, timeOf } from '../ids.ts';
import { selectSummaries, summaryOf } from './event-summaries.ts';

/** Ids may be so much later than their events: a body took its time. More, and the clock was set back. */
const LATEST_ID_MS = 3_600_000;

/** One row more than asked for is read: whether it exists decides whether there is a next page. */
export async function listEvents(database: Database, filter: EventFilter): Promise<FoundEvents> {
  const narrowed = await narrow((sql, values) => database.query(sql, values), filter);
  const events = `${narrowed.select} ORDER BY ${narrowed.order} LIMIT ${narrowed.given(filter.limit + 1)}`;
  const rows = await database.query(
    `${selectSummaries(events)} ORDER BY e.id DESC`,
    narrowed.values,
  );
  const shown = rows.slice(0, filter.limit);
  const last = rows.length > filter.limit ? shown.at(-1) : undefined;
  return {
    events: shown.map(summaryOf),
    nextCursor: last === undefined ? null : text(last, 'id'),
  };
}

/** Those that are still there, in the order of the ids given. */
export async function summariesOf(
  database: Database,
  ids: readonly string[],
): Promise<EventSummary[]> {
  const events = 'SELECT * FROM @schema.events WHERE id = ANY ($1::uuid[])';
  const rows = await database.query(
    `${selectSummaries(events)} ORDER BY array_position($1::uuid[], e.id)`,
    [ids],
  );
  return rows.map(summaryOf);
}

/** A query for events, with what its parameters stand for, in their order. */
export class NarrowedEvents {
  readonly values: unknown[] = [];
  readonly #terms: string[] = [];
  #lead: string | null = null;
  #from = '@schema.events n';
  /** The column by which they are in order. */
  id = 'n.id';

  /** Names a parameter. */
  given(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  /** @param term a constant and parameters that were {@link given} */
  where(term: string): void {
    this.#terms.push(term);
  }

  /**
   * Only events with this in a column, which an index holds together with ids.
   * @param leads that index finds the newest, whatever the planner believes. It knows how often a value comes, but not
   * when: of a hook that was busy once, it would look for them among all events. What is a range of one value has to be
   * put in order by its column, too, as only the index does.
   */
  whereIs(column: string, value: string, leads: boolean): void {
    const place = this.given(value);
    this.where(leads ? `n.${column} BETWEEN ${place} AND ${place}` : `n.${column} = ${place}`);
    if (leads) this.#lead = `n.${column}`;
  }

  /** Only events with a run in this session, each once. */
  inSession(session: string): void {
    const [agent, key] = agentAndShortKey(session);
    this.#from = `(SELECT DISTINCT event FROM @schema.runs
        WHERE agent_id = ${this.given(agent)} AND session_key = ${this.given(key)} ORDER BY event DESC) r
      JOIN @schema.events n ON n.id = r.event`;
    this.id = 'r.event';
  }

  /** Joins the texts of the search index (`s`), by which they are in order then. */
  withTexts(): void {
    this.#from += ` JOIN @schema.search_texts s ON s.event = ${this.id}`;
    this.id = 's.event';
  }

  /** The newest first. */
  get order(): string {
    return `${this.#lead === null ? '' : `${this.#lead} DESC, `}${this.id} DESC`;
  }

  get select(): string {
    const where = this.#terms.length === 0 ? '' : `WHERE ${this.#terms.join(' AND ')}`;
    return `SELECT n.* FROM ${this.#from} ${where}`;
  }
}

/** Every term is a constant or a parameter. */
export async function narrow(run: Run, filter: EventFilter): Promise<NarrowedEvents> {
  const { hook, mapping, session, status, cursor } = filter;
  const query = new NarrowedEvents();
  if (session !== undefined) query.inSession(session);
  if (status !== undefined) {
    if (!EVENT_STATUSES.includes(status)) throw new Error('unknown status');
    // Said besides, because a parameter does not tell the planner that the partial index holds every such row.
    if (status !== 'done') query.where(`n.status <> 'done'`);
  }
  for (const [column, value] of Object.entries({ status, mapping, hook })) {
    if (value !== undefined) query.whereIs(column, value, column === leadOf(filter));
  }
  // Before an id that is none, there is nothing.
  if (cursor !== undefined) {
    query.where(`${query.id} < ${query.given(isId(cursor) ? cursor : FIRST_ID)}`);
  }
  await narrowByTime(run, query, filter);
  return query;
}

/**
 * The column whose index finds the fewest. None where a session finds fewer, or where a span of time bounds what is looked
 * at: a range of values would be read past its beginning.
 */
function leadOf({ hook, mapping, session, since, status }: EventFilter): string | null {
  if (session !== undefined || since !== undefined) return null;
  if (status !== undefined && status !== 'done') return 'status';
  if (mapping !== undefined) return 'mapping';
  return hook === undefined ? null : 'hook';
}

/**
 * Ids are times, so a span of time is a range of ids: that of acceptance, a moment after that of receipt. While the clock
 * is behind the ids (it was set back), the time of receipt decides, and only `since` still bounds the range.
 */
async function narrowByTime(
  run: Run,
  query: NarrowedEvents,
  { since, until }: EventFilter,
): Promise<void> {
  if (since === undefined && until === undefined) return;
  const isBehind = await isClockBehind(run);
  if (since !== undefined) query.where(`${query.id} >= ${query.given(idAt(since))}`);
  if (until !== undefined && !isBehind) {
    query.where(`${query.id} < ${query.given(idAt(until))}`);
  }
  if (!isBehind) return;
  if (since !== undefined) query.where(`n.received_at >= ${query.given(Math.ceil(since))}`);
  if (until !== undefined) query.where(`n.received_at < ${query.given(Math.ceil(until))}`);
}

/** Whether the newest id is ahead of the time that its event was received at. */
async function isClockBehind(run: Run): Promise<boolean> {
  const [row] = await run('SELECT id, received_at FROM @schema.events ORDER BY id DESC LIMIT 1');
  if (row === undefined) return false;
  return timeOf(text(row, 'id')) - integer(row, 'received_at') > LATEST_ID_MS;
}
