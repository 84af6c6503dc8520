// Connections to the database: a pool for everything, and one connection that only accepts events, so that steps and
// readers never keep a sender waiting; or a host's pool for both. Nothing is set for a session: behind pgBouncer each
// transaction may come to another session of the server, and a host's sessions are its own.
import type { Client, ClientConfig, Pool, PoolClient } from 'pg';
import { LedgerUnavailable } from '../../hooks/ports/ledger.ts';
import { loadOptionalPackage } from '../../platform/optional-package.ts';
import { optionalText } from '../rows.ts';
import type { Row } from '../rows.ts';
import { EDITION } from './functions/index.ts';
import { CONNECT_MS, checkPool, clientConfigOf, connect, ignore } from './clients.ts';
import type { PostgresPool } from './postgres-pool.ts';
import { SentStatements } from './sent-statements.ts';
import { UnclearCommit, transact } from './transaction.ts';
import type { Act, Transaction } from './transaction.ts';
import { databaseTrouble, isGivenUp } from './trouble.ts';

interface ConnectionOptions {
  readonly url: string;
  readonly schema: string;
  /** Most connections at a time, without the two that accept events and listen. */
  readonly connections: number;
}

interface LentConnections {
  readonly pool: PostgresPool;
  readonly schema: string;
}

/** A statement that takes longer is given up with its connection. */
const STATEMENT_MS = 20_000;
/** How often a transaction is begun anew that the server gave up for the sake of another. */
const ATTEMPTS = 5;

/** Our name among the connections of a server. */
export const APPLICATION = 'agent-hooks';

/** Under our name, by which its process is known when a commit's answer was lost; without the host's limits. */
const LENT_BEGIN = `BEGIN; SET LOCAL application_name = '${APPLICATION}'; SET LOCAL statement_timeout = 0;
  SET LOCAL lock_timeout = 0`;

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
  readonly #statements: SentStatements;
  readonly #pool: Pool;
  readonly #intake: Pool;
  /** Ours, which end with the ledger. */
  readonly #own: readonly Pool[];
  readonly #beginning: string;
  readonly #uses = new Set<Promise<void>>();
  #isClosed = false;

  private constructor(
    { Client: clients, Pool: pools, types }: typeof import('pg'),
    options: ConnectionOptions | LentConnections,
  ) {
    const { schema } = options;
    this.name = schema;
    this.schema = `"${schema.replaceAll('"', '""')}"`;
    this.#clients = clients;
    this.#statements = new SentStatements(this.schema, types);
    const ours = { application_name: APPLICATION, connectionTimeoutMillis: CONNECT_MS };
    if ('pool' in options) {
      const pool = checkPool(options.pool);
      this.#config = { ...clientConfigOf(pool), ...ours };
      this.#pool = pool;
      this.#intake = pool;
      this.#own = [];
      this.#beginning = LENT_BEGIN;
      return;
    }
    this.#config = { connectionString: options.url, keepAlive: true, ...ours };
    // A statement goes out before those before it are answered: a round trip may cost more than all of them.
    const pooled = { ...this.#config, pipeline: true };
    this.#pool = new pools({ ...pooled, max: options.connections });
    this.#intake = new pools({ ...pooled, max: 1 });
    this.#own = [this.#pool, this.#intake];
    this.#beginning = 'BEGIN';
    // An idle connection that was cut: the pool has let go of it already, and the next statement gets another.
    for (const pool of this.#own) pool.on('error', ignore);
  }

  /** @throws OptionalPackageError when the driver is not installed; Error when a pool cannot be used */
  static async of(options: ConnectionOptions | LentConnections): Promise<Database> {
    return new Database(await loadOptionalPackage('pg', () => import('pg')), options);
  }

  /** As `gateway at db.example.com:5432`: without the user and the password. */
  get place(): string {
    const { database = 'of this user', host, port } = this.newClient();
    return `${database} at ${host.startsWith('/') ? host : `${host}:${port}`}`;
  }

  /** One statement in a transaction of its own; `@schema` in it is the ledger's. @throws LedgerUnavailable */
  query(sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return again(() =>
      this.#use(this.#pool, STATEMENT_MS, (client) => this.#statements.run(client, sql, values)),
    );
  }

  /** On the connection that accepts events; not tried again. @throws UnclearCommit when its answer was lost */
  accept<T>(act: Act<T>): Promise<T> {
    return this.#transact(this.#intake, act, { isWrite: true });
  }

  /** Calls a function of this release, which answers with JSON (or true, false, null). @throws LedgerUnavailable */
  async call<T>(name: string, values: readonly unknown[]): Promise<T> {
    const places = values.map((_, index) => `$${index + 1}`).join(', ');
    const sql = `SELECT ${this.fn(name)}(${places})::text AS answer`;
    const [row] = await again(() =>
      this.#use(this.#pool, STATEMENT_MS, (client) =>
        this.#statements.runAgain(client, sql, values),
      ),
    );
    return JSON.parse(answerOf(row));
  }

  /** A function of this release (functions/), as statements name it. */
  fn(name: string): string {
    return `${this.schema}.${name}_${EDITION}`;
  }

  /**
   * Several statements, written together or not at all.
   * @param mostMs after which it is given up with its connection
   * @throws LedgerUnavailable
   */
  transaction<T>(act: Act<T>, mostMs = STATEMENT_MS): Promise<T> {
    return again(() => this.#transact(this.#pool, act, { mostMs }));
  }

  /**
   * The same of what events and steps write: a migration waits until these are over, and these for it. Both touch many
   * tables, each in an order of its own, and would deadlock.
   */
  write<T>(act: Act<T>): Promise<T> {
    return again(() => this.#transact(this.#pool, act, { isWrite: true }));
  }

  /** Not tried again, for what takes as long as it takes. @param begin such as how it is isolated */
  once<T>(act: Act<T>, mostMs: number, begin = this.#beginning): Promise<T> {
    return this.#transact(this.#pool, act, { begin, mostMs });
  }

  #transact<T>(pool: Pool, act: Act<T>, more: Partial<Transaction>): Promise<T> {
    const usual = { begin: this.#beginning, mostMs: STATEMENT_MS, isWrite: false };
    const how = { ...usual, isOurs: this.#own.length > 0, ...more };
    return this.#use(pool, how.mostMs, (client) =>
      transact(client, this.#statements, this.name, act, how),
    );
  }

  /** A connection beside the pool, not opened yet. */
  newClient(): Client {
    return new this.#clients(this.#config);
  }

  /** Everything later is refused. Resolves when no connection is in use any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#uses, ...this.#own.map((pool) => pool.end())]);
  }

  #use<T>(pool: Pool, mostMs: number, act: (client: PoolClient) => Promise<T>): Promise<T> {
    const using = this.#checkOut(pool, mostMs, act);
    const over = using.then(ignore, ignore).finally(() => this.#uses.delete(over));
    this.#uses.add(over);
    return using;
  }

  async #checkOut<T>(
    pool: Pool,
    mostMs: number,
    act: (client: PoolClient) => Promise<T>,
  ): Promise<T> {
    if (this.#isClosed) throw new LedgerUnavailable('the ledger is closed');
    const client = await connect(pool);
    let isUnclear = false;
    const timer = setTimeout(() => {
      isUnclear = true;
      // Its end alone would wait for what was sent.
      client.connection.stream.destroy();
      client.release(new Error('the database does not answer'));
    }, mostMs);
    try {
      return await act(client);
    } catch (error) {
      if (!isUnclear && (error instanceof UnclearCommit || databaseTrouble(error) !== null)) {
        isUnclear = true;
        client.release(true);
      }
      throw error;
    } finally {
      clearTimeout(timer);
      // One that is thrown away may still say why.
      if (!isUnclear) {
        client.off('error', ignore);
        client.release();
      }
    }
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

export function translate(error: unknown): unknown {
  const trouble = databaseTrouble(error instanceof UnclearCommit ? error.cause : error);
  return trouble === null ? error : new LedgerUnavailable(trouble, { cause: error });
}
