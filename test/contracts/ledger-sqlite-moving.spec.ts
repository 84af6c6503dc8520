import { openDirectory } from '../../src/ledger/sqlite/sqlite-ledger.ts';
import type { LedgerProvider } from '../../src/hooks/ports/ledger.ts';
import { sqliteStore } from '../support/sqlite-store.ts';
import { describeAccepting } from './ledger/accepting.contract.ts';
import { describeClaiming } from './ledger/claiming.contract.ts';
import { describeSearching } from './ledger/searching.contract.ts';
import { describeSessions } from './ledger/sessions.contract.ts';
import { describeSettling } from './ledger/settling.contract.ts';

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

// What it has written until then, and is about to. Once it has moved it is the ledger of ledger-sqlite-thread.spec.ts.
describe('a ledger in a SQLite file that moves into a thread', () => {
  const openStore = sqliteStore(movingLedger);
  describeAccepting(openStore);
  describeClaiming(openStore);
  describeSettling(openStore);
  describeSessions(openStore);
  describeSearching(openStore);
});
