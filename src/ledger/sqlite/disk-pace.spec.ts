import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiskPace, isFast } from './disk-pace.ts';

function commitsUntilSlow(commitMs: number, before: readonly number[] = []): number {
  const pace = new DiskPace();
  for (const ms of before) expect(pace.note(ms)).toBe(false);
  for (let commits = 1; commits <= 1000; commits += 1) if (pace.note(commitMs)) return commits;
  return Infinity;
}

describe('DiskPace', () => {
  it.each([
    [0.2, Infinity],
    [10, Infinity],
    [15, 35],
    [20, 22],
    [150, 3],
    [330, 1],
  ])('finds a disk for which each commit takes %d ms slow after %d commits', (ms, commits) => {
    expect(commitsUntilSlow(ms)).toBe(commits);
  });

  it('thinks nothing of one slow commit now and then', () => {
    const day = Array.from({ length: 500 }, (_, n) => (n % 50 === 0 ? 150 : 0.5));
    expect(commitsUntilSlow(0.5, day)).toBe(Infinity);
  });

  it('says so once', () => {
    const pace = new DiskPace();
    expect([400, 400, 0.5, 400].map((ms) => pace.note(ms))).toEqual([true, false, false, false]);
  });
});

describe('isFast', () => {
  it('measures a directory and leaves nothing in it', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'pace-'));
    await isFast(dir);
    expect(await readdir(dir)).toEqual([]);
    await rm(dir, { recursive: true });
  });

  it('takes a directory that cannot be measured for a fast one: opening it says what is the matter', async () => {
    expect(await isFast('/no/such/directory')).toBe(true);
  });
});
