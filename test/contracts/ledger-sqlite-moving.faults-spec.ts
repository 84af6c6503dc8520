import { openDirectory } from '../../src/ledger/sqlite/sqlite-ledger.ts';
import type { LedgerProvider } from '../../src/hooks/ports/ledger.ts';
import { sqliteStore } from '../support/sqlite-store.ts';
import { describeLedger } from './ledger.contract.ts';

// The whole contract once more while its place changes: among the faults, since both places have it in `npm test`.

/** Moves from the main thread into its own while the first calls come. */
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
