import { eventually } from '../support/eventually.ts';
import { Shim } from './shim.ts';
import type { TestedService } from './tested-service.ts';
import { FLAWLESS, verdictOn } from './verdict.ts';
import { World } from './world.ts';
import type { Script } from '../support/scripted-server.ts';

const OUTAGES: readonly (readonly [string, Script])[] = [
  ['answers 503', { status: 503, body: { error: { message: 'overloaded' } } }],
  ['breaks every connection', { cut: 'at-once' }],
];

const HANGING: readonly Script[] = Array.from({ length: 4 }, () => ({ stall: 'at-once' }));

async function ask(service: TestedService, session: string, n: number): Promise<void> {
  const message = `Please answer [${session}:${n}]`;
  const body = { message, sessionKey: `faults:${session}`, channel: 'chan_2', to: `${n + 1}` };
  expect((await service.post('agent', body)).status).toBe(200);
}

async function drainedFlawlessly(world: World, service: TestedService): Promise<void> {
  await world.drain(service);
  expect(await verdictOn(world, service)).toEqual(FLAWLESS);
}

describe('A model that is away', () => {
  it.each(OUTAGES)('(it %s) costs time, and nothing else', async (_, outage) => {
    await using world = await World.open();
    await using service = await world.start();
    world.models.meanwhile = outage;
    await world.loadOf(service, 10);
    await eventually('attempts', () => world.models.requests.length >= 3);
    world.models.meanwhile = {};
    await drainedFlawlessly(world, service);
  });

  it('and hangs in four runs does not keep a wake from being heard', async () => {
    await using world = await World.open();
    await using service = await world.start();
    world.models.next(...HANGING);
    await Promise.all(['w', 'x', 'y', 'z'].map((session, n) => ask(service, session, n)));
    await eventually('all of them hang', () => world.models.requests.length >= 4);
    await service.post('wake', { text: 'Note [heard:1]' });
    await eventually('the wake is heard', () =>
      world.heartbeats.some((text) => text.includes('[heard:1]')),
    );
  });
});

describe('A channel that is away', () => {
  it('and hangs in four deliveries keeps no run from being done', async () => {
    await using world = await World.open();
    await using service = await world.start();
    world.chats.next(...HANGING);
    const hanging = ['w', 'x', 'y', 'z'].map((session, n) => ask(service, session, n));
    await Promise.all(hanging);
    await eventually('all of them hang', () => world.chats.requests.length >= 4);
    await ask(service, 'v', 4);
    await eventually('the run is done', () => world.runs.some((text) => text.includes('[v:4]')));
  });

  it.each(OUTAGES)('(it %s) gets everything later, in order', async (_, outage) => {
    await using world = await World.open();
    await using service = await world.start();
    world.chats.meanwhile = outage;
    await world.loadOf(service, 10);
    await eventually('attempts', () => world.chats.requests.length >= 3);
    world.chats.meanwhile = {};
    await drainedFlawlessly(world, service);
  });
});

describe('A call of the writer thread that fails as none should', () => {
  it('costs nothing that was answered, and the service goes on or ends', async () => {
    await using world = await World.open();
    const shim = new Shim(world.data, world.dir);
    await using service = await world.start({ env: shim.env });
    await world.loadOf(service, 5);
    await world.load(service, async () => {
      shim.fail('stat', 'EIO', { times: 1 });
      await eventually('the fault', () => shim.injected('stat') > 0 || service.hasEnded);
      const before = world.acknowledged.length;
      await eventually(
        'it goes on, or ends',
        () => service.hasEnded || world.acknowledged.length > before + 20,
      );
    });
    if (service.hasEnded) expect((await service.ended()).code).not.toBe(0);
    await using later = service.hasEnded ? await world.start() : service;
    await world.drain(later);
    expect(await verdictOn(world, later)).toEqual(FLAWLESS);
  });
});
