import type { DatabaseSync } from 'node:sqlite';
import { idOf } from '../id-keys.ts';
import type { Inventory } from '../protocol.ts';
import { integer, text } from './rows.ts';

/** Counting more would cost a large ledger its quick start. */
const MOST_COUNTED = 10_000;

/** What a start finds; an operator sees by it that the ledger is the one he meant. */
export function takeInventory(db: DatabaseSync, isNew: boolean): Inventory {
  const count = (rows: string) => {
    const sql = `SELECT count(*) AS count FROM (SELECT 1 FROM ${rows} LIMIT ${MOST_COUNTED + 1})`;
    return integer(db.prepare(sql).get()!, 'count');
  };
  const events = count('events');
  return {
    isNew,
    events: Math.min(events, MOST_COUNTED),
    hasMore: events > MOST_COUNTED,
    lastId: findLastId(db),
    waiting: count(`work WHERE stage <> 'dead'`),
  };
}

/** The last id of all events, runs and deliveries; null: there is none. */
function findLastId(db: DatabaseSync): string | null {
  const last = (table: string) =>
    `SELECT * FROM (SELECT key, rest FROM ${table} ORDER BY key DESC LIMIT 1)`;
  const all = ['events', 'runs', 'deliveries'].map(last).join(' UNION ALL ');
  const row = db.prepare(`${all} ORDER BY key DESC LIMIT 1`).get();
  return row === undefined ? null : idOf(integer(row, 'key'), text(row, 'rest'));
}
