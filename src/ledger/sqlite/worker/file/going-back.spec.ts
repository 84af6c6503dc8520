import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Change } from '../../../../hooks/ports/change.ts';
import type { IdempotencyKey, NewEvent } from '../../../../hooks/ports/event.ts';
import type { RunJob } from '../../../../hooks/ports/jobs.ts';
import { LIMITS, agent } from '../../../../../test/contracts/ledger/events.ts';
import { ManualClock } from '../../../../../test/support/clocks.ts';
import { KILLED_AT, putLedger } from '../../../../../test/support/kept-ledgers.ts';
import { sqliteLedger } from '../../index.ts';
import { goBack } from './going-back.ts';
import { STEPS } from './schema.ts';

const NEWEST = STEPS.length;
let dir: string;
let file: string;
let kept: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'ledger-'));
  file = join(dir, 'ledger.db');
  kept = join(dir, `ledger.edition-${NEWEST}.db`);
  putLedger(dir);
});
afterEach(() => rmSync(dir, { recursive: true }));

const open = () => sqliteLedger({ dir }).open(new ManualClock(KILLED_AT));

function read<T>(path: string, look: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    return look(db);
  } finally {
    db.close();
  }
}

/** As the file says them, word for word: an earlier build compares them so. */
const tables = (path: string) =>
  read(path, (db) => [
    db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all(),
    db.prepare('PRAGMA user_version').get(),
    db.prepare('PRAGMA application_id').get(),
    db.prepare('PRAGMA auto_vacuum').get(),
  ]);

const rows = (path: string) =>
  read(path, (db) => {
    const names = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all();
    const all = names.map(({ name }) => [name, db.prepare(`SELECT * FROM ${String(name)}`).all()]);
    const found: Record<string, Record<string, unknown>[]> = Object.fromEntries(all);
    return found;
  });

const files = () =>
  Object.fromEntries(
    readdirSync(dir)
      .filter((name) => name.startsWith('ledger'))
      .map((name) => [name, readFileSync(join(dir, name)).toString('base64')]),
  );

/** A key that no event of edition 1 has; with content of its own, remembered by its digest. */
const KEY: IdempotencyKey = {
  scope: 'hook',
  key: 'since',
  digest: 'R+/8sL2kk5vqzp0Yx0uG2w==',
  keepUntil: Number.MAX_SAFE_INTEGER,
  onOtherContent: 'conflict',
};

/** The same event, with more in the job of its run. */
function withJob(event: NewEvent, more: Partial<RunJob>): NewEvent {
  const changed = (change: Change): Change => {
    if (change.type !== 'work' || change.work.kind !== 'run') return change;
    return { type: 'work', work: { ...change.work, job: { ...change.work.job, ...more } } };
  };
  const actions = event.actions.map((action) => ({
    ...action,
    changes: action.changes.map(changed),
  }));
  return { ...event, actions };
}

/** An upgraded ledger that went on. */
async function upgraded() {
  const before = tables(file);
  const ledger = await open();
  await ledger.intake.accept({ ...agent('since'), keys: [KEY] }, LIMITS);
  await ledger.maintenance.close();
  return before;
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new Error('no text');
  return value;
}

describe('goBack', () => {
  it('gives the ledger the tables of an earlier edition, with everything in it', async () => {
    const before = await upgraded();
    const later = rows(file);
    expect(goBack(dir, 1, false)).toEqual({
      from: NEWEST,
      to: 1,
      events: 11,
      waiting: expect.any(Number),
      leftOut: expect.arrayContaining(['editions']),
      kept: `ledger.edition-${NEWEST}.db`,
    });
    expect(tables(file)).toEqual(before);
    expect(rows(kept)).toEqual(later);
    const earlier = rows(file);
    // What an edition has no column for is left out; how keys are found has a form of its own.
    const { editions: _builds, idempotency: keys = [], ...others } = later;
    for (const [table, all] of Object.entries(others)) {
      if (table === 'meta') continue;
      const columns = Object.keys(earlier[table]?.[0] ?? {}).filter((name) => name !== 'keys');
      const pick = (row: Record<string, unknown>) => columns.map((name) => row[name]);
      expect([table, (earlier[table] ?? []).map(pick)]).toEqual([table, all.map(pick)]);
    }
    const own = (earlier['events'] ?? []).flatMap((event) => event['keys'] ?? []);
    const remembered = own.map((list) => JSON.parse(textOf(list))).flat();
    expect(remembered).toHaveLength(keys.length);
    expect(remembered).toEqual(
      expect.arrayContaining(keys.map((key) => [key['name'], key['digest'], key['keep_until']])),
    );
    expect(earlier['idempotency']).toHaveLength(keys.length);
    for (const path of [file, kept]) expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(Object.keys(files()).toSorted()).toEqual(
      ['ledger.db', `ledger.before-${NEWEST}.db`, `ledger.edition-${NEWEST}.db`].toSorted(),
    );
  });

  it('can be upgraded again', async () => {
    await upgraded();
    const all = rows(file);
    goBack(dir, 1, false);
    await (await open()).maintenance.close();
    const again = rows(file);
    const withoutKeys = ({ keys: _own, ...event }: Record<string, unknown>) => event;
    expect({ ...again, events: (again['events'] ?? []).map(withoutKeys) }).toEqual({
      ...all,
      editions: expect.any(Array),
      events: (all['events'] ?? []).map(withoutKeys),
    });
    const ledger = await open();
    const other = { ...agent('repeat'), keys: [{ ...KEY, digest: 'other' }] };
    expect(await ledger.intake.accept(other, LIMITS)).toMatchObject({ outcome: 'conflict' });
    await ledger.maintenance.close();
  });

  it('changes nothing when it is only asked', async () => {
    await upgraded();
    const before = files();
    expect(goBack(dir, 1, true)).toMatchObject({ from: NEWEST, to: 1, events: 11 });
    expect(files()).toEqual(before);
  });

  it('begins anew after a kill', async () => {
    const before = await upgraded();
    writeFileSync(kept, 'half');
    writeFileSync(join(dir, 'ledger.edition-1.db'), 'half');
    goBack(dir, 1, false);
    expect(tables(file)).toEqual(before);
    expect(rows(kept)).toHaveProperty('editions');
  });

  it('is refused while a service uses the ledger, which goes on', async () => {
    const ledger = await open();
    expect(() => goBack(dir, 1, false)).toThrow(
      `A service uses the ledger in ${dir}: stop it first`,
    );
    expect(await ledger.intake.accept(agent('more'), LIMITS)).toMatchObject({
      outcome: 'accepted',
    });
    await ledger.maintenance.close();
  });

  it.each([NEWEST, NEWEST + 1, 0])('is refused to edition %i, and changes nothing', async (to) => {
    await upgraded();
    const before = files();
    expect(() => goBack(dir, to, false)).toThrow(
      `The ledger in ${dir} cannot go back: it is of edition ${NEWEST}, and goes back to an earlier one only`,
    );
    expect(files()).toEqual(before);
  });

  it('is refused while a run is for a person to decide about, and changes nothing', async () => {
    const approve = { run: true, withinMs: 1, whenOver: 'deny', whileWaiting: 'hold' } as const;
    const ledger = await open();
    await ledger.intake.accept(withJob(agent('asked'), { approve }), LIMITS);
    await ledger.maintenance.close();
    const before = files();
    expect(() => goBack(dir, 5, false)).toThrow(
      '1 of its runs is for a person to decide about, and builds of edition 5 would do it unasked',
    );
    expect(files()).toEqual(before);
  });

  it('is refused where there is no ledger, and makes none', () => {
    rmSync(file);
    expect(() => goBack(dir, 1, false)).toThrow(`there is no ledger in ${dir}`);
    expect(files()).toEqual({});
  });
});
