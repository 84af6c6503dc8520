import type { LedgerProvider } from '../../hooks/ports/ledger.ts';
import { openSqliteLedger } from './open.ts';

/** A ledger that is empty when it opens and gone when it closes: the same code on SQLite's `:memory:`. For tests. */
export function memoryLedger(): LedgerProvider {
  return { open: (clock) => openSqliteLedger(null, clock) };
}
