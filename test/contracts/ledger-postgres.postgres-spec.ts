import { postgresLedger } from '../../src/ledger/postgres/index.ts';
import { PostgresSuite } from '../postgres/suite.ts';
import { describeLedger } from './ledger.contract.ts';

const suite = PostgresSuite.inThisFile();

let made = 0;

describeLedger('PostgreSQL', () => {
  // A schema of its own for each test: a database would take it three times as long.
  const schema = `ledger_${(made += 1)}`;
  const { server } = suite;
  return Promise.resolve({
    provider: postgresLedger({ url: server.url(), schema }),
    isDurable: true,
    dispose: async () => {
      await server.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    },
  });
});
