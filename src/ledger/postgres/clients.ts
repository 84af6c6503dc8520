// The pool may be a host's, set up as the host likes: what would cut a transaction short is set aside in it.
import type { ClientConfig, Pool, PoolClient, QueryConfig, QueryResult } from 'pg';
import { LedgerUnavailable } from '../../hooks/ports/ledger.ts';
import type { Row } from '../rows.ts';
import type { PostgresPool } from './postgres-pool.ts';

/** How long is waited for a connection, new or free. */
export const CONNECT_MS = 5000;

/** @throws Error with a sentence when it is nothing that the ledger can use */
export function checkPool(pool: PostgresPool): Pool {
  if (isPool(pool)) return pool;
  throw new Error(
    'the pool of postgresLedger is no Pool of the package pg, or has the option binary: hand in one of its JavaScript clients, without it',
  );
}

function isPool(pool: PostgresPool): pool is Pool {
  const { options } = pool;
  return typeof pool.connect === 'function' && !('binary' in options && options.binary === true);
}

/** How the pool makes its clients. Its password is hidden from whoever lists its options. */
export function clientConfigOf({ options }: Pool): ClientConfig {
  return { ...options, password: options.password };
}

/** A connection whose errors come with its statements, from its first moment until it is given back. */
export async function connect(pool: Pool): Promise<PoolClient> {
  const { promise, resolve, reject } = Promise.withResolvers<PoolClient>();
  let isLate = false;
  pool.connect((error, client) => {
    if (client === undefined) return reject(error ?? new Error('the pool gives no client'));
    if (isLate) return client.release();
    client.on('error', ignore);
    resolve(client);
  });
  if (pool.options.connectionTimeoutMillis) return promise;
  // A host's pool may let wait for ever.
  const timer = setTimeout(() => {
    isLate = true;
    reject(new LedgerUnavailable('no connection to the database came free in time'));
  }, CONNECT_MS);
  return promise.finally(() => clearTimeout(timer));
}

/** Of each connection that takes one statement at a time: what was sent to it last. */
const LAST_SENT = new WeakMap<PoolClient, Promise<unknown>>();

/** Sends a statement; all of one turn of the event loop in one write, which costs as much as planning a statement. */
export function send(client: PoolClient, query: QueryConfig): Promise<QueryResult<Row>> {
  if (!client.pipeline) {
    // The driver's own queue is deprecated, and says so.
    const sent = (LAST_SENT.get(client) ?? Promise.resolve()).then(() => client.query<Row>(query));
    LAST_SENT.set(client, sent.catch(ignore));
    return sent;
  }
  const { stream } = client.connection;
  if (stream.writableCorked === 0) {
    stream.cork();
    process.nextTick(() => stream.uncork());
  }
  return client.query<Row>(query);
}

export function ignore(): void {}
