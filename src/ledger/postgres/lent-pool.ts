// The pool of a host whose connections the ledger borrows. They may be set up as the host likes: values are parsed by each
// statement (connection.ts), tables are named with their schema, and what would cut a transaction short is set aside in it.
import type { ClientConfig, Pool } from 'pg';
import type { PostgresPool } from './postgres-pool.ts';

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
