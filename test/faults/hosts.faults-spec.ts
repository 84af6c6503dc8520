import { join } from 'node:path';
import { SystemClock } from '../../src/hooks/ports/index.ts';
import { sqliteLedger } from '../../src/ledger/sqlite/index.ts';
import { atLast, eventually } from '../support/eventually.ts';
import { Shim } from './shim.ts';
import { slowDisk } from './slow-disk.ts';
import { smallDisk } from './small-disk.ts';
import type { TestedService } from './tested-service.ts';
import { FLAWLESS, verdictOn } from './verdict.ts';
import { World } from './world.ts';

/** For longer than any test: the disk stands still until it is told otherwise. */
const STANDS_STILL = 600_000;
const WAKES = 50;
const OPTION = 'set store.sqlite.host';

function wakes(service: TestedService): Promise<Response>[] {
  return Array.from({ length: WAKES }, () =>
    service.post('wake', { text: 'x'.repeat(300), mode: 'next-heartbeat' }),
  );
}

/** Whoever asks for nothing that is on the disk is answered, again and again. */
async function expectOthersAnswered(service: TestedService): Promise<void> {
  for (let n = 0; n < 50; n += 1) {
    expect(await service.health('live')).toBe(200);
    const refused = await fetch(`${service.url}/hooks/wake`, { method: 'POST', body: '{}' });
    expect([401, 429]).toContain(refused.status);
  }
}

/** Asks for wakes and, before the disk goes on, for what needs none. @returns the events that were promised */
async function besideTheDisk(service: TestedService, goOn: () => void): Promise<string[]> {
  const answers: Response[] = [];
  const asked = wakes(service).map(async (wake) => answers.push(await wake));
  await expectOthersAnswered(service);
  expect(answers.filter(({ ok }) => ok)).toEqual([]);
  goOn();
  await Promise.all(asked);
  const promised = answers.filter(({ ok }) => ok);
  const events = (await Promise.all(promised.map((answer) => answer.json()))) as {
    eventId: string;
  }[];
  return events.map(({ eventId }) => eventId);
}

async function missing(dir: string, accepted: readonly string[]): Promise<string[]> {
  const ledger = await sqliteLedger({ dir }).open(new SystemClock());
  const stories = await Promise.all(accepted.map((id) => ledger.events.get(id)));
  await ledger.maintenance.close();
  return accepted.filter((_, n) => stories[n] === null);
}

describe('While the disk stands still', () => {
  it.each(['slowFsyncs', 'slowWrites'] as const)(
    '(%s) nobody else waits for a thread of its own',
    async (slow) => {
      await using world = await World.open();
      using disk = await slowDisk(world.dir);
      const dir = join(disk.dir, 'data');
      await world.configure({ store: { dir, sqlite: { host: 'thread' } } });
      const service = await world.start({ env: disk.env });
      await world.loadOf(service, 5);
      disk[slow](STANDS_STILL);
      const promised = await besideTheDisk(service, () => disk[slow](0));
      expect(promised).toHaveLength(WAKES);
      await service.kill();
      expect(await missing(dir, promised)).toEqual([]);
      await using again = await world.start({ env: disk.env });
      await world.drain(again);
      expect(await verdictOn(world, again)).toEqual(FLAWLESS);
    },
  );

  it('nobody else waits where it was slow from the start, though eight look-ups hang beside it', async () => {
    await using world = await World.open();
    const hanging = { baseUrl: 'http://model.hangs.test/v1' };
    await world.configure({ models: { providers: { local: hanging } } });
    const shim = new Shim(world.data, world.dir);
    shim.slowDown(500);
    await using service = await world.start({ env: shim.env });
    await world.loadOf(service, 3);
    shim.slowDown(STANDS_STILL);
    const promised = await besideTheDisk(service, () => shim.slowDown(500));
    expect(promised).toHaveLength(WAKES);
    expect(service.output).not.toContain(OPTION);
    await service.kill();
    expect(await missing(world.data, promised)).toEqual([]);
  });

  it('after the start, the main thread goes on, and the log names the option once', async () => {
    await using world = await World.open();
    await world.configure({ store: { sqlite: { host: 'inline' } } });
    const shim = new Shim(world.data, world.dir);
    const service = await world.start({ env: shim.env });
    await world.loadOf(service, 5);
    shim.slowDown(60);
    await world.load(service, async () => {
      await eventually('it is told', () => service.output.includes(OPTION));
      const before = world.acknowledged.length;
      await atLast('it goes on', () => world.acknowledged.length > before + 20);
    });
    expect(service.output.split(OPTION)).toHaveLength(2);
    await service.kill();
    shim.heal();
    await using again = await world.start({ env: shim.env });
    await world.drain(again);
    expect(await verdictOn(world, again)).toEqual(FLAWLESS);
  });
});

describe('While nothing can be written', () => {
  it.each(['fsync', 'write'] as const)(
    'since each %s fails, nobody else waits, and nothing is promised',
    async (kind) => {
      await using world = await World.open();
      const shim = new Shim(world.data, world.dir);
      await using service = await world.start({ env: shim.env });
      await world.loadOf(service, 5);
      shim.fail(kind, 'EIO');
      expect(await besideTheDisk(service, () => {})).toEqual([]);
    },
  );

  it('since the disk is full, nobody else waits, and nothing is promised', async () => {
    await using world = await World.open();
    using disk = smallDisk(world.dir);
    await world.configure({ store: { dir: disk.dir } });
    await using service = await world.start({ env: disk.env });
    await world.loadOf(service, 5);
    disk.fill();
    expect(await besideTheDisk(service, () => {})).toEqual([]);
  });
});
