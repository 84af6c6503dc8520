import { atLast, eventually } from '../support/eventually.ts';
import { FakeClock } from './fake-clock.ts';
import { FLAWLESS, verdictOn } from './verdict.ts';
import { World } from './world.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('A clock', () => {
  it.each(['-1d', '+1d', '+40d'] as const)(
    'that jumps by %s under load: all goes on, in order, and nothing is lost',
    async (offset) => {
      await using world = await World.open();
      const clock = new FakeClock(world.dir);
      await using service = await world.start({ env: clock.env });
      await world.load(service, async () => {
        await promises(world, 20);
        clock.set(offset);
        await promises(world, 20);
      });
      await world.drain(service);
      const last = world.senders[0]?.acknowledged.at(-1);
      const { receivedAt } = await service.details(last?.eventId ?? '');
      const days = Math.round((Date.parse(receivedAt) - Date.now()) / DAY_MS);
      expect(days).toBe(Number.parseInt(offset, 10));
      expect(await verdictOn(world, service)).toEqual(FLAWLESS);
    },
  );

  it.each(['-1d', '+1d', '+40d'] as const)(
    'that was wrong by %s for one start: nothing is lost of what came before, meanwhile or later',
    async (offset) => {
      await using world = await World.open();
      const clock = new FakeClock(world.dir);
      for (const time of ['+0d', offset, '+0d'] as const) {
        clock.set(time);
        await using service = await world.start({ env: clock.env });
        await world.loadOf(service, 5);
        await world.drain(service);
        expect(await verdictOn(world, service)).toEqual(FLAWLESS);
        expect((await service.stop()).code).toBe(0);
      }
    },
  );

  it('that is set back while work waits for its next attempt does not hold it up', async () => {
    await using world = await World.open();
    const clock = new FakeClock(world.dir);
    await using service = await world.start({ env: clock.env });
    world.models.meanwhile = { status: 503, body: { error: { message: 'overloaded' } } };
    await world.loadOf(service, 2);
    await eventually('attempts', () => world.models.requests.length > 2);
    clock.set('-1d');
    world.models.meanwhile = {};
    await world.drain(service);
    expect(await verdictOn(world, service)).toEqual(FLAWLESS);
  });
});

function promises(world: World, events: number): Promise<unknown> {
  const goal = world.acknowledged.length + events;
  return atLast('promises', () => world.acknowledged.length >= goal);
}
