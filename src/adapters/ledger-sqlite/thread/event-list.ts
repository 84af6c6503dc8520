import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { EventFilter, EventStatus, EventSummary } from '../../../hooks/ports/stories.ts';
import { integer, optionalText, text, time, word } from './row.ts';
import type { Row } from './row.ts';

export const EVENT_STATUSES: readonly EventStatus[] = [
  'accepted',
  'running',
  'done',
  'failed',
  'skipped',
];

/** Lists events in order of acceptance, newest first; the cursor is the number of the last one shown. */
export class EventList {
  readonly #db: DatabaseSync;
  /** By SQL text: one for each kind of filter, never more than a dozen. */
  readonly #prepared = new Map<string, StatementSync>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  list(filter: EventFilter): { events: EventSummary[]; nextCursor: string | null } {
    const { hook, cursor, limit } = filter;
    const given: SQLInputValue[] = [];
    if (hook !== undefined) given.push(hook);
    if (cursor !== undefined) given.push(Number(cursor));
    const rows = this.#statement(queryFor(filter)).all(...given, limit + 1);
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      events: shown.map(toSummary),
      nextCursor: last === undefined ? null : String(integer(last, 'n')),
    };
  }

  #statement(sql: string): StatementSync {
    const known = this.#prepared.get(sql) ?? this.#db.prepare(sql);
    this.#prepared.set(sql, known);
    return known;
  }
}

function queryFor({ hook, status, cursor }: EventFilter): string {
  const known = EVENT_STATUSES.find((candidate) => candidate === status);
  if (known !== status) throw new Error('unknown status');
  const terms: string[] = [];
  // The plus keeps SQLite off the index of hooks where the far shorter one of statuses applies.
  const isRare = status !== undefined && status !== 'done';
  if (hook !== undefined) terms.push(isRare ? '+hook = ?' : 'hook = ?');
  if (cursor !== undefined) terms.push('n < ?');
  if (status !== undefined) terms.push(`status = '${status}'`);
  // Said twice, because SQLite does not see by itself that the partial index holds every such row.
  if (isRare) terms.push(`status <> 'done'`);
  const where = terms.length === 0 ? '' : `WHERE ${terms.join(' AND ')}`;
  return `SELECT n, id, hook, status, received_at, mapping FROM events ${where} ORDER BY n DESC LIMIT ?`;
}

/** The columns that a list and a story share. */
export function toSummary(row: Row): EventSummary {
  return {
    id: text(row, 'id'),
    hook: text(row, 'hook'),
    status: word(row, 'status', EVENT_STATUSES),
    receivedAt: time(row, 'received_at'),
    mapping: optionalText(row, 'mapping'),
  };
}
