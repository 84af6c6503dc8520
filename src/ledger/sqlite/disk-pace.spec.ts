import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiskPace } from './disk-pace.ts';

/** How many groups it takes, each of which waits so long. */
function groupsUntilSlow(waitedMs: number, before: readonly number[] = []): number {
  const pace = new DiskPace();
  for (const ms of before) expect(pace.note(ms)).toBe(false);
  for (let groups = 1; groups <= 1000; groups += 1) if (pace.note(waitedMs)) return groups;
  return Infinity;
}

describe('DiskPace', () => {
  it.each([
    [0.2, Infinity],
    [7, Infinity],
    [10, 51],
    [20, 17],
    [150, 2],
    [300, 1],
  ])('finds a disk for which each group waits %d ms slow after %d groups', (ms, groups) => {
    expect(groupsUntilSlow(ms)).toBe(groups);
  });

  it('thinks nothing of one slow commit now and then', () => {
    const day = Array.from({ length: 500 }, (_, n) => (n % 50 === 0 ? 150 : 0.5));
    expect(groupsUntilSlow(0.5, day)).toBe(Infinity);
  });

  it('begins anew', () => {
    const pace = new DiskPace();
    pace.note(200);
    pace.beginAnew();
    expect(pace.note(200)).toBe(false);
  });

  it('measures a directory and leaves nothing in it', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'pace-'));
    expect([true, false]).toContain(await new DiskPace().isFast(dir));
    expect(await readdir(dir)).toEqual([]);
    await rm(dir, { recursive: true });
  });

  it('takes a directory that cannot be measured for a fast one: opening it says what is the matter', async () => {
    expect(await new DiskPace().isFast('/no/such/directory')).toBe(true);
  });
});
