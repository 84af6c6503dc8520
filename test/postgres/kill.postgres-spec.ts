import { setTimeout as delay } from 'node:timers/promises';
import { tell } from '../faults/rounds.ts';
import type { TestedService } from '../faults/tested-service.ts';
import { FLAWLESS, verdictOn } from '../faults/verdict.ts';
import { World } from '../faults/world.ts';
import { atLast } from '../support/eventually.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { ROUNDS as ALL } from '../support/rounds.ts';
import { Nginx } from './nginx.ts';

const ROUNDS = 3 * ALL;
/** Before the next kill. */
const EVENTS = 20;
const INSTANCES = 3;

describe(`kill -9 of one of ${INSTANCES} services behind nginx, ${ROUNDS} rounds`, () => {
  let server: PostgresServer;
  let world: World;
  let nginx: Nginx;
  const services: TestedService[] = [];

  async function killOne(): Promise<void> {
    const place = Math.floor(Math.random() * INSTANCES);
    const over = new AbortController();
    const sending = world.senders.map(async (sender) => {
      while (!over.signal.aborted) await sender.send(nginx, over.signal);
    });
    const goal = world.acknowledged.length + EVENTS;
    await atLast('answers', () => world.acknowledged.length >= goal);
    await delay(Math.random() * 200);
    await services[place]!.kill();
    await delay(Math.random() * 200);
    over.abort();
    await Promise.all(sending);
    services[place] = await world.start();
    nginx.use(services.map(({ url }) => url));
  }

  function repeats(): number {
    const texts = [...world.runs, ...world.chats.asked.map(({ text }) => text)];
    const steps = texts.map((text) => /(?:answer|with) \[[^\]]*\]/.exec(text)?.[0] ?? text);
    return steps.length - new Set(steps).size;
  }

  beforeAll(async () => {
    server = await PostgresServer.start();
    world = await World.open({ store: { postgres: { url: server.url() } } });
    for (let n = 0; n < INSTANCES; n += 1) services.push(await world.start());
    nginx = await Nginx.start(services.map(({ url }) => url));
    for (let round = 0; round < ROUNDS; round += 1) await killOne();
    await world.drain(services[0]!);
  });

  afterAll(async () => {
    await nginx[Symbol.asyncDispose]();
    await Promise.all(services.map((service) => service.stop()));
    await world[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  it('loses nothing, keeps the order, and repeats only what was under way and says so', async () => {
    expect(await verdictOn(world, services[1]!)).toEqual(FLAWLESS);
    tell(`${ROUNDS} kills, ${world.acknowledged.length} events, ${repeats()} steps repeated`);
  });
});
