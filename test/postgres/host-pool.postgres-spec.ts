import { Client, Pool, types } from 'pg';
import type { PoolClient, PoolConfig, QueryConfig, QueryResult } from 'pg';
import { postgresLedger } from '../../src/ledger/postgres/index.ts';
import { SystemClock } from '../../src/hooks/ports/clock.ts';
import { LedgerUnavailable } from '../../src/hooks/ports/ledger.ts';
import { LIMITS, MAIN, agent, wake } from '../contracts/ledger/events.ts';
import { eventually } from '../support/eventually.ts';
import type { TestDatabase } from '../support/postgres-server.ts';
import { ask } from './ask.ts';
import { CuttingProxy } from './cutting-proxy.ts';
import { PostgresSuite } from './suite.ts';

const ALL = { maxEvents: 1000, maxBytes: 1e9, maxHistoryCharacters: 0 };

describe('A ledger over the pool of its host', () => {
  const suite = PostgresSuite.inThisFile();
  let database: TestDatabase;
  const pools: Pool[] = [];

  beforeEach(async () => {
    database = await suite.server.database();
  });
  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.end()));
    await database[Symbol.asyncDispose]();
  });

  const poolOf = (config: PoolConfig = {}): Pool => {
    const pool = new Pool({
      connectionString: database.url,
      application_name: 'the host',
      ...config,
    });
    // As the documentation of pg tells every host to do.
    pool.on('error', () => undefined);
    pools.push(pool);
    return pool;
  };
  const open = (pool: Pool) => postgresLedger({ pool }).open(new SystemClock());
  const sessionsOf = async (name: string) =>
    (
      await suite.server.query(
        'SELECT query FROM pg_stat_activity WHERE datname = $1 AND application_name = $2',
        [database.name, name],
      )
    ).map(({ query }) => String(query));

  it('gives the same values however the host parses them, and wherever it looks for tables', async () => {
    const pool = poolOf({
      types: { getTypeParser: (oid: number) => (oid === 20 ? BigInt : types.getTypeParser(oid)) },
      options: '-c search_path=nowhere',
    });
    const ledger = await open(pool);
    const { id } = wake();
    await ledger.intake.accept({ ...wake(), id }, LIMITS);
    const { pending } = await ledger.sessions.context(MAIN, ALL);
    expect(pending).toEqual([
      expect.objectContaining({ at: expect.any(Number), seq: expect.any(Number) }),
    ]);
    expect(await ledger.events.get(id)).toMatchObject({ id, receivedAt: expect.any(String) });
    expect(await ledger.maintenance.state()).toMatchObject({ ledgerBytes: expect.any(Number) });
    await ledger.maintenance.close();
  });

  it('asks one thing at a time where connections are not pipelined', async () => {
    const pool = poolOf();
    let most = 0;
    pool.on('connect', (client) => {
      const query = client.query.bind(client) as (config: QueryConfig) => Promise<QueryResult>;
      let asked = 0;
      const counted = async (config: QueryConfig) => {
        asked += 1;
        most = Math.max(most, asked);
        return await query(config).finally(() => (asked -= 1));
      };
      Object.assign(client, { query: counted });
    });
    const ledger = await open(pool);
    await ledger.intake.accept(agent('a'), LIMITS);
    await ledger.maintenance.close();
    expect(most).toBe(1);
  });

  it('waits for a lock for longer than the host lets a statement take', async () => {
    const ledger = await open(poolOf({ statement_timeout: 200, lock_timeout: 100 }));
    const locker = new Client({ connectionString: database.url });
    await locker.connect();
    await locker.query('BEGIN; LOCK TABLE hooks.events');
    const accepting = ledger.intake.accept(wake(), LIMITS);
    await eventually('it has waited for longer', async () => {
      const rows = await suite.server.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = $1 AND wait_event_type = 'Lock'
           AND clock_timestamp() - query_start > '400ms'`,
        [database.name],
      );
      return rows.length > 0;
    });
    await locker.end();
    expect(await accepting).toMatchObject({ outcome: 'accepted' });
    await ledger.maintenance.close();
  });

  it('listens on a connection of its own, and gives every other one back when it is closed', async () => {
    const pool = poolOf({ max: 3 });
    const ledger = await open(pool);
    expect(await sessionsOf('agent-hooks')).toEqual([expect.stringMatching(/LISTEN|pg_notify/)]);
    const reading = Array.from({ length: 9 }, () => ledger.events.list({ limit: 10 }));
    await ledger.intake.accept(wake(), LIMITS);
    const closing = ledger.maintenance.close();
    await Promise.allSettled(reading);
    await closing;
    expect([pool.idleCount, pool.waitingCount]).toEqual([pool.totalCount, 0]);
    expect(pool.totalCount).toBeLessThanOrEqual(3);
    await eventually(
      'it listens no more',
      async () => (await sessionsOf('agent-hooks')).length === 0,
    );
    const shown = await pool.query('SHOW application_name');
    expect(shown.rows).toEqual([{ application_name: 'the host' }]);
  });

  it('leaves no broken connection in the pool, and goes on with others', async () => {
    const pool = poolOf({ max: 1 });
    const ledger = await open(pool);
    const locker = new Client({ connectionString: database.url });
    await locker.connect();
    await locker.query('BEGIN; LOCK TABLE hooks.events');
    const reading = ledger.events.list({ limit: 10 });
    const ended = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = $1 AND wait_event_type = 'Lock'`;
    await eventually(
      'it is cut in the middle',
      async () => (await suite.server.query(ended, [database.name])).length > 0,
    );
    await expect(reading).rejects.toThrow(LedgerUnavailable);
    await locker.end();
    expect(await ledger.intake.accept(wake(), LIMITS)).toMatchObject({ outcome: 'accepted' });
    expect([pool.totalCount, pool.idleCount]).toEqual([1, 1]);
    await ledger.maintenance.close();
  });

  it('refuses an event while the host keeps all connections, and keeps none that comes too late', async () => {
    const pool = poolOf({ max: 1 });
    const ledger = await open(pool);
    const kept: PoolClient = await pool.connect();
    await expect(ledger.intake.accept(wake(), LIMITS)).rejects.toThrow(
      'no connection to the database came free in time',
    );
    kept.release();
    expect(await ledger.intake.accept(wake(), LIMITS)).toMatchObject({ outcome: 'accepted' });
    expect([pool.totalCount, pool.idleCount, pool.waitingCount]).toEqual([1, 1, 0]);
    await ledger.maintenance.close();
  });

  it.each([
    ['one statement after the other', false],
    ['in a pipeline', true],
  ])('stores nothing late that its sender was told is not stored: %s', async (_how, pipeline) => {
    await using proxy = await CuttingProxy.start(suite.server);
    const pool = poolOf({ connectionString: proxy.url(database.name), pipeline });
    const ledger = await open(pool);
    const arriving = proxy.late('COMMIT');
    const accepting = Promise.allSettled([ledger.intake.accept(agent('a'), LIMITS)]);
    const arrive = await arriving;
    const [answer] = await accepting;
    // Its process was ended at once, instead of when it had been idle for too long.
    expect(suite.server.log).not.toContain('idle-in-transaction timeout');
    expect(answer).toMatchObject({ reason: expect.any(LedgerUnavailable) });
    await arrive();
    expect(await ask(database.url, 'SELECT id FROM hooks.events')).toEqual([]);
    await ledger.maintenance.close();
  });

  it('is unavailable when the host ended the pool, and still closes', async () => {
    const pool = poolOf();
    const ledger = await open(pool);
    pools.splice(0);
    await pool.end();
    await expect(ledger.intake.accept(wake(), LIMITS)).rejects.toThrow(LedgerUnavailable);
    await expect(ledger.maintenance.close()).resolves.toBeUndefined();
  });

  it('is not opened over what it cannot use, and leaves the pool open', async () => {
    const binary: object = { binary: true };
    await expect(open(poolOf({ ...binary }))).rejects.toThrow('has the option binary');
    const strict = poolOf({ options: '-c default_transaction_isolation=serializable' });
    await expect(open(strict)).rejects.toThrow(
      `The PostgreSQL database ${database.name} at ${suite.server.dir} cannot be used: its transactions are serializable`,
    );
    expect((await strict.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });
});
