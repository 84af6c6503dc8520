import { SharedDatabase } from '../postgres/shared-database.ts';
import { describeLedger } from './ledger.contract.ts';

const database = SharedDatabase.inThisFile();

describeLedger('PostgreSQL', () => Promise.resolve(database.store()), 'work');
