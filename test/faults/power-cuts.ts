// Power cuts of a service whose disk was written down: what is left at any moment of its journal, and whether that holds
// all that was promised until then.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sqliteLedger } from '../../src/ledger/sqlite/index.ts';
import { SystemClock } from '../../src/hooks/ports/index.ts';
import type { EventStore, FoundEvents } from '../../src/hooks/ports/index.ts';
import type { JournalRecord } from './journal.ts';
import { ROUNDS } from './rounds.ts';
import { Shim } from './shim.ts';
import { SimulatedDisk } from './simulated-disk.ts';
import type { Survival } from './simulated-disk.ts';
import { World } from './world.ts';

interface Leftovers {
  readonly promised: number;
  readonly missing: readonly string[];
  readonly integrity: string;
}

export async function record(
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
  const cuts = Array.from({ length: ROUNDS }, (_, n) => {
    const anywhere = Math.floor(Math.random() * journal.length);
    return n % 2 === 0 ? anywhere : (promises[anywhere % promises.length] ?? anywhere);
  });
  return cuts.toSorted((a, b) => a - b);
}

export function eventOf(record: JournalRecord): string | undefined {
  if (record.kind !== 'answer') return undefined;
  return /"eventId":"([^"]+)"/.exec(record.text)?.[1];
}

export function fileNamed(journal: readonly JournalRecord[], name: string): number {
  const made = journal.find((one) => one.kind === 'create' && one.path.endsWith(`/${name}`));
  return made?.kind === 'create' ? made.file : 0;
}

export async function* cutsOf(
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
