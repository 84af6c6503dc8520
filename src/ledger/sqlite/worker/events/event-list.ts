// The list of events, newest first, as an operator narrows it. Read by the reader thread on a connection of its own,
// beside the writer.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { EventFilter, EventSummary } from '../../../../hooks/ports/event-store.ts';
import { agentAndShortKey } from '../../../../hooks/ports/jobs.ts';
import { firstKeyOf, timeOf } from '../../id-keys.ts';
import { EVENT_STATUSES } from '../../../../hooks/ports/event-store.ts';
import { EventSummaries, SUMMARY_COLUMNS } from './event-summaries.ts';
import { integer } from '../../../rows.ts';

/** Ids may be so much later than their events: a body took its time. More, and the clock was set back. */
const LATEST_ID_MS = 3_600_000;

/** Lists events in order of acceptance, newest first; the cursor is the number of the last one shown. */
export class EventList {
  readonly #db: DatabaseSync;
  readonly #summaries: EventSummaries;
  readonly #newest: StatementSync;
  /** By SQL text: one for each shape of a filter. */
  readonly #prepared = new Map<string, StatementSync>();

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#summaries = new EventSummaries(db);
    this.#newest = db.prepare('SELECT key, received_at FROM events ORDER BY key DESC LIMIT 1');
  }

  /** One row more than asked for is read: whether it exists decides whether there is a next page. */
  list(filter: EventFilter): { events: EventSummary[]; nextCursor: string | null } {
    const { limit } = filter;
    const { sql, given } = buildQuery(filter, this.#isClockBehind());
    const rows = this.#statement(sql).all(...given, limit + 1);
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      events: shown.map((row) => this.#summaries.of(row)),
      nextCursor: last === undefined ? null : String(integer(last, 'key')),
    };
  }

  /** The event of a key. Null: it is not there, or not what the filter asks for. */
  one(only: number, { cursor: _cursor, ...filter }: EventFilter): EventSummary | null {
    const { sql, given } = buildQuery(filter, this.#isClockBehind(), only);
    const row = this.#statement(sql).get(...given, 1);
    return row === undefined ? null : this.#summaries.of(row);
  }

  /** Those that are still there, in the order of the keys given. */
  byKeys(keys: readonly number[]): EventSummary[] {
    const one = this.#statement(`SELECT ${SUMMARY_COLUMNS} FROM events e WHERE e.key = ?`);
    return keys.flatMap((key) => {
      const row = one.get(key);
      return row === undefined ? [] : [this.#summaries.of(row)];
    });
  }

  /** Whether the newest id is ahead of the time that its event was received at. */
  #isClockBehind(): boolean {
    const row = this.#newest.get();
    if (row === undefined) return false;
    return timeOf(integer(row, 'key')) - integer(row, 'received_at') > LATEST_ID_MS;
  }

  /** Prepared once for each shape of the query. */
  #statement(sql: string): StatementSync {
    const known = this.#prepared.get(sql) ?? this.#db.prepare(sql);
    this.#prepared.set(sql, known);
    return known;
  }
}

/** A query with what its parameters stand for, in their order. */
class Query {
  readonly given: SQLInputValue[] = [];
  readonly #terms: string[] = [];

  /** @param term a constant; each of its parameters is one of `given`. */
  where(term: string, ...given: SQLInputValue[]): void {
    this.#terms.push(term);
    this.given.push(...given);
  }

  get conditions(): string {
    return this.#terms.length === 0 ? '' : `WHERE ${this.#terms.join(' AND ')}`;
  }
}

/**
 * Every term is a constant or a parameter; the status is one of ours, looked up before it is written out. One index
 * leads, the one that finds the fewest: a plus before a column keeps SQLite off the index of that column.
 */
function buildQuery(
  filter: EventFilter,
  isClockBehind: boolean,
  only?: number,
): { sql: string; given: readonly SQLInputValue[] } {
  const { hook, mapping, session, status, cursor } = filter;
  const known = EVENT_STATUSES.find((candidate) => candidate === status);
  if (known !== status) throw new Error('unknown status');
  const query = new Query();
  const isRare = status !== undefined && status !== 'done';
  // Said twice, because SQLite does not see by itself that the partial index holds every such row.
  if (isRare) query.where(`e.status = '${status}' AND e.status <> 'done'`);
  else if (status !== undefined) query.where(`e.status = '${status}'`);
  const bySession = session !== undefined;
  if (bySession) query.where('r.agent_id = ? AND r.session_key = ?', ...agentAndShortKey(session));
  if (mapping !== undefined) query.where(isRare ? '+e.mapping = ?' : 'e.mapping = ?', mapping);
  const hasBetter = isRare || mapping !== undefined;
  if (hook !== undefined) query.where(hasBetter ? '+e.hook = ?' : 'e.hook = ?', hook);
  const key = bySession ? 'r.event' : 'e.key';
  if (only !== undefined) query.where(`${key} = ?`, only);
  if (cursor !== undefined) query.where(`${key} < ?`, Number(cursor));
  narrowByTime(query, key, filter, isClockBehind);
  const from = bySession ? 'runs r CROSS JOIN events e ON e.key = r.event' : 'events e';
  // Several runs of one event may be of one session.
  const once = bySession ? 'GROUP BY r.event' : '';
  const sql = `SELECT ${SUMMARY_COLUMNS} FROM ${from} ${query.conditions} ${once} ORDER BY ${key} DESC LIMIT ?`;
  return { sql, given: query.given };
}

/**
 * Keys are times, so a span of time is a range of keys: that of acceptance, a moment after that of receipt. While the
 * clock is behind the ids (it was set back), the time of receipt decides, and only `since` still bounds the range.
 */
function narrowByTime(
  query: Query,
  key: string,
  { since, until }: EventFilter,
  isClockBehind: boolean,
): void {
  if (since !== undefined) query.where(`${key} >= ?`, firstKeyOf(since));
  if (until !== undefined && !isClockBehind) query.where(`${key} < ?`, firstKeyOf(until));
  if (!isClockBehind) return;
  if (since !== undefined) query.where('e.received_at >= ?', since);
  if (until !== undefined) query.where('e.received_at < ?', until);
}
