import { resolve } from 'node:path';
import type { LedgerProvider } from '../../hooks/ports/ledger.ts';
import { openSqliteLedger } from './open.ts';

export interface SqliteLedgerOptions {
  /** Directory of the ledger, made when absent. One process at a time may use it. */
  readonly dir: string;
}

/**
 * A ledger in one SQLite file, `<dir>/ledger.db`: durable before it answers, power loss included. For one process on a
 * local disk.
 */
export function sqliteLedger(options: SqliteLedgerOptions): LedgerProvider {
  return { open: (clock) => openSqliteLedger(resolve(options.dir), clock) };
}
