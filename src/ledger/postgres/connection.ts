// Connections to the database: a pool for everything, and one connection that only accepts events, so that steps and
// readers never keep a sender waiting. Statements are not prepared by name, and nothing is set for a session: behind
// pgBouncer each transaction may come to another session of the server.
import type { Client, ClientConfig, Pool, PoolClient } from 'pg';
import { LedgerUnavailable } from '../../hooks/ports/ledger.ts';
import { loadOptionalPackage } from '../../platform/optional-package.ts';
import { optionalText } from '../rows.ts';
import type { Row } from '../rows.ts';
import { EDITION } from './functions/index.ts';
import { databaseTrouble, isGivenUp } from './trouble.ts';

/** Where the ledger is, and how many connections it may have. */
export interface ConnectionOptions {
  readonly url: string;
  /** Name of the schema. */
  readonly schema: string;
  /** Most connections at a time, without the two that accept events and listen. */
  readonly connections: number;
}

/** Runs a statement inside a transaction. */
export type Run = (sql: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** How long is waited for a connection, new or free. */
const CONNECT_MS = 5000;
/** A statement that takes longer is given up with its connection. */
const STATEMENT_MS = 20_000;
/** How often a transaction is begun anew that the server gave up for the sake of another. */
const ATTEMPTS = 5;

const INT8 = 20;
const NUMERIC = 1700;

/** The time of the database in epoch milliseconds, as an expression: the same for all instances. */
export const DATABASE_TIME = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/**
 * The database of one ledger: the only way from the rest of this folder to the driver.
 *
 * - Statements name tables as `@schema.events` and functions by `fn`; both become the schema's own.
 * - What the server gives up for another transaction's sake (a deadlock) is tried again here, a few times; all other
 *   trouble with the database is a `LedgerUnavailable` with a sentence, and any other error a mistake of ours.
 * - Texts lose what PostgreSQL cannot hold (U+0000, halves of characters) on the way in; int8 and numeric come back as
 *   numbers, which is exact below 2^53.
 */
export class Database {
  /** The schema as statements name it, quoted. */
  readonly schema: string;
  /** The schema as it is called. */
  readonly name: string;
  readonly #clients: typeof Client;
  readonly #config: ClientConfig;
  readonly #pool: Pool;
  readonly #intake: Pool;
  #isClosed = false;

  private constructor(
    { Client: clients, Pool: pools, types }: typeof import('pg'),
    { url, schema, connections }: ConnectionOptions,
  ) {
    this.name = schema;
    this.schema = `"${schema.replaceAll('"', '""')}"`;
    this.#clients = clients;
    this.#config = {
      connectionString: url,
      application_name: 'agent-hooks',
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_MS,
      types: {
        // Of this pool alone: numbers here are times, counts and places, which JavaScript holds exactly.
        getTypeParser: (oid: number) =>
          oid === INT8 || oid === NUMERIC ? Number : types.getTypeParser(oid),
      },
    };
    this.#pool = new pools({ ...this.#config, max: connections });
    this.#intake = new pools({ ...this.#config, max: 1 });
    for (const pool of [this.#pool, this.#intake]) {
      // An idle connection that was cut: the pool has let go of it already, and the next statement gets another.
      pool.on('error', ignore);
      // From its first moment, and while it is checked out: an error of the connection comes here and with the statement.
      pool.on('connect', (client) => client.on('error', ignore));
    }
  }

  /** Connects with the first statement. @throws OptionalPackageError when the driver is not installed */
  static async of(options: ConnectionOptions): Promise<Database> {
    return new Database(await loadOptionalPackage('pg', () => import('pg')), options);
  }

  /**
   * One statement, which is a transaction of its own; `@schema` in it is the ledger's. Texts may hold anything:
   * {@link storable} is applied to them.
   * @throws LedgerUnavailable when the database cannot be used
   */
  query(sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return again(() =>
      this.#use(this.#pool, STATEMENT_MS, (client) => this.#run(client, sql, values)),
    );
  }

  /**
   * The same on the connection that accepts events; not tried again.
   * @throws LedgerUnavailable when nothing was sent; afterwards what the driver throws
   */
  accept(sql: string, values: readonly unknown[]): Promise<readonly Row[]> {
    return this.#use(this.#intake, STATEMENT_MS, (client) => this.#run(client, sql, values));
  }

  /** Calls a function of this release, which answers with JSON (or true, false, null). @throws LedgerUnavailable */
  async call<T>(name: string, values: readonly unknown[]): Promise<T> {
    const places = values.map((_, index) => `$${index + 1}`).join(', ');
    const [row] = await this.query(`SELECT ${this.fn(name)}(${places})::text AS answer`, values);
    return JSON.parse(answerOf(row));
  }

  /** A function of this release (functions/), as statements name it. */
  fn(name: string): string {
    return `${this.schema}.${name}_${EDITION}`;
  }

  /**
   * Several statements that are written together or not at all.
   * @param mostMs how long all of it may take; then it is given up with its connection
   * @throws LedgerUnavailable
   */
  transaction<T>(act: (run: Run) => Promise<T>, mostMs = STATEMENT_MS): Promise<T> {
    return again(() =>
      this.#use(this.#pool, mostMs, async (client) => {
        // The locks of a process that falls asleep in the middle are not held until it wakes.
        await client.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${mostMs}`);
        try {
          const result = await act((sql, values = []) => this.#run(client, sql, values));
          await client.query('COMMIT');
          return result;
        } catch (error) {
          // Of a connection that is gone, the server rolls back by itself.
          await client.query('ROLLBACK').catch(() => {});
          throw error;
        }
      }),
    );
  }

  /** A connection beside the pool, not opened yet. */
  newClient(): Client {
    return new this.#clients(this.#config);
  }

  /** Everything later is refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#pool.end(), this.#intake.end()]);
  }

  async #run(client: PoolClient, text: string, values: readonly unknown[]): Promise<Row[]> {
    const sql = text.replaceAll('@schema', this.schema);
    // Without values several statements may stand in one text.
    const { rows } = await (values.length === 0
      ? client.query(sql)
      : client.query(sql, values.map(storable)));
    return rows;
  }

  async #use<T>(pool: Pool, mostMs: number, act: (client: PoolClient) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new LedgerUnavailable('the ledger is closed');
    const client = await connect(pool);
    let isUnclear = false;
    const timer = setTimeout(() => {
      isUnclear = true;
      client.release(new Error('the database does not answer'));
    }, mostMs);
    try {
      return await act(client);
    } catch (error) {
      if (!isUnclear && databaseTrouble(error) !== null) {
        isUnclear = true;
        client.release(true);
      }
      throw error;
    } finally {
      clearTimeout(timer);
      if (!isUnclear) client.release();
    }
  }
}

function ignore(): void {}

async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw translate(error);
  }
}

/** The JSON text in the column `answer`. */
export function answerOf(row: Row | undefined): string {
  return optionalText(row!, 'answer') ?? 'null';
}

/** What the server gave up because two waited for each other is done again; other trouble is told. */
async function again<T>(act: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await act();
    } catch (error) {
      if (isGivenUp(error) && attempt < ATTEMPTS) continue;
      throw translate(error);
    }
  }
}

/** Trouble with the database as the ports know it; anything else as it is. */
export function translate(error: unknown): unknown {
  const trouble = databaseTrouble(error);
  return trouble === null ? error : new LedgerUnavailable(trouble, { cause: error });
}

/** A value as PostgreSQL can hold it: its texts have no U+0000 and no halves of characters; both become U+FFFD. */
export function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  return Array.isArray(value) ? value.map(storable) : value;
}

/** JSON text of a value whose texts are {@link storable}: the server reads them out of it. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'string' ? storableText(inner) : inner,
  );
}

function storableText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes('\0') ? whole.replaceAll('\0', '\uFFFD') : whole;
}
