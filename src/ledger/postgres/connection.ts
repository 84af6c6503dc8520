// Connections to the database: a pool for everything, and one connection that only accepts events, so that steps and
// readers never keep a sender waiting; or a host's pool for both. Nothing is set for a session: behind pgBouncer each
// transaction may come to another session of the server, and a host's sessions are its own. Statements of transactions are
// prepared by name until a session does not know one of them.
import { hash } from 'node:crypto';
import type { Client, ClientConfig, CustomTypesConfig, Pool, PoolClient } from 'pg';
import { LedgerUnavailable } from '../../hooks/ports/ledger.ts';
import { loadOptionalPackage } from '../../platform/optional-package.ts';
import { integer, optionalText } from '../rows.ts';
import type { Row } from '../rows.ts';
import { Undone } from '../tx.ts';
import { EDITION } from './functions/index.ts';
import { CONNECT_MS, checkPool, clientConfigOf, connect, ignore, send } from './clients.ts';
import type { PostgresPool } from './postgres-pool.ts';
import { LOCKS } from './schema.ts';
import { storable } from './storable.ts';
import { databaseTrouble, isAnswered, isGivenUp, isUnprepared } from './trouble.ts';

/** Where the ledger is, and how many connections it may have. */
export interface ConnectionOptions {
  readonly url: string;
  /** Name of the schema. */
  readonly schema: string;
  /** Most connections at a time, without the two that accept events and listen. */
  readonly connections: number;
}

/** The connections of a host: all that {@link Database} needs, but for the one that listens. */
export interface LentConnections {
  readonly pool: PostgresPool;
  /** Name of the schema. */
  readonly schema: string;
}

/** Runs a statement inside a transaction. */
export type Run = (sql: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/**
 * Sends a statement inside a transaction whose rows nobody needs. Nobody waits for it either: what comes after it finds it
 * done, and what goes wrong with it is told at the commit, at the latest.
 */
export type Send = (sql: string, values?: readonly unknown[]) => void | Promise<unknown>;

/** How a transaction is run. */
interface Transaction {
  readonly mostMs: number;
  /** It writes what events and steps do, with the same statements again and again. */
  readonly isWrite: boolean;
  /** The statement that begins it. @default that of all */
  readonly begin?: string | undefined;
}

/** What a transaction does. */
type Act<T> = (run: Run, send: Send) => Promise<T>;

/** A statement that takes longer is given up with its connection. */
const STATEMENT_MS = 20_000;
/** How often a transaction is begun anew that the server gave up for the sake of another. */
const ATTEMPTS = 5;

/** Of a prepared statement: 132 bits. */
const NAME_CHARACTERS = 22;

/** The locks of a process that falls asleep in the middle are not held until it wakes. */
const SETTINGS = `set_config('idle_in_transaction_session_timeout', $1, true), pg_backend_pid() AS pid`;
const BEGIN_OTHER = `SELECT ${SETTINGS}`;
/**
 * Waits for a migration. What is prepared is planned once, and for indexes: a plan that was made while a table was small
 * would read all of it, and go on so when it has grown. Left to itself, PostgreSQL plans statements with a list anew each
 * time, which takes it longer than doing them.
 */
const BEGIN_WRITE = `SELECT pg_advisory_xact_lock_shared(hashtext($2), ${LOCKS.migration}), ${SETTINGS},
  set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
  set_config('enable_mergejoin', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true)`;

/** Our name among the connections of a server. */
export const APPLICATION = 'agent-hooks';

/**
 * Begins a transaction on a host's connection: under our name, by which its process is known when the answer to its commit
 * was lost; and without the host's limits, as a step may wait for a migration.
 */
const LENT_BEGIN = `BEGIN; SET LOCAL application_name = '${APPLICATION}'; SET LOCAL statement_timeout = 0;
  SET LOCAL lock_timeout = 0`;

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
  readonly #types: CustomTypesConfig;
  readonly #pool: Pool;
  readonly #intake: Pool;
  /** Ours, which end with the ledger. */
  readonly #own: readonly Pool[];
  readonly #beginning: string;
  /** What has a connection just now. */
  readonly #uses = new Set<Promise<void>>();
  /** Names of prepared statements; null: the server is asked through something that mixes sessions up. */
  #names: Map<string, string> | null = new Map();
  #isClosed = false;

  private constructor(
    { Client: clients, Pool: pools, types }: typeof import('pg'),
    options: ConnectionOptions | LentConnections,
  ) {
    const { schema } = options;
    this.name = schema;
    this.schema = `"${schema.replaceAll('"', '""')}"`;
    this.#clients = clients;
    // Of our statements alone: numbers here are times, counts and places, which JavaScript holds exactly.
    this.#types = {
      getTypeParser: (oid: number) =>
        oid === INT8 || oid === NUMERIC ? Number : types.getTypeParser(oid),
    };
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

  /**
   * Connects with the first statement.
   * @throws OptionalPackageError when the driver is not installed; Error when a pool cannot be used
   */
  static async of(options: ConnectionOptions | LentConnections): Promise<Database> {
    return new Database(await loadOptionalPackage('pg', () => import('pg')), options);
  }

  /** As `gateway at db.example.com:5432`: without the user and the password. */
  get place(): string {
    const { database = 'of this user', host, port } = this.newClient();
    return `${database} at ${host.startsWith('/') ? host : `${host}:${port}`}`;
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
   * A transaction on the connection that accepts events; not tried again.
   * @throws UnclearCommit when the answer to its commit was lost; any other error: nothing is written
   */
  accept<T>(act: Act<T>): Promise<T> {
    return this.#transact(this.#intake, act, { mostMs: STATEMENT_MS, isWrite: true });
  }

  /** Calls a function of this release, which answers with JSON (or true, false, null). @throws LedgerUnavailable */
  async call<T>(name: string, values: readonly unknown[]): Promise<T> {
    const places = values.map((_, index) => `$${index + 1}`).join(', ');
    const sql = `SELECT ${this.fn(name)}(${places})::text AS answer`;
    const [row] = await again(() =>
      this.#use(this.#pool, STATEMENT_MS, (client) =>
        this.#runPrepared(client, sql, values).catch((error: unknown) => {
          throw this.#noted(error);
        }),
      ),
    );
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
  transaction<T>(act: Act<T>, mostMs = STATEMENT_MS): Promise<T> {
    return again(() => this.#transact(this.#pool, act, { mostMs, isWrite: false }));
  }

  /**
   * The same of what events and steps write: a migration waits until all of these are over, and these for it. Both touch many
   * tables, each in an order of its own, and would wait for each other in a circle.
   */
  write<T>(act: Act<T>): Promise<T> {
    const how = { mostMs: STATEMENT_MS, isWrite: true };
    return again(() => this.#transact(this.#pool, act, how));
  }

  /**
   * A transaction that is not tried again, for what takes as long as it takes.
   * @param begin how it begins, such as how it is isolated
   */
  once<T>(act: Act<T>, mostMs: number, begin?: string): Promise<T> {
    return this.#transact(this.#pool, act, { mostMs, isWrite: false, begin });
  }

  #transact<T>(pool: Pool, act: Act<T>, how: Transaction): Promise<T> {
    return this.#use(pool, how.mostMs, async (client) => {
      const begun = quiet(this.#begin(client, how));
      const sent: Promise<unknown>[] = [begun];
      let isOver = false;
      const run: Run = (sql, values = []) => {
        // Something that went on beside what failed: it would be written by itself.
        if (isOver) return Promise.reject(new Error('its transaction is over'));
        return how.isWrite
          ? this.#runPrepared(client, sql, values)
          : this.#run(client, sql, values);
      };
      let backend: number;
      let result: T;
      try {
        result = await act(
          async (sql, values) => {
            const rows = await run(sql, values);
            // Without a transaction each statement would be written by itself, and what follows from these rows as well.
            await begun;
            return rows;
          },
          (sql, values) => void sent.push(quiet(run(sql, values))),
        );
        backend = await begun;
        isOver = true;
      } catch (error) {
        isOver = true;
        // Of a connection that is gone, the server rolls back by itself.
        await send(client, { text: 'ROLLBACK' }).catch(ignore);
        throw error instanceof Undone ? error : this.#noted((await firstFailure(sent)) ?? error);
      }
      // After a statement that failed, it is a rollback.
      const failure = this.#noted(
        await firstFailure([...sent, quiet(send(client, { text: 'COMMIT' }))]),
      );
      if (failure === null) return result;
      throw isAnswered(failure) ? failure : new UnclearCommit(backend, failure);
    });
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

  async #run(client: PoolClient, text: string, values: readonly unknown[]): Promise<Row[]> {
    const sql = text.replaceAll('@schema', this.schema);
    // Without values several statements may stand in one text.
    const given = values.length === 0 ? {} : { values: values.map(storable) };
    const { rows } = await send(client, { text: sql, types: this.#types, ...given });
    return rows;
  }

  /** A statement that comes again and again is planned once for each session. */
  async #runPrepared(
    client: PoolClient,
    text: string,
    values: readonly unknown[],
  ): Promise<readonly Row[]> {
    if (this.#names === null || values.length === 0) return this.#run(client, text, values);
    let name = this.#names.get(text);
    if (name === undefined) {
      // By its text: whoever else has prepared it in this session means the same.
      name = hash('sha256', `${this.schema} ${text}`, 'base64url').slice(0, NAME_CHARACTERS);
      this.#names.set(text, name);
    }
    const sql = text.replaceAll('@schema', this.schema);
    const given = { text: sql, values: values.map(storable), types: this.#types };
    const { rows } = await send(client, { name, ...given });
    return rows;
  }

  /** An error, after which statements may not be prepared any more. */
  #noted(error: unknown): unknown {
    if (isUnprepared(error)) this.#names = null;
    return error;
  }

  /** @returns the process of the server that has the transaction, behind whatever pooler; nobody has to wait for it */
  async #begin(
    client: PoolClient,
    { mostMs, isWrite, begin: text = this.#beginning }: Transaction,
  ): Promise<number> {
    const [, [row]] = await Promise.all([
      send(client, { text }),
      isWrite
        ? this.#runPrepared(client, BEGIN_WRITE, [String(mostMs), this.name])
        : this.#run(client, BEGIN_OTHER, [String(mostMs)]),
    ]);
    return integer(row!, 'pid');
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

/** The answer to a commit was lost: it was done, or it was not. */
export class UnclearCommit extends Error {
  override readonly name = 'UnclearCommit';

  /** Process of the server that was asked for it. */
  readonly backend: number;

  constructor(backend: number, cause: unknown) {
    super('the connection to the database was cut during a commit', { cause });
    this.backend = backend;
  }
}

/** Nobody may ask what became of it. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(ignore);
  return promise;
}

/** Why the first of these failed, which is why those after it did; null: none has. */
async function firstFailure(sent: readonly Promise<unknown>[]): Promise<unknown> {
  for (const result of await Promise.allSettled(sent)) {
    if (result.status === 'rejected') return result.reason;
  }
  return null;
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
  const trouble = databaseTrouble(error instanceof UnclearCommit ? error.cause : error);
  return trouble === null ? error : new LedgerUnavailable(trouble, { cause: error });
}
