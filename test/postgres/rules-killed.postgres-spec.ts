import type { TestedService } from '../faults/tested-service.ts';
import { World } from '../faults/world.ts';
import { eventually } from '../support/eventually.ts';
import type { TestDatabase } from '../support/postgres-server.ts';
import { ask } from './ask.ts';
import { PostgresSuite } from './suite.ts';

const EVENTS = 9;
const MOST = 3;
/** Who has a run in hand. */
const HOLDERS = `SELECT name FROM hooks.work JOIN hooks.instances i ON i.id = instance
  WHERE stage = 'leased' AND kind = 'run'`;

const suite = PostgresSuite.inThisFile();

describe('kill -9 of one of three services that share a limit', () => {
  let database: TestDatabase;
  let world: World;
  const services: TestedService[] = [];

  const configure = (rules: object) => {
    const check = {
      id: 'check',
      match: { path: 'check' },
      action: 'agent',
      messageTemplate: 'Please answer {{ text }}',
      wakeMode: 'next-heartbeat',
      deliver: false,
      ...rules,
    };
    return world.configure({
      store: { postgres: { url: database.url } },
      hooks: { mappings: [check] },
    });
  };
  beforeAll(async () => {
    database = await suite.server.database();
    world = await World.open();
    await configure({ limit: { runs: MOST, per: '24h' } });
    for (let n = 0; n < 3; n += 1) services.push(await world.start());
  });
  afterAll(async () => {
    await Promise.all(services.map((service) => service.stop()));
    await world[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  it('lets no more begin than agreed, and loses none', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    world.models.meanwhile = { after: released };
    const ids = await Promise.all(
      Array.from({ length: EVENTS }, async (_, n) => {
        const answer = await services[n % 3]!.post('check', { text: `[${n}]` });
        expect(answer.status).toBe(200);
        return ((await answer.json()) as { eventId: string }).eventId;
      }),
    );
    const asked = () =>
      new Set(world.runs.map((text) => /Please answer (\[\d\])/.exec(text)?.[1])).size;
    const holders = await eventually('as many as may are asked about', async () => {
      const leased = await ask(database.url, HOLDERS);
      return asked() === MOST && leased.length === MOST && leased;
    });
    const killed = services.find(({ pid }) => String(holders[0]!['name']).endsWith(` ${pid}`))!;
    await killed.kill();
    release();
    services.splice(services.indexOf(killed), 1);
    const stand = (expected: Readonly<Record<string, number>>) =>
      eventually(`they are ${JSON.stringify(expected)}`, async () => {
        const all = await Promise.all(ids.map((id) => services[0]!.details(id)));
        const counts: Record<string, number> = {};
        for (const { status } of all) counts[status] = (counts[status] ?? 0) + 1;
        return Object.keys({ ...counts, ...expected }).every(
          (one) => counts[one] === expected[one],
        );
      });
    await stand({ done: MOST, waiting: EVENTS - MOST });
    expect(asked()).toBe(MOST);
    // What was held goes on where nothing holds it.
    await Promise.all(services.splice(0).map((service) => service.stop()));
    await configure({});
    services.push(await world.start());
    await stand({ done: EVENTS });
    expect(asked()).toBe(EVENTS);
  });
});
