import { memoryLedger } from '../../src/testing.ts';
import { describeLedger } from './ledger.contract.ts';

describeLedger('memory', () =>
  Promise.resolve({
    provider: memoryLedger(),
    isDurable: false,
    dispose: () => Promise.resolve(),
  }),
);
