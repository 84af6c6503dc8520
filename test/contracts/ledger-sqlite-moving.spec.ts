import { openDirectory } from '../../src/ledger/sqlite/sqlite-ledger.ts';
import type { LedgerProvider } from '../../src/hooks/ports/ledger.ts';
import { sqliteStore } from '../support/sqlite-store.ts';
import { describeLedger } from './ledger.contract.ts';

/** Begins on the main thread and moves into its own with the first call: whatever is asked and answered later is a message. */
function movingLedger(dir: string): LedgerProvider {
  const isFast = () => Promise.resolve(true);
  const pace = { isFast, note: () => true, beginAnew: () => {} };
  const place = { dir, host: 'auto', waitForLock: false, hasSearch: true, pace } as const;
  const open = async (...[clock, log]: Parameters<LedgerProvider['open']>) => {
    const ledger = await openDirectory(place, clock, log);
    await ledger.maintenance.health();
    return ledger;
  };
  return { open };
}

describeLedger('a SQLite file that moves into a thread', sqliteStore(movingLedger));
