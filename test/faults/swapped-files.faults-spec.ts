import { cp, mkdir, readFile, readdir, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';
import { TestedService } from './tested-service.ts';
import { FLAWLESS, verdictOn } from './verdict.ts';
import { World } from './world.ts';

interface Swap {
  readonly act: (world: World) => Promise<void>;
  /** Puts back what was taken; undefined: it is gone for good. */
  readonly undo?: (world: World) => Promise<void>;
}

const LEDGER = ['ledger.db', 'ledger.db-wal', 'ledger.db-shm'];

const SWAPS: readonly (readonly [string, Swap])[] = [
  ['the directory is removed', { act: ({ data }) => rm(data, { recursive: true }) }],
  [
    'the directory is moved',
    {
      act: ({ data }) => rename(data, `${data}-moved`),
      undo: async ({ data }) => {
        await rm(data, { recursive: true, force: true });
        await rename(`${data}-moved`, data);
      },
    },
  ],
  [
    'the files of the ledger are moved',
    {
      act: async ({ data }) => {
        await mkdir(`${data}-moved`);
        await move(data, `${data}-moved`);
      },
      undo: async ({ data }) => {
        for (const name of LEDGER) await rm(join(data, name), { force: true });
        await move(`${data}-moved`, data);
      },
    },
  ],
  [
    'the ledger is removed',
    {
      act: async ({ data }) =>
        void (await Promise.all(LEDGER.map((name) => rm(join(data, name), { force: true })))),
    },
  ],
  [
    'the ledger is replaced by a copy',
    {
      act: async ({ data }) => {
        const file = join(data, 'ledger.db');
        await cp(file, `${file}-copy`);
        await rename(`${file}-copy`, file);
      },
    },
  ],
];

async function move(from: string, to: string): Promise<void> {
  for (const name of await readdir(from)) {
    if (LEDGER.includes(name)) await rename(join(from, name), join(to, name));
  }
}

describe('While the service runs', () => {
  it.each(SWAPS)(
    '%s: nothing is promised any more, and the process ends',
    async (_, { act, undo }) => {
      await using world = await World.open();
      await using service = await world.start();
      await world.loadOf(service, 10);
      await world.drain(service);
      const promised = world.acknowledged.length;
      await act(world);
      await world.load(service, () => eventually('it ends', () => service.hasEnded));
      const { code } = await service.ended();
      expect(code).not.toBe(0);
      expect(service.output).toContain(world.data);
      expect(world.acknowledged).toHaveLength(promised);
      if (undo === undefined) return;
      await undo(world);
      await using again = await world.start();
      await world.drain(again);
      expect(await verdictOn(world, again)).toEqual(FLAWLESS);
    },
  );

  it('the lock file is removed: two services never both promise', async () => {
    await using world = await World.open();
    await using first = await world.start();
    await world.loadOf(first, 10);
    await rm(join(world.data, 'lock.db'));
    await using second = TestedService.launch(world.dir);
    await Promise.race([first.ended(), second.ended()]);
    const [left] = [first, second].filter(({ hasEnded }) => !hasEnded);
    if (left === undefined) return;
    await left.listens();
    await world.drain(left);
    expect(await verdictOn(world, left)).toEqual(FLAWLESS);
  });
});

describe('While no service runs', () => {
  it.each([
    ['removed', (file: string) => rm(file)],
    ['emptied', (file: string) => truncate(file)],
  ])('the ledger is %s beside its log: no start, and nothing is touched', async (_, act) => {
    await using world = await World.open();
    const service = await world.start();
    await world.loadOf(service, 10);
    await service.kill();
    const file = join(world.data, 'ledger.db');
    const [ledger, log] = await Promise.all([readFile(file), readFile(`${file}-wal`)]);
    await act(file);
    const { code, stdout, stderr } = await TestedService.launch(world.dir).ended();
    expect(code).toBe(1);
    expect(stdout + stderr).toContain(world.data);
    expect(stdout + stderr).toContain('ledger.db is missing or empty');
    expect((await readFile(`${file}-wal`)).equals(log)).toBe(true);
    await writeFile(file, ledger);
    await using again = await world.start();
    await world.drain(again);
    expect(await verdictOn(world, again)).toEqual(FLAWLESS);
  });

  it('the lock file is damaged: it is made anew', async () => {
    await using world = await World.open();
    const service = await world.start();
    await world.loadOf(service, 10);
    await service.kill();
    await writeFile(join(world.data, 'lock.db'), 'garbage '.repeat(1000));
    await using again = await world.start();
    await world.drain(again);
    expect(await verdictOn(world, again)).toEqual(FLAWLESS);
  });
});
