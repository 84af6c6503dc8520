import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MIGRATIONS } from '../../src/ledger/postgres/schema.ts';
import type { StartOptions, TestedService } from '../faults/tested-service.ts';
import { FLAWLESS, verdictOn } from '../faults/verdict.ts';
import { World } from '../faults/world.ts';
import { atLast } from '../support/eventually.ts';
import { ask } from './ask.ts';
import { nextRelease } from './next-release.ts';
import { PostgresSuite } from './suite.ts';

const NEWEST = MIGRATIONS.at(-1)!.number;
const EVENTS = 30;

class Balancer {
  readonly unanswered: unknown[] = [];
  #services: readonly TestedService[] = [];
  #turn = 0;

  use(...services: readonly TestedService[]): void {
    this.#services = services;
  }

  async post(...request: Parameters<TestedService['post']>): Promise<Response> {
    this.#turn += 1;
    try {
      return await this.#services[this.#turn % this.#services.length]!.post(...request);
    } catch (error) {
      this.unanswered.push(error);
      throw error;
    }
  }
}

describe('Two releases on one database', () => {
  const suite = PostgresSuite.inThisFile();
  const dir = mkdtempSync(join(tmpdir(), 'hooks-release-'));
  const next = { main: nextRelease(dir) };
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  it('are rolled out and back under load: no request is refused, nothing is lost', async () => {
    await using database = await suite.server.database();
    await using world = await World.open({ store: { postgres: { url: database.url } } });
    await using services = new AsyncDisposableStack();
    const start = async (release?: StartOptions) => services.use(await world.start(release));
    const edition = async () => {
      const sql = `SELECT value, (SELECT count(*)::int FROM hooks.meta WHERE key LIKE 'functions %') AS releases
        FROM hooks.meta WHERE key = 'schema'`;
      return (await ask(database.url, sql))[0];
    };
    const balancer = new Balancer();
    const serve = async (...serving: readonly TestedService[]) => {
      balancer.use(...serving);
      const goal = world.acknowledged.length + EVENTS;
      await atLast('events are taken', () => world.acknowledged.length >= goal);
    };
    const [one, two] = [await start(), await start()];
    balancer.use(one, two);
    const last = await start();
    await world.load(balancer, async () => {
      await serve(one, two);
      expect(await edition()).toEqual({ value: String(NEWEST), releases: 1 });
      const three = await start(next);
      expect(await edition()).toEqual({ value: String(NEWEST + 1), releases: 2 });
      await serve(one, two, three);
      await serve(two, three);
      await one.stop();
      const four = await start(next);
      await serve(three, four);
      await two.stop();
      const five = await start();
      await serve(four, five);
      await three.stop();
      await serve(five);
      await four.stop();
      await serve(five);
    });
    await world.drain(last);
    expect(await verdictOn(world, last)).toEqual(FLAWLESS);
    expect(balancer.unanswered).toEqual([]);
    expect(world.senders.map(({ refusals }) => refusals)).toEqual([0, 0, 0, 0]);
  });

  it.each([
    ['the later one does what the earlier one accepted', undefined, next],
    ['the earlier one does what the later one accepted', next, undefined],
  ] as const)('%s', async (_, accepting, working) => {
    await using database = await suite.server.database();
    await using world = await World.open({
      gateway: { shutdownSeconds: 1 },
      store: { postgres: { url: database.url } },
    });
    const over = Promise.withResolvers<void>();
    world.models.meanwhile = { after: over.promise };
    await using accepter = await world.start(accepting);
    await world.loadOf(accepter, 5);
    await using worker = await world.start(working);
    expect((await accepter.stop()).code).toBe(0);
    world.models.meanwhile = {};
    over.resolve();
    await world.drain(worker);
    expect(await verdictOn(world, worker)).toEqual(FLAWLESS);
  });
});
