import { setTimeout as delay } from 'node:timers/promises';
import { inTurns } from '../faults/sender.ts';
import { FLAWLESS, verdictOn } from '../faults/verdict.ts';
import { World } from '../faults/world.ts';
import { eventually } from '../support/eventually.ts';
import { PostgresSuite } from './suite.ts';

/** In `.ci/run`; each is a crash of the database under load. */
const ROUNDS = 3;

describe(`A database that is stopped at once under load, ${ROUNDS} times`, () => {
  const suite = PostgresSuite.inThisFile();

  it('loses nothing: senders are answered 503, nobody is ready, and all goes on by itself', async () => {
    const { server } = suite;
    await using world = await World.open({ store: { postgres: { url: server.url() } } });
    await using one = await world.start();
    await using other = await world.start();
    const both = inTurns(one, other);
    const refusals = () => world.senders.reduce((sum, sender) => sum + sender.refusals, 0);
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = refusals();
      await world.load(both, async () => {
        await delay(Math.random() * 300);
        await server.stop('immediate');
        await eventually('senders are refused', () => refusals() > before);
        await eventually('it is not ready', async () => (await one.health('ready')) === 503);
        expect(await other.health('live')).toBe(200);
        await server.resume();
        await eventually('it is ready', async () => (await one.health('ready')) === 200);
        const seen = world.acknowledged.length;
        await eventually('events are taken', () => world.acknowledged.length > seen + 4);
      });
    }
    await world.drain(one, 200_000);
    expect(await verdictOn(world, other)).toEqual(FLAWLESS);
  }, 400_000);
});
