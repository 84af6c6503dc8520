import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JournalRecord } from './journal.ts';
import { cutsOf, eventOf, fileNamed, record } from './power-cuts.ts';
import { ROUNDS as CUTS, tell } from './rounds.ts';
import type { Shim } from './shim.ts';
import type { Survival } from './simulated-disk.ts';

const DISKS: readonly (readonly [string, (shim: Shim) => void])[] = [
  ['a disk that works', () => {}],
  [
    'a disk whose fsyncs fail now and then and forget what was to be written',
    (shim) => shim.fail('fsync', 'EIO', { every: 7 }),
  ],
];
const CUTS_BY_KIND: readonly (readonly [string, Survival])[] = [
  ['leaves nothing that was not fsynced', () => false],
  ['leaves some sectors of what was not fsynced', () => Math.random() < 0.5],
];

describe.each(DISKS)(`${CUTS} power cuts of %s`, (_disk, fault) => {
  let dir: string;
  let journal: JournalRecord[];

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'hooks-power-'));
    journal = await record(dir, { fault });
  });

  afterAll(() => rm(dir, { recursive: true }));

  it('were tried where there is more than a log: what it held was moved into the ledger as well', () => {
    const ledger = fileNamed(journal, 'ledger.db');
    const written = journal.findIndex((one) => one.kind === 'write' && one.file === ledger);
    const synced = journal.filter((one) => one.kind === 'fsync-end' && one.file === ledger);
    expect(written).toBeGreaterThan(0);
    expect(synced.length).toBeGreaterThan(0);
  });

  it('would be noticed if a disk only said that it had written the log', async () => {
    const log = fileNamed(journal, 'ledger.db-wal');
    const lie = journal.filter((one) => one.kind !== 'fsync-end' || one.file !== log);
    const missing: number[] = [];
    for await (const left of cutsOf(lie, dir, () => false)) missing.push(left.missing.length);
    expect(Math.max(...missing)).toBeGreaterThan(0);
  });

  it.each(CUTS_BY_KIND)(
    'while the ledger is made, that %s: the next start makes it',
    async (_kind, survives) => {
      const isMade = journal.findIndex((one) => eventOf(one) !== undefined);
      const count = Math.min(5 * CUTS, isMade);
      const cuts = Array.from({ length: count }, (_, n) => Math.floor((n * isMade) / count));
      for await (const left of cutsOf(journal, dir, survives, cuts)) {
        expect(left).toEqual({ promised: 0, missing: [], integrity: 'ok' });
      }
    },
  );

  it.each(CUTS_BY_KIND)(
    'that %s: every event that was answered 200 is there',
    async (_kind, survives) => {
      let promises = 0;
      for await (const { promised, missing, integrity } of cutsOf(journal, dir, survives)) {
        promises += promised;
        expect({ missing, integrity }).toEqual({ missing: [], integrity: 'ok' });
      }
      tell(`${CUTS} cuts, ${promises} promises kept`);
      expect(promises).toBeGreaterThan(CUTS);
    },
    CUTS * 6000 + 60_000,
  );
});
