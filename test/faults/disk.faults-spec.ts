import { atLast, eventually } from '../support/eventually.ts';
import { Shim } from './shim.ts';
import { smallDisk } from './small-disk.ts';
import type { TestedService } from './tested-service.ts';
import { FLAWLESS, verdictOn } from './verdict.ts';
import { World } from './world.ts';

const FAULTS = 20;

async function survive(
  world: World,
  service: TestedService,
  { during, heal }: { during: () => Promise<unknown>; heal: () => void },
): Promise<void> {
  await world.loadOf(service, 5);
  await world.load(service, during);
  heal();
  await eventually('it is ready again', async () => (await service.health('ready')) === 200);
  await world.loadOf(service, 5);
  await world.drain(service);
  expect(await verdictOn(world, service)).toEqual(FLAWLESS);
  expect((await service.stop()).code).toBe(0);
}

describe('A disk', () => {
  it.each(['fsync', 'write'] as const)(
    'of which some %ss fail costs a 503 at most',
    async (kind) => {
      await using world = await World.open();
      const shim = new Shim(world.data, world.dir);
      await using service = await world.start({ env: shim.env });
      await survive(world, service, {
        during: () => {
          shim.fail(kind, 'EIO', { every: 7 });
          return atLast('faults', () => shim.injected(kind) >= FAULTS);
        },
        heal: () => shim.heal(),
      });
    },
  );

  it.each(['fsync', 'write'] as const)(
    'of which every %s fails: nothing is promised, and that is told until it is over',
    async (kind) => {
      await using world = await World.open();
      const shim = new Shim(world.data, world.dir);
      await using service = await world.start({ env: shim.env });
      await survive(world, service, {
        during: async () => {
          shim.fail(kind, 'EIO');
          await refusals(world);
          await eventually('it is not ready', async () => (await service.health('ready')) === 503);
          expect(await service.health('live')).toBe(200);
        },
        heal: () => shim.heal(),
      });
    },
  );

  it('that is slow delays answers, and nothing else', async () => {
    await using world = await World.open();
    const shim = new Shim(world.data, world.dir);
    await using service = await world.start({ env: shim.env });
    await survive(world, service, {
      during: async () => {
        shim.slowDown(300);
        const goal = world.acknowledged.length + 12;
        await atLast('slow answers', () => world.acknowledged.length >= goal);
        expect(await service.health('live')).toBe(200);
      },
      heal: () => shim.heal(),
    });
  });

  it('that is full: nothing is promised, stories can be read, and all goes on once there is room', async () => {
    await using world = await World.open({}, 'x'.repeat(8000));
    using disk = smallDisk(world.dir);
    await world.configure({ store: { dir: disk.dir } });
    await using service = await world.start({ env: disk.env });
    await survive(world, service, {
      during: async () => {
        disk.fill();
        await refusals(world);
        expect(service.output).toContain('no space left on the device');
        const [first] = world.acknowledged;
        expect((await service.details(first?.eventId ?? '')).id).toBe(first?.eventId);
      },
      heal: () => disk.free(),
    });
  });
});

function refusals(world: World): Promise<unknown> {
  return eventually('refusals', () => world.senders.every(({ refusals: count }) => count > 3));
}
