// pg-boss on a real PostgreSQL, both only for the time of this process.
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { PostgresServer } from '../../test/support/postgres-server.ts';
import { fromNpm } from '../peers/install.mjs';

const FOLDER = fileURLToPath(new URL('../../node_modules/.pg-boss', import.meta.url));

/** @returns pg-boss with what it exports, and a PostgreSQL that commits durably */
export async function openWorld(version) {
  // Its own range names a version that not every registry has.
  const instead = { 'rrule-temporal': '2.2.7' };
  const installed = await fromNpm(FOLDER, 'pg-boss', { version, instead });
  const exported = await import(join(installed.home, 'dist/index.js'));
  const server = await PostgresServer.start({ settings: { fsync: 'on', autovacuum: 'on' } });
  return { server, exported, version: installed.version };
}

/** A pg-boss in a database of its own, without its own timers unless `supervise`. */
export async function openBoss({ server, exported }, options = {}) {
  const database = await server.database();
  const connectionString = database.url;
  const boss = new exported.PgBoss({
    connectionString,
    supervise: false,
    schedule: false,
    max: 4,
    ...options,
  });
  // Its database is dropped before its connections have said goodbye.
  const tell = ({ code, message }) => code !== '57P01' && console.error(message);
  boss.on('error', tell);
  await boss.start();
  const pool = new Pool({ connectionString, max: 8 });
  pool.on('error', tell);
  return {
    boss,
    pool,
    url: connectionString,
    /** A queue of strict order by key, as sessions need it. */
    async queue(name, more = {}) {
      const how = { policy: 'key_strict_fifo', retryLimit: 5, retryDelay: 0, heartbeatSeconds: 10 };
      await boss.createQueue(name, { ...how, ...more });
      return name;
    },
    async end() {
      await boss.stop({ graceful: false, close: true });
      await pool.end();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Work of a hook and a session as pg-boss's job; ids rise in order, as ours do. */
export function job(hook, session, more = {}) {
  return {
    id: uuidv7(),
    singletonKey: session,
    group: { id: hook },
    data: { hook, session },
    ...more,
  };
}

/** What pg-boss calls a connection of ours with an open transaction. */
export function within(client) {
  return { executeSql: (text, values) => client.query(text, values) };
}
