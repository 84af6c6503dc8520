import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteLedger } from '../../src/ledger/sqlite/index.ts';
import { memoryLedger } from '../../src/testing.ts';
import { describeLedger } from './ledger.contract.ts';

describeLedger('a SQLite file', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'ledger-'));
  const dispose = () => rm(dir, { recursive: true });
  return { provider: sqliteLedger({ dir }), isDurable: true, dispose };
});

describeLedger('memory', () =>
  Promise.resolve({
    provider: memoryLedger(),
    isDurable: false,
    dispose: () => Promise.resolve(),
  }),
);
