import type { DatabaseSync } from 'node:sqlite';
import type { Inventory } from '../protocol.ts';
import { integer } from './rows.ts';

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
    waiting: count(`work WHERE stage <> 'dead'`),
  };
}
