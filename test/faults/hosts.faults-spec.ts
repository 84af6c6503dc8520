import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SystemClock } from '../../src/hooks/ports/index.ts';
import { sqliteLedger } from '../../src/ledger/sqlite/index.ts';
import { LIMITS, event } from '../contracts/ledger/events.ts';
import { atLast, eventually } from '../support/eventually.ts';
import { probe } from './probe.ts';
import type { Findings } from './probe.ts';
import { tell } from './rounds.ts';
import { Shim } from './shim.ts';
import { slowDisk } from './slow-disk.ts';
import { smallDisk } from './small-disk.ts';
import { HOOK_TOKEN } from './tested-service.ts';
import type { TestedService } from './tested-service.ts';
import { FLAWLESS, verdictOn } from './verdict.ts';
import { World } from './world.ts';

/** What nobody may wait for longer, beyond what a bare server beside it needs on the same machine. */
const AT_MOST = { p99: 20, worst: 50 };
const PROBED_MS = 8000;
const WAKES = 200;
const OPTION = 'set store.sqlite.host';
const SCHEDULED_FIRST = ['nice', '-n', '-15'];

async function findings(service: TestedService, name: string, wakes = WAKES): Promise<Findings> {
  const asking = await probe({ url: service.url, token: HOOK_TOKEN, wakes });
  await pause(PROBED_MS);
  const found = await asking.stop();
  const { live, refused, bare, accepted } = found;
  const times = ({ p99, worst }: typeof live) => `p99 ${p99}, worst ${worst} ms`;
  tell(
    `${name}: /health/live ${times(live)}; refused ${times(refused)}; a bare server ${times(bare)}; ${accepted.length} wakes accepted`,
  );
  return found;
}

function expectQuick({ live, refused, bare }: Findings): void {
  for (const { count, p99, worst } of [live, refused]) {
    expect(count).toBeGreaterThan(PROBED_MS / 100);
    expect(p99).toBeLessThanOrEqual(AT_MOST.p99 + bare.p99);
    expect(worst).toBeLessThanOrEqual(AT_MOST.worst + bare.worst);
  }
}

async function missing(dir: string, accepted: readonly string[]): Promise<string[]> {
  const ledger = await sqliteLedger({ dir }).open(new SystemClock());
  const stories = await Promise.all(accepted.map((id) => ledger.events.get(id)));
  await ledger.maintenance.close();
  return accepted.filter((_, n) => stories[n] === null);
}

/** Events of 250 KB of today in a ledger, so that none of them is to be forgotten. @param megabytes of all together */
async function fill(dir: string, megabytes: number): Promise<void> {
  const payload = JSON.stringify('x'.repeat(256 * 1024));
  const ledger = await sqliteLedger({ dir, search: false }).open(new SystemClock());
  for (let n = 0; n < megabytes / 4; n += 1) {
    const group = Array.from({ length: 16 }, () =>
      ledger.intake.accept(event({ payload, receivedAt: Date.now() }), LIMITS),
    );
    await Promise.all(group);
  }
  await ledger.maintenance.close();
}

describe('While the disk is slow', () => {
  it.each<[string, { fsync: number; write: number; megabytes?: number }]>([
    ['an fsync takes 500 ms', { fsync: 500, write: 0 }],
    ['a write takes 25 ms', { fsync: 0, write: 25 }],
    ['an fsync takes 500 ms over 2 GB', { fsync: 500, write: 0, megabytes: 2048 }],
  ])('and %s, nobody else waits for a thread of its own', async (name, slow) => {
    const { fsync, write, megabytes = 0 } = slow;
    await using world = await World.open();
    using disk = await slowDisk(world.dir);
    const dir = join(disk.dir, 'data');
    await fill(join(disk.behind, 'data'), megabytes);
    await world.configure({ store: { dir, sqlite: { host: 'thread' } } });
    const service = await world.start({ env: disk.env, within: SCHEDULED_FIRST });
    await world.loadOf(service, 5);
    disk.slowFsyncs(fsync);
    disk.slowWrites(write);
    const found = await findings(service, name);
    await service.kill();
    disk.slowFsyncs(0);
    disk.slowWrites(0);
    expect(await missing(dir, found.accepted)).toEqual([]);
    await using again = await world.start({ env: disk.env });
    await world.drain(again);
    expect(await verdictOn(world, again)).toEqual(FLAWLESS);
    expectQuick(found);
  });

  it('from the start, nobody ever waits, and eight look-ups that hang beside it change nothing', async () => {
    await using world = await World.open();
    const hanging = { baseUrl: 'http://model.hangs.test/v1' };
    await world.configure({ models: { providers: { local: hanging } } });
    const shim = new Shim(world.data, world.dir);
    shim.slowDown(500);
    await using service = await world.start({ env: shim.env, within: SCHEDULED_FIRST });
    await world.loadOf(service, 3);
    const found = await findings(service, 'an fsync takes 500 ms, eight look-ups hang');
    expect(service.output).not.toContain(OPTION);
    expectQuick(found);
    await service.kill();
    shim.heal();
    expect(await missing(world.data, found.accepted)).toEqual([]);
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
  it.each(['fsync', 'write'] as const)('since each %s fails, nobody else waits', async (kind) => {
    await using world = await World.open();
    const shim = new Shim(world.data, world.dir);
    await using service = await world.start({ env: shim.env, within: SCHEDULED_FIRST });
    await world.loadOf(service, 5);
    shim.fail(kind, 'EIO');
    const found = await findings(service, `each ${kind} fails`);
    shim.heal();
    expect(found.accepted).toEqual([]);
    expectQuick(found);
  });

  it('since the disk is full, nobody else waits', async () => {
    await using world = await World.open();
    using disk = smallDisk(world.dir);
    await world.configure({ store: { dir: disk.dir } });
    await using service = await world.start({ env: disk.env, within: SCHEDULED_FIRST });
    await world.loadOf(service, 5);
    disk.fill();
    const found = await findings(service, 'a full disk');
    disk.free();
    await service.kill();
    expect(await missing(disk.dir, found.accepted)).toEqual([]);
    expectQuick(found);
  });
});
