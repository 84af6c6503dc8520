import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
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

/** An upgraded ledger that went on. */
async function upgraded() {
  const before = tables(file);
  const ledger = await open();
  await ledger.intake.accept(agent('since'), LIMITS);
  await ledger.maintenance.close();
  return before;
}

describe('goBack', () => {
  it('gives the ledger the tables of an earlier edition, with everything in it', async () => {
    const before = await upgraded();
    const { editions, turns = [], ...all } = rows(file);
    const turnsBefore = turns.map(({ events: _ofEdition3, ...turn }) => turn);
    expect(goBack(dir, 1, false)).toEqual({
      from: NEWEST,
      to: 1,
      events: 11,
      waiting: expect.any(Number),
      leftOut: expect.arrayContaining(['editions']),
      kept: `ledger.edition-${NEWEST}.db`,
    });
    expect(tables(file)).toEqual(before);
    expect(rows(file)).toEqual({ ...all, turns: turnsBefore });
    expect(rows(kept)).toEqual({ ...all, turns, editions });
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
    expect(rows(file)).toEqual({ ...all, editions: expect.any(Array) });
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

  it('is refused where there is no ledger, and makes none', () => {
    rmSync(file);
    expect(() => goBack(dir, 1, false)).toThrow(`there is no ledger in ${dir}`);
    expect(files()).toEqual({});
  });
});
