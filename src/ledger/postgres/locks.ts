// Advisory locks of the ledger as a whole; each ends with the transaction that took it.
import type { Database } from './connection.ts';
import type { Run } from './transaction.ts';
import { LOCKS } from './schema.ts';

/** Waits until no other transaction, of whichever instance, holds this lock. */
export async function takeLock(
  { name }: Database,
  run: Run,
  lock: keyof typeof LOCKS,
): Promise<void> {
  await run('SELECT pg_advisory_xact_lock(hashtext($1), $2)', [name, LOCKS[lock]]);
}

export async function tryLock(
  { name }: Database,
  run: Run,
  lock: keyof typeof LOCKS,
): Promise<boolean> {
  const [row] = await run('SELECT pg_try_advisory_xact_lock(hashtext($1), $2) AS taken', [
    name,
    LOCKS[lock],
  ]);
  return row?.['taken'] === true;
}
