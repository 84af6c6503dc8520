import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { postgresLedger } from '../../src/ledger/postgres/index.ts';
import { SystemClock } from '../../src/hooks/ports/clock.ts';
import { LedgerUnavailable } from '../../src/hooks/ports/ledger.ts';
import { LIMITS, agent } from '../contracts/ledger/events.ts';
import type { TestedService } from '../faults/tested-service.ts';
import { inTurns } from '../faults/sender.ts';
import { FLAWLESS, verdictOn } from '../faults/verdict.ts';
import { World } from '../faults/world.ts';
import { atLast, eventually } from '../support/eventually.ts';
import type { TestDatabase } from '../support/postgres-server.ts';
import { ask } from './ask.ts';
import { CuttingProxy } from './cutting-proxy.ts';
import { PostgresSuite } from './suite.ts';

const CUTS = 20;

// Senders repeat under its key what was answered 503 or not at all; the verdict finds what is stored or done twice.
const suite = PostgresSuite.inThisFile();

describe('Two services whose database is in trouble', () => {
  let database: TestDatabase;
  let world: World;
  let both: TestedService[];

  const begin = async (url: string, store: object = {}) => {
    world = await World.open({ store: { postgres: { url, ...store } } });
    both = [await world.start(), await world.start()];
    return inTurns(...both);
  };
  const refused = (count: number) =>
    atLast('refusals', () => world.senders.every(({ refusals }) => refusals >= count));
  const taken = (count: number) => {
    const goal = world.acknowledged.length + count;
    return atLast('events are taken', () => world.acknowledged.length >= goal);
  };
  const flawless = async () => {
    await world.drain(both[0]!);
    expect(await verdictOn(world, both[1]!)).toEqual(FLAWLESS);
    const stored = await ask(database.url, 'SELECT count(*)::int AS count FROM hooks.events');
    expect(stored).toEqual([{ count: world.acknowledged.length + 1 }]);
  };

  beforeEach(async () => {
    database = await suite.server.database();
  });
  afterEach(async () => {
    await Promise.all(both.map((service) => service.stop()));
    await world[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  it('(a proxy cuts connections) accept once what senders repeat', async () => {
    await using proxy = await CuttingProxy.start(suite.server);
    const services = await begin(proxy.url(database.name));
    await world.load(services, async () => {
      for (let n = 0; n < CUTS; n += 1) {
        await taken(5);
        await delay(Math.random() * 30);
        proxy.cut();
      }
      await taken(5);
    });
    await flawless();
  });

  it('(a proxy lets nothing pass) refuse, and go on when it does again', async () => {
    await using proxy = await CuttingProxy.start(suite.server);
    const services = await begin(proxy.url(database.name));
    await world.load(services, async () => {
      await taken(5);
      proxy.hang(true);
      await refused(1);
      await eventually('it is not ready', async () => (await both[0]!.health('ready')) === 503);
      proxy.hang(false);
      await taken(20);
    });
    await flawless();
  });

  it('(it takes no more connections) refuse, and go on when it does', async () => {
    const FULL = 'the database takes no more connections';
    const services = await begin(database.url, { connections: 4 });
    const others: Client[] = [];
    const takeAll = async () => {
      for (;;) {
        const client = new Client({ connectionString: database.url });
        client.on('error', () => undefined);
        try {
          await client.connect();
        } catch {
          return;
        }
        others.push(client);
      }
    };
    await world.load(services, async () => {
      await taken(5);
      await takeAll();
      // Again and again: one that was just being made would serve its service for good.
      await eventually('refusals', async () => {
        await others[0]!.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'agent-hooks'`,
        );
        await takeAll();
        return (
          world.senders.every(({ refusals }) => refusals >= 2) &&
          both.some(({ output }) => output.includes(FULL))
        );
      });
      await Promise.all(others.map((client) => client.end()));
      await taken(20);
    });
    await flawless();
    expect(both[0]!.output + both[1]!.output).toContain(FULL);
  });
});

it.each([
  ['its locks are', 'pg_advisory_xact_lock', 0],
  ['its commit is', 'COMMIT', 0],
  ['all of it, foreseen, is', 'COMMIT', 1],
])(
  'stores nothing late that its sender was told is not stored: %s late',
  async (_what, text, earlier) => {
    await using database = await suite.server.database();
    await using proxy = await CuttingProxy.start(suite.server);
    const provider = postgresLedger({ url: proxy.url(database.name), search: false });
    const ledger = await provider.open(new SystemClock());
    for (let before = 0; before < earlier; before += 1)
      await ledger.intake.accept(agent(`b${before}`), LIMITS);
    const arriving = proxy.late(text);
    const accepting = Promise.allSettled([ledger.intake.accept(agent('a'), LIMITS)]);
    const arrive = await arriving;
    const [answer] = await accepting;
    expect(answer).toMatchObject({ reason: expect.any(LedgerUnavailable) });
    await arrive();
    expect(await ask(database.url, 'SELECT id FROM hooks.events')).toHaveLength(earlier);
    expect(await ask(database.url, 'SELECT id FROM hooks.work')).toHaveLength(earlier);

    await ledger.intake.accept(agent('a'), LIMITS);
    expect(await ask(database.url, 'SELECT id FROM hooks.events')).toHaveLength(earlier + 1);
    await ledger.maintenance.close();
  },
);

it('A ledger whose connection is ended in the moment in which it can be used outlives it', async () => {
  await using database = await suite.server.database();
  await using proxy = await CuttingProxy.start(suite.server);
  const provider = postgresLedger({ url: proxy.url(database.name) });
  proxy.endWhenReady();
  await expect(provider.open(new SystemClock())).rejects.toThrow('cannot be used');
  const ledger = await provider.open(new SystemClock());
  await expect(ledger.admin.isPaused()).resolves.toBe(false);
  await ledger.maintenance.close();
});
