import { postgresLedger } from '../../src/ledger/postgres/index.ts';
import { PostgresSuite } from '../postgres/suite.ts';
import { describeLedger } from './ledger.contract.ts';

const suite = PostgresSuite.inThisFile();

describeLedger('PostgreSQL', async () => {
  const database = await suite.server.database();
  return {
    provider: postgresLedger({ url: database.url }),
    isDurable: true,
    dispose: async () => database[Symbol.asyncDispose](),
  };
});
