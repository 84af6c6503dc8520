import { Database } from '../../src/ledger/postgres/connection.ts';
import { migrate } from '../../src/ledger/postgres/migrate.ts';
import { PostgresThrottlerStorage } from '../../src/ledger/postgres/throttler-storage.ts';
import { eventually } from '../support/eventually.ts';
import type { TestDatabase } from '../support/postgres-server.ts';
import { PostgresSuite } from './suite.ts';

const MINUTE = 60_000;

describe('PostgresThrottlerStorage', () => {
  const suite = PostgresSuite.inThisFile();
  let one: TestDatabase;
  let database: Database;
  let storages: PostgresThrottlerStorage[];

  beforeEach(async () => {
    one = await suite.server.database();
    database = await Database.of({ url: one.url, schema: 'hooks', connections: 2 });
    await migrate(database, Date.now());
    storages = [1, 2].map(() => new PostgresThrottlerStorage({ url: one.url }));
  });
  afterEach(async () => {
    await database.close();
    await Promise.all(storages.map((storage) => storage.onApplicationShutdown()));
    await one[Symbol.asyncDispose]();
  });

  const fail = (instance: number, key = '10.0.0.1 0', ttl = MINUTE, lock = MINUTE) =>
    storages[instance]!.increment(key, ttl, 2, lock, 'auth-failures');

  it('counts together what comes to several instances, and locks with the first beyond', async () => {
    expect(await fail(0)).toMatchObject({ totalHits: 1, isBlocked: false, timeToExpire: 60 });
    expect(await fail(1)).toMatchObject({ totalHits: 2, isBlocked: false });
    const third = await fail(0);
    expect(third).toEqual({
      totalHits: 3,
      timeToExpire: 60,
      isBlocked: true,
      timeToBlockExpire: 60,
    });
    // Neither counted nor a reason to lock for longer.
    expect(await fail(1)).toMatchObject({ totalHits: 3, isBlocked: true });
    expect(await fail(1, '10.0.0.2 0')).toMatchObject({ totalHits: 1, isBlocked: false });
  });

  it('counts every one of many at once', async () => {
    const all = await Promise.all(Array.from({ length: 4 }, (_, n) => fail(n % 2)));
    expect(all.map(({ totalHits }) => totalHits).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 3]);
  });

  it('forgets failures when their time is over, and begins anew after a lock', async () => {
    await fail(0);
    const hitsAfter = (ttl: number) =>
      fail(1, '10.0.0.1 0', ttl).then(({ totalHits }) => totalHits);
    expect(await eventually('the window is over', async () => (await hitsAfter(1)) === 1)).toBe(
      true,
    );
    for (const _ of [1, 2]) await fail(0, 'short', MINUTE, 1);
    await fail(0, 'short', MINUTE, 1);
    await eventually(
      'the lock is over',
      async () => (await fail(1, 'short', MINUTE, 1)).totalHits === 1,
    );
  });

  it('keeps no address, and nothing that counts no more', async () => {
    await fail(0, '192.0.2.77 0');
    const kept = await database.query('SELECT key FROM @schema.failures');
    expect(kept).toHaveLength(1);
    expect(JSON.stringify(kept)).not.toContain('192.0.2.77');
    // Whoever counts for the first time cleans up, and then once a minute.
    await fail(0, 'over', 1, 1);
    const over = 'SELECT FROM @schema.failures WHERE kept_until < extract(epoch FROM now()) * 1000';
    await eventually('its time is over', async () => (await database.query(over)).length === 1);
    await fail(1, 'another');
    expect(await database.query('SELECT key FROM @schema.failures')).toHaveLength(2);
    expect(await database.query(over)).toEqual([]);
  });

  it('throws at once while the database is away, and counts again afterwards', async () => {
    await fail(0);
    await suite.server.stop('immediate');
    await expect(fail(0)).rejects.toThrow();
    await expect(fail(0)).rejects.toThrow('the database is away');
    await suite.server.resume();
    const { totalHits } = await eventually('it counts', () => fail(1).catch(() => undefined));
    expect(totalHits).toBe(1);
  });
});
