import type { Clock } from '../../hooks/ports/clock.ts';
import type { Ledger, LedgerLog, LedgerProvider } from '../../hooks/ports/ledger.ts';
import { optionalText, text } from '../rows.ts';
import { Database } from './connection.ts';
import type { PostgresPool } from './postgres-pool.ts';
import { findEdition, migrate } from './migrate.ts';
import { openLedger } from './open-ledger.ts';
import { refusal } from './refusal.ts';
import { MIGRATIONS } from './schema.ts';

/** Where {@link postgresLedger} keeps its tables, and over whose connections. */
export type PostgresLedgerOptions = PostgresTables & (OwnConnections | HostConnections);

/** Connections that the ledger makes, and ends. */
interface OwnConnections {
  /** `postgres://user:password@host:5432/database`, with `?sslmode=verify-full` where a network lies between. */
  readonly url: string;
  /** Most connections at a time; two more accept events and listen. @default 10 */
  readonly connections?: number;
  readonly pool?: undefined;
}

/** Connections that the host lends. */
interface HostConnections {
  /**
   * A `Pool` of the package `pg` that is yours. All clients that are free may be in use at a time, its `max` at most, one
   * of them to accept events; a `max` of 1 works. LISTEN has a connection of its own beside the pool, made from its options.
   * Who finds no client free waits as its `connectionTimeoutMillis` says, 5 seconds by default, and is refused then.
   * With its option `pipeline: true` an event is accepted in two round trips. Closing the ledger gives every client back
   * and leaves the pool open: end it after that. Opening fails with an Error when it is no such pool, or has `binary: true`.
   */
  readonly pool: PostgresPool;
  readonly url?: undefined;
  readonly connections?: undefined;
}

interface PostgresTables {
  /** Schema of the tables, made when it is not there. @default 'hooks' */
  readonly schema?: string;
  /** True: events can be searched by their texts. @default true */
  readonly search?: boolean;
}

/**
 * A ledger in a PostgreSQL 15 or later, which several processes may share: each takes its part of the work, and a
 * session is worked on by one at a time. Needs the package `pg`.
 * @example postgresLedger({ url: process.env.DATABASE_URL })
 * @example postgresLedger({ pool }) // a Pool of pg, which stays yours
 */
export function postgresLedger(options: PostgresLedgerOptions): LedgerProvider {
  return { open: (clock, log = SILENT) => openDatabase(options, clock, log) };
}

const SILENT: LedgerLog = { log: () => {}, warn: () => {}, error: () => {} };

/** @throws Error with a sentence that says which database it is, what is wrong and what to do */
async function openDatabase(
  options: PostgresLedgerOptions,
  clock: Clock,
  log: LedgerLog,
): Promise<Ledger> {
  const { schema = 'hooks', search = true } = options;
  const database = await Database.of(
    options.pool === undefined
      ? { url: options.url, schema, connections: options.connections ?? 10 }
      : { pool: options.pool, schema },
  );
  try {
    const { isNew } = await migrate(database, clock.now());
    const what = isNew ? 'made a new ledger' : 'opened the ledger';
    log.log(`${what} in the schema ${schema} of the database ${database.place}`);
    return await openLedger({ database, clock, log, hasSearch: search });
  } catch (error) {
    await database.close();
    throw refusal(database, error);
  }
}

export interface DatabaseState {
  /** `15.18`. */
  readonly version: string;
  /** That of the ledger in the schema, and the newest; null: there is none. */
  readonly edition: { readonly number: number; readonly newest: number } | null;
  /** What can lose accepted events when the machine of the database loses its power: `fsync`, `synchronous_commit`. */
  readonly unsafe: readonly string[];
}

/** Connects and looks. @throws Error with a sentence that says what is wrong and what to do */
export async function lookAtPostgres(options: {
  readonly url: string;
  readonly schema: string;
}): Promise<DatabaseState> {
  const database = await Database.of({ ...options, connections: 1 });
  try {
    const [row] = await database.query(
      `SELECT current_setting('server_version') AS version,
         CASE WHEN current_setting('fsync') = 'off' THEN 'fsync' END AS fsync,
         CASE WHEN current_setting('synchronous_commit') = 'off' THEN 'synchronous_commit' END AS commit`,
    );
    const number = await findEdition(database, (sql, values) => database.query(sql, values));
    return {
      version: text(row!, 'version'),
      edition: number === null ? null : { number, newest: MIGRATIONS.at(-1)!.number },
      unsafe: ['fsync', 'commit'].flatMap((name) => optionalText(row!, name) ?? []),
    };
  } catch (error) {
    throw refusal(database, error);
  } finally {
    await database.close();
  }
}
