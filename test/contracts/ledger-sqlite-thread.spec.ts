import { sqliteLedger } from '../../src/ledger/sqlite/index.ts';
import { sqliteStore } from '../support/sqlite-store.ts';
import { describeLedger } from './ledger.contract.ts';

describeLedger(
  'a SQLite file in a thread of its own',
  sqliteStore((dir) => sqliteLedger({ dir, host: 'thread' })),
);
