import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sqliteLedger } from '../../src/ledger/sqlite/index.ts';
import { SystemClock } from '../../src/hooks/ports/index.ts';
import type { EventStore, FoundEvents } from '../../src/hooks/ports/index.ts';
import type { JournalRecord } from './journal.ts';
import { ROUNDS, tell } from './rounds.ts';
import { Shim } from './shim.ts';
import { SimulatedDisk } from './simulated-disk.ts';
import type { Survival } from './simulated-disk.ts';
import { World } from './world.ts';

const CUTS = ROUNDS;

/** What happened at one cut, in the order of the events' answers. */
interface Leftovers {
  readonly promised: number;
  /** Promised, and not there in full. */
  readonly missing: readonly string[];
  readonly integrity: string;
}

/** Runs the service on a disk that is written down, until each sender was promised so many events, and kills it. */
async function record(
  dir: string,
  {
    fault = () => {},
    host = 'auto',
    events = 60,
  }: { fault?: (shim: Shim) => void; host?: string; events?: number },
): Promise<JournalRecord[]> {
  const store = { dir: join(dir, 'data'), sqlite: { host } };
  await using world = await World.open({ store }, 'x'.repeat(6000));
  const shim = new Shim(join(dir, 'data'), dir);
  const service = await world.start({ env: shim.journaling });
  fault(shim);
  await world.loadOf(service, events);
  await service.kill();
  return shim.journal();
}

/** Where to cut: half of them right after a promise, half anywhere. */
function chooseCuts(journal: readonly JournalRecord[]): number[] {
  const promises = journal.flatMap((one, n) => (eventOf(one) === undefined ? [] : [n + 1]));
  const cuts = Array.from({ length: CUTS }, (_, n) => {
    const anywhere = Math.floor(Math.random() * journal.length);
    return n % 2 === 0 ? anywhere : (promises[anywhere % promises.length] ?? anywhere);
  });
  return cuts.toSorted((a, b) => a - b);
}

/** Cuts after a group was written and before each of its senders was told. */
function betweenCommitAndAnswer(journal: readonly JournalRecord[], most: number): number[] {
  const log = fileNamed(journal, 'ledger.db-wal');
  const cuts: number[] = [];
  let isWritten = false;
  for (const [n, one] of journal.entries()) {
    if (one.kind === 'fsync-end' && one.file === log) isWritten = true;
    else if (one.kind === 'write' && one.file === log) isWritten = false;
    else if (isWritten && eventOf(one) !== undefined) cuts.push(n);
  }
  const step = Math.max(1, cuts.length / most);
  return Array.from({ length: Math.min(most, cuts.length) }, (_, n) => cuts[Math.floor(n * step)]!);
}

/** The event that a record promises to somebody. */
function eventOf(record: JournalRecord): string | undefined {
  if (record.kind !== 'answer') return undefined;
  return /"eventId":"([^"]+)"/.exec(record.text)?.[1];
}

function fileNamed(journal: readonly JournalRecord[], name: string): number {
  const made = journal.find((one) => one.kind === 'create' && one.path.endsWith(`/${name}`));
  return made?.kind === 'create' ? made.file : 0;
}

async function* cutsOf(
  journal: readonly JournalRecord[],
  dir: string,
  survives: Survival,
  cuts = chooseCuts(journal),
): AsyncGenerator<Leftovers> {
  const disk = new SimulatedDisk(join(dir, 'data'), survives);
  const promised: string[] = [];
  let at = 0;
  for (const cut of cuts) {
    for (const one of journal.slice(at, cut)) {
      disk.apply(one);
      const event = eventOf(one);
      if (event !== undefined) promised.push(event);
    }
    at = cut;
    const left = join(dir, `cut-${cut}`);
    await mkdir(left, { recursive: true });
    disk.writeTo(left);
    yield await look(left, promised);
    await rm(left, { recursive: true });
  }
}

/** Opens what a power cut left, as the service does at its next start: all are listed, and the newest can be read. */
async function look(dir: string, promised: readonly string[]): Promise<Leftovers> {
  const provider = sqliteLedger({ dir, host: 'inline', search: false });
  const ledger = await provider.open(new SystemClock());
  const listed = await idsOf(ledger.events);
  const newest = promised.slice(-10);
  const stories = await Promise.all(newest.map((id) => ledger.events.get(id)));
  await ledger.maintenance.close();
  using db = new DatabaseSync(join(dir, 'ledger.db'));
  return {
    promised: promised.length,
    missing: [
      ...promised.filter((id) => !listed.has(id)),
      ...newest.filter((id, n) => stories[n]?.id !== id),
    ],
    integrity: String(db.prepare('PRAGMA integrity_check').get()?.['integrity_check']),
  };
}

async function idsOf(events: EventStore): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  let cursor: string | null = null;
  do {
    const page: FoundEvents = await events.list({ limit: 200, ...(cursor !== null && { cursor }) });
    for (const { id } of page.events) ids.add(id);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return ids;
}

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
      const cuts = Array.from({ length: isMade }, (_, n) => n);
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
    ROUNDS * 6000 + 60_000,
  );
});

const BETWEEN = 250;
/** Four send them, and not every answer lies between two writes. */
const EVENTS_FOR_BETWEEN = 120;

describe.each(['inline', 'thread'])(
  `${BETWEEN} power cuts between commit and answer, host %s`,
  (host) => {
    it('lose nothing that was promised, and leave a ledger that is whole', async () => {
      const dir = await mkdtemp(join(tmpdir(), 'hooks-power-'));
      const journal = await record(dir, { host, events: EVENTS_FOR_BETWEEN });
      const cuts = betweenCommitAndAnswer(journal, BETWEEN);
      expect(cuts).toHaveLength(BETWEEN);
      for await (const left of cutsOf(journal, dir, () => false, cuts)) {
        expect(left).toEqual({ promised: expect.any(Number), missing: [], integrity: 'ok' });
      }
      await rm(dir, { recursive: true });
    });
  },
);
