import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteLedger } from '../../src/ledger/sqlite/index.ts';
import { openDirectory } from '../../src/ledger/sqlite/sqlite-ledger.ts';
import type { LedgerProvider } from '../../src/hooks/ports/ledger.ts';
import { memoryLedger } from '../../src/testing.ts';
import { describeLedger } from './ledger.contract.ts';

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

const HOSTS: readonly (readonly [string, (dir: string) => LedgerProvider])[] = [
  ['on the main thread', (dir) => sqliteLedger({ dir, host: 'inline' })],
  ['in a thread', (dir) => sqliteLedger({ dir, host: 'thread' })],
  ['that moves into a thread', movingLedger],
];

for (const [where, providerOf] of HOSTS) {
  describeLedger(`a SQLite file ${where}`, async () => {
    const dir = await mkdtemp(join(tmpdir(), 'ledger-'));
    const dispose = () => rm(dir, { recursive: true });
    return { provider: providerOf(dir), isDurable: true, dispose };
  });
}

describeLedger('memory', () =>
  Promise.resolve({
    provider: memoryLedger(),
    isDurable: false,
    dispose: () => Promise.resolve(),
  }),
);
