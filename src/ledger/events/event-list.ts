// Lists events in the order of acceptance, newest first; the cursor is the id of the last one shown.
import type { EventFilter, EventSummary, FoundEvents } from '../../hooks/ports/event-store.ts';
import { agentAndShortKey } from '../../hooks/ports/jobs.ts';
import { EVENT_STATUSES } from '../../hooks/ports/event-status.ts';
import { integer, keyIn, text } from '../rows.ts';
import type { Key, Row } from '../rows.ts';
import { first } from '../tx.ts';
import type { Tx, Value } from '../tx.ts';
import { SUMMARY, summaryOf } from './event-summaries.ts';

/** Ids may be so much later than their events: a body took its time. More, and the clock was set back. */
const LATEST_ID_MS = 3_600_000;

const NEWEST = `SELECT KEY(e) AS key, received_at FROM @events e ORDER BY KEY(e) DESC LIMIT 1`;
const BY_KEYS = `SELECT ${SUMMARY} FROM @events e WHERE KEY(e) = ANY ($1::uuid[])`;

/** One row more than asked for is read: whether it exists decides whether there is a next page. */
export async function listEvents(tx: Tx, filter: EventFilter): Promise<FoundEvents> {
  const query = await narrow(tx, filter);
  const rows = await selectSummaries(tx, query, filter.limit + 1);
  const shown = rows.slice(0, filter.limit);
  const last = rows.length > filter.limit ? shown.at(-1) : undefined;
  return {
    events: shown.map(summaryOf),
    nextCursor: last === undefined ? null : text(last, 'id'),
  };
}

/** The event of a key. Null: it is not there, or not what the filter asks for. */
export async function findOne(
  tx: Tx,
  key: Key,
  { cursor: _cursor, ...filter }: EventFilter,
): Promise<EventSummary | null> {
  const query = await narrow(tx, filter);
  query.where(`${query.key} = ${query.given(key)}`);
  const [row] = await selectSummaries(tx, query, 1);
  return row === undefined ? null : summaryOf(row);
}

/** Those that are still there, in the order of the keys given. */
export async function summariesOf(tx: Tx, keys: readonly Key[]): Promise<EventSummary[]> {
  const rows = await tx.all(BY_KEYS, keys);
  const found = new Map(rows.map((row) => [keyIn(row, 'key'), row]));
  return keys.flatMap((key) => {
    const row = found.get(key);
    return row === undefined ? [] : [summaryOf(row)];
  });
}

export function selectSummaries(
  tx: Tx,
  query: NarrowedEvents,
  most: number,
): ReturnType<Tx['all']> {
  const keys = `${query.select} ORDER BY ${query.order} LIMIT ${query.given(most)}`;
  // As a cross join, because SQLite might read all events otherwise to find a few keys among them.
  return tx.all(
    `SELECT ${SUMMARY} FROM (${keys}) AS found CROSS JOIN @events e WHERE KEY(e) = found.key ORDER BY KEY(e) DESC`,
    ...query.values,
  );
}

/** A query for events, with what its parameters stand for, in their order. One index leads, the one that finds the fewest. */
class NarrowedEvents {
  readonly values: Value[] = [];
  readonly #terms: string[] = [];
  #lead: string | null = null;
  #from = '@events n';
  /** The column by which they are in order. */
  key = 'KEY(n)';
  #isOfSession = false;

  given(value: Value): string {
    return `$${this.values.push(value)}`;
  }

  /** @param term a constant and parameters that were {@link given} */
  where(term: string): void {
    this.#terms.push(term);
  }

  /** Only events with this in a column, which an index holds together with their keys. @param lead the column that leads */
  whereIs(column: string, value: string, lead: string | null): void {
    const place = this.given(value);
    if (column === lead) {
      this.#lead = `n.${column}`;
      this.where(`FIRST(n.${column}, ${place})`);
    } else if (lead === null && !this.#isOfSession) this.where(`n.${column} = ${place}`);
    // What is no column has no index: databases that do not count what is in them would take any.
    else this.where(`n.${column} || '' = ${place}`);
  }

  /** Only events with a run in this session, each once. */
  inSession(session: string): void {
    const [agent, key] = agentAndShortKey(session);
    this.#from = '@runs r CROSS JOIN @events n';
    this.where('KEY(n) = r.event');
    this.where(`r.agent_id = ${this.given(agent)} AND r.session_key = ${this.given(key)}`);
    this.key = 'r.event';
    this.#isOfSession = true;
  }

  /** Joins the texts of the search index (`s`), by which they are in order then. */
  withTexts(): void {
    this.#from += ` JOIN @search_texts s ON s.event = ${this.key}`;
    this.key = 's.event';
  }

  get order(): string {
    return `${this.#lead === null ? '' : `${this.#lead} DESC, `}${this.key} DESC`;
  }

  get select(): string {
    const where = this.#terms.length === 0 ? '' : `WHERE ${this.#terms.join(' AND ')}`;
    const once = this.#isOfSession ? `GROUP BY ${this.key}` : '';
    return `SELECT ${this.key} AS key FROM ${this.#from} ${where} ${once}`;
  }
}

/** Every term is a constant or a parameter. */
export async function narrow(tx: Tx, filter: EventFilter): Promise<NarrowedEvents> {
  const { hook, mapping, session, status, cursor } = filter;
  const query = new NarrowedEvents();
  if (session !== undefined) query.inSession(session);
  if (status !== undefined) {
    if (!EVENT_STATUSES.includes(status)) throw new Error('unknown status');
    // Said besides, because a parameter does not tell that the partial index holds every such row.
    if (status !== 'done') query.where(`n.status <> 'done'`);
  }
  for (const [column, value] of Object.entries({ status, mapping, hook })) {
    if (value !== undefined) query.whereIs(column, value, leadOf(filter));
  }
  // Before an id that is none, there is nothing.
  if (cursor !== undefined) {
    query.where(`${query.key} < ${query.given(tx.keys.of(cursor) ?? tx.keys.first(-Infinity))}`);
  }
  await narrowByTime(tx, query, filter);
  return query;
}

/** The column whose index finds the fewest; none where a session, or a span of time, bounds what is looked at. */
function leadOf({ hook, mapping, session, since, status }: EventFilter): string | null {
  if (session !== undefined || since !== undefined) return null;
  if (status !== undefined && status !== 'done') return 'status';
  if (mapping !== undefined) return 'mapping';
  return hook === undefined ? null : 'hook';
}

/** Keys are times: a span of time is a range of keys; while the clock is behind the ids, only `since` bounds it. */
async function narrowByTime(
  tx: Tx,
  query: NarrowedEvents,
  { since, until }: EventFilter,
): Promise<void> {
  if (since === undefined && until === undefined) return;
  const isBehind = isClockBehind(tx, await first(tx, NEWEST));
  if (since !== undefined) query.where(`${query.key} >= ${query.given(tx.keys.first(since))}`);
  if (until !== undefined && !isBehind) {
    query.where(`${query.key} < ${query.given(tx.keys.first(until))}`);
  }
  if (!isBehind) return;
  if (since !== undefined) query.where(`n.received_at >= ${query.given(Math.ceil(since))}`);
  if (until !== undefined) query.where(`n.received_at < ${query.given(Math.ceil(until))}`);
}

/** Whether the newest id is ahead of the time that its event was received at. */
function isClockBehind(tx: Tx, newest: Row | undefined): boolean {
  if (newest === undefined) return false;
  return tx.keys.timeOf(keyIn(newest, 'key')) - integer(newest, 'received_at') > LATEST_ID_MS;
}
