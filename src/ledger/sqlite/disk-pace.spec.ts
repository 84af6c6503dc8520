import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiskPace, hasFastSync, isFast } from './disk-pace.ts';

function commitsUntilSlow(...commits: readonly number[]): number {
  const pace = new DiskPace();
  for (let n = 0; n < 1000; n += 1)
    if (pace.note(commits.at(n % commits.length) ?? 0)) return n + 1;
  return Infinity;
}

describe('DiskPace', () => {
  it.each([
    [[0.2], Infinity],
    [[15], 32],
    [[12, 330, 40], 32],
    // Commits that waited for a core, of a disk that takes less than a millisecond.
    [[33, 250, 40, 60, 0.8, 90], Infinity],
  ])('finds a disk whose commits take %j ms slow after %d of them', (ms, commits) => {
    expect(commitsUntilSlow(...ms)).toBe(commits);
  });

  it('says so once', () => {
    const pace = new DiskPace();
    const said = Array.from({ length: 100 }, () => pace.note(400));
    expect(said.filter(Boolean)).toHaveLength(1);
  });
});

describe('hasFastSync', () => {
  const judged = async (...ms: readonly number[]) => {
    let probes = 0;
    const isFast = await hasFastSync(async (nth) => ((probes += 1), ms.at(nth % ms.length) ?? 0));
    return { isFast, probes };
  };

  it.each([
    ['a fast disk', [0.3], { isFast: true, probes: 2 }],
    ['a fast disk and busy cores', [40, 25, 30, 8, 60, 35, 2], { isFast: true, probes: 7 }],
    ['a slow disk', [12], { isFast: false, probes: 20 }],
    [
      'a slow disk that was fast once',
      [2, 45, 45, 45, 45, 45, 45, 45],
      { isFast: false, probes: 8 },
    ],
  ])('of %s', async (_what, ms, found) => {
    expect(await judged(...ms)).toEqual(found);
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
