import type { Clock } from '../../hooks/ports/clock.ts';
import type { Ledger, LedgerLog } from '../../hooks/ports/ledger.ts';
import type { Database } from './connection.ts';

/** A database with the schema of this release, and whom to tell. */
export interface OpenedDatabase {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: LedgerLog;
  readonly hasSearch: boolean;
}

/** The ports of a ledger over an open database, which it closes with itself. */
export async function openLedger({ database }: OpenedDatabase): Promise<Ledger> {
  throw new Error(`the schema ${database.name} is there, and its ports are not`);
}
