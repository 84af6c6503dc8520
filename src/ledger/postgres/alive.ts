import { text } from '../rows.ts';
import { DATABASE_TIME } from './connection.ts';
import type { Run } from './transaction.ts';

/** Whoever was not heard of for so long has died, in milliseconds: three words are missing. */
const GONE_MS = 100_000;
const ALIVE = `SELECT name FROM @schema.instances WHERE seen_at > ${DATABASE_TIME} - ${GONE_MS}
  ORDER BY seen_at DESC LIMIT 1`;

/** The name of a process that has the ledger open, its host and process id, the last one that said so; null: there is none. */
export async function findAlive(run: Run): Promise<string | null> {
  const [alive] = await run(ALIVE);
  return alive === undefined ? null : text(alive, 'name');
}
