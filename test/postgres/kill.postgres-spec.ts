import { setTimeout as delay } from 'node:timers/promises';
import { tell } from '../faults/rounds.ts';
import type { TestedService } from '../faults/tested-service.ts';
import { FLAWLESS, verdictOn } from '../faults/verdict.ts';
import { World } from '../faults/world.ts';
import { eventually } from '../support/eventually.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { Nginx } from './nginx.ts';

/** 10 in `.ci/run`; `KILL_ROUNDS=100 npm run test:postgres`. */
const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? '10');
/** Of each sender, before the next kill. */
const EVENTS = 5;
const INSTANCES = 3;
/** What a killed service had in hand is begun again when its leases have ended. */
const DRAINED_WITHIN_MS = 240_000;

describe(`kill -9 of one of ${INSTANCES} services behind nginx, ${ROUNDS} rounds`, () => {
  let server: PostgresServer;
  let world: World;
  let nginx: Nginx;
  const services: TestedService[] = [];

  /** Kills one of them under load, which goes on for a moment with the others, and puts another in its place. */
  async function killOne(): Promise<void> {
    const place = Math.floor(Math.random() * INSTANCES);
    const over = new AbortController();
    const sending = world.senders.map(async (sender) => {
      while (!over.signal.aborted) await sender.send(nginx, over.signal);
    });
    const goals = world.senders.map(({ acknowledged }) => acknowledged.length + EVENTS);
    await eventually('answers', () =>
      world.senders.every(({ acknowledged }, n) => acknowledged.length >= goals[n]!),
    );
    await delay(Math.random() * 200);
    await services[place]!.kill();
    await delay(Math.random() * 200);
    over.abort();
    await Promise.all(sending);
    services[place] = await world.start();
    nginx.use(services.map(({ url }) => url));
  }

  beforeAll(
    async () => {
      server = await PostgresServer.start();
      world = await World.open({ store: { postgres: { url: server.url() } } });
      for (let n = 0; n < INSTANCES; n += 1) services.push(await world.start());
      nginx = await Nginx.start(services.map(({ url }) => url));
      for (let round = 0; round < ROUNDS; round += 1) await killOne();
      await world.drain(services[0]!, DRAINED_WITHIN_MS);
    },
    ROUNDS * 30_000 + 2 * DRAINED_WITHIN_MS,
  );

  afterAll(async () => {
    await nginx[Symbol.asyncDispose]();
    await Promise.all(services.map((service) => service.stop()));
    await world[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  }, 60_000);

  it('loses nothing, keeps the order, and repeats only what was under way and says so', async () => {
    expect(await verdictOn(world, services[1]!)).toEqual(FLAWLESS);
    tell(`${ROUNDS} kills, ${world.acknowledged.length} events`);
  }, 240_000);
});
