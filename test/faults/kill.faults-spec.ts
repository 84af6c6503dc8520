import { setTimeout as delay } from 'node:timers/promises';
import { atLast } from '../support/eventually.ts';
import { ROUNDS, tell } from './rounds.ts';
import type { TestedService } from './tested-service.ts';
import { FLAWLESS, verdictOn } from './verdict.ts';
import { World } from './world.ts';

const EVENTS = 20;

let world: World;
let service: TestedService;

async function loadUntilKilled(round: number): Promise<void> {
  const killed = await world.start();
  const before = world.acknowledged.length;
  await world.load(killed, async () => {
    // Every other round goes on until much is under way; the others may hit the start, too.
    if (round % 2 === 1) {
      await atLast('answers', () => world.acknowledged.length >= before + EVENTS);
    }
    await delay(Math.random() * 400);
    await killed.kill();
  });
}

beforeAll(async () => {
  world = await World.open();
  for (let round = 0; round < ROUNDS; round += 1) await loadUntilKilled(round);
  service = await world.start();
  await world.drain(service);
});

afterAll(async () => {
  await service.stop();
  await world[Symbol.asyncDispose]();
});

describe(`kill -9 under load, ${ROUNDS} rounds`, () => {
  it('came while there was something to lose', () => {
    expect(world.acknowledged.length).toBeGreaterThanOrEqual(Math.floor(ROUNDS / 2) * EVENTS);
  });

  it('loses nothing, keeps the order, and repeats only what was under way and says so', async () => {
    expect(await verdictOn(world, service)).toEqual(FLAWLESS);
    tell(`${ROUNDS} kills, ${world.acknowledged.length} events`);
  });
});
