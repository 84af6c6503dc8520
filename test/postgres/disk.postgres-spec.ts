import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inTurns } from '../faults/sender.ts';
import { FLAWLESS, verdictOn } from '../faults/verdict.ts';
import { mountedDisk } from '../faults/small-disk.ts';
import type { SmallDisk } from '../faults/small-disk.ts';
import { World } from '../faults/world.ts';
import { atLast, eventually } from '../support/eventually.ts';
import { PostgresServer } from '../support/postgres-server.ts';

/** Makes events large, so that what the files have left is soon used; the database would compress anything else. */
const FILLING = randomBytes(120_000).toString('base64');
/** In megabytes: more than the quickest machine needs for what is sent once there is room again. */
const ROOMY = 1024;
/** No file of the log is kept to be written again. */
const SMALL_LOG = { min_wal_size: '2MB', max_wal_size: '4MB', wal_recycle: 'off' };

describe('A database whose disk is full', () => {
  let scratch: string;
  beforeEach(() => {
    // Not the temporary directory of the environment: names of sockets must be short.
    scratch = mkdtempSync('/tmp/full-');
    chmodSync(scratch, 0o755);
  });
  afterEach(() => rmSync(scratch, { recursive: true, force: true }));

  it.each([
    ['and everything is on it', ({ dir }: SmallDisk) => ({ within: dir })],
    // PostgreSQL ends itself when it cannot write its log.
    [
      'and its log is on it',
      ({ dir }: SmallDisk) => ({ wal: join(dir, 'wal'), settings: SMALL_LOG }),
    ],
  ])('(%s) refuses events until there is room, and then all goes on', async (_, placed) => {
    using disk = mountedDisk(scratch, ROOMY);
    await using server = await PostgresServer.start(placed(disk));
    await using world = await World.open({ store: { postgres: { url: server.url() } } }, FILLING);
    await using one = await world.start();
    await using other = await world.start();
    const both = inTurns(one, other);
    await world.loadOf(both, 5);
    await world.load(both, async () => {
      const refused = () => {
        // What a checkpoint has given back meanwhile as well.
        disk.fill();
        return world.senders.every(({ refusals }) => refusals > 3);
      };
      await eventually('refusals', refused);
      await eventually('it is not ready', async () => (await one.health('ready')) === 503);
      expect(await other.health('live')).toBe(200);
      disk.free();
      await eventually('it is ready', async () => {
        if ((await one.health('ready')) === 200) return true;
        // As whoever supervises it does; it refuses while it runs.
        await server.resume().catch(() => undefined);
        return false;
      });
      const seen = world.acknowledged.length;
      await atLast('events are taken', () => world.acknowledged.length > seen + 10);
    });
    await world.drain(one);
    expect(await verdictOn(world, other)).toEqual(FLAWLESS);
    expect(server.log).toContain('No space left on device');
    expect([one.hasEnded, other.hasEnded]).toEqual([false, false]);
  });
});
