import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LedgerProvider } from '../../src/hooks/ports/ledger.ts';
import type { OpenStore } from '../contracts/ledger/store.ts';

export function sqliteStore(providerOf: (dir: string) => LedgerProvider): OpenStore {
  return async () => {
    const dir = await mkdtemp(join(tmpdir(), 'ledger-'));
    const dispose = () => rm(dir, { recursive: true });
    return { provider: providerOf(dir), dispose };
  };
}
