import { sqliteLedger } from '../../src/ledger/sqlite/index.ts';
import { sqliteStore } from '../support/sqlite-store.ts';
import { describeLedger } from './ledger.contract.ts';

const openStore = sqliteStore((dir) => sqliteLedger({ dir, host: 'inline' }));

describeLedger('a SQLite file on the main thread', openStore, 'rules');
