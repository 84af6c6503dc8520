import { Database } from '../../src/ledger/postgres/connection.ts';

// A process that holds a lock in a transaction of the ledger's which may take two seconds, says so, and goes on holding it.
const [, , url = ''] = process.argv;
const database = await Database.of({ url, schema: 'hooks', connections: 1 });
await database.transaction(async (run) => {
  await run('SELECT pg_advisory_xact_lock(1, 1)');
  console.log('holds it');
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}, 2000);
