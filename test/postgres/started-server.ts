import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PostgresServer } from '../support/postgres-server.ts';

// A process of its own with a PostgreSQL: says its directory and process id, and waits.
const { dir } = await PostgresServer.start();
const [pid] = readFileSync(join(dir, 'data', 'postmaster.pid'), 'utf8').split('\n');
console.log(dir, pid);
setInterval(() => undefined, 1000);
