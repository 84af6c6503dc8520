import { Pool } from 'pg';
import { postgresLedger } from '../../src/ledger/postgres/index.ts';
import { PostgresSuite } from '../postgres/suite.ts';
import { describeAccepting } from './ledger/accepting.contract.ts';
import { describeClaiming } from './ledger/claiming.contract.ts';
import { describeSearching } from './ledger/searching.contract.ts';
import { describeSettling } from './ledger/settling.contract.ts';
import type { OpenStore } from './ledger/store.ts';

describe('a ledger in PostgreSQL over one connection of a host', () => {
  const suite = PostgresSuite.inThisFile();
  let made = 0;
  const openStore: OpenStore = () => {
    const schema = `ledger_${(made += 1)}`;
    const { server } = suite;
    const pool = new Pool({ connectionString: server.url(), max: 1 });
    return Promise.resolve({
      provider: postgresLedger({ pool, schema }),
      dispose: async () => {
        await pool.end();
        await server.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      },
    });
  };

  describeAccepting(openStore);
  describeClaiming(openStore);
  describeSettling(openStore);
  describeSearching(openStore);
});
