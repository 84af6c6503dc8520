import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sqliteLedger } from '../../../ledger/sqlite/index.ts';
import { ManualClock } from '../../../../test/support/clocks.ts';
import { DoctorDirectory } from '../../../../test/support/doctor-directory.ts';
import { putLedger } from '../../../../test/support/kept-ledgers.ts';
import { ledger } from './ledger.ts';

let dir: DoctorDirectory;
let data: string;
beforeEach(() => {
  dir = new DoctorDirectory().configure();
  data = join(dir.path, 'data');
});
afterEach(() => dir[Symbol.dispose]());

const open = () => sqliteLedger({ dir: data }).open(new ManualClock());

async function look() {
  const contents = () =>
    readdirSync(data).map((name) => [name, readFileSync(join(data, name)).toString('base64')]);
  const before = contents();
  const [found] = await dir.findings(ledger);
  expect(contents()).toEqual(before);
  return found;
}

function change(sql: string): void {
  const db = new DatabaseSync(join(data, 'ledger.db'));
  db.exec(sql);
  db.close();
}

describe('doctor: ledger', () => {
  it('says that there is none yet, and makes none', async () => {
    const [found] = await dir.findings(ledger);
    expect(found).toMatchObject({ severity: 'ok', what: `a ledger will be made in ${data}` });
    expect(existsSync(data)).toBe(false);
  });

  it('leaves a database to its own check', async () => {
    dir.configure({ store: { postgres: { url: 'postgres://db.example.com/x' } } });
    expect(await dir.findings(ledger)).toMatchObject([
      { severity: 'info', what: 'the ledger is in the database' },
    ]);
  });

  it('says that an earlier edition will be upgraded', async () => {
    putLedger(data);
    expect(await look()).toMatchObject({
      severity: 'info',
      what: expect.stringMatching(
        /is of edition 1: the next start upgrades it to \d+, after a copy of it \(ledger\.before-\d+\.db\)$/,
      ),
    });
  });

  it('finds nothing wrong with the newest, also while a service works on it', async () => {
    const opened = await open();
    const [found] = await dir.findings(ledger);
    expect(found).toMatchObject({ severity: 'ok', what: expect.stringContaining('the newest') });
    await opened.maintenance.close();
    expect(await look()).toMatchObject({ severity: 'ok', what: found?.what });
  });

  it.each([
    ['of a newer build', 'PRAGMA user_version = 99', 'its tables are of edition 99'],
    [
      'of another build',
      'ALTER TABLE work DROP COLUMN acting',
      'its tables are not those of edition',
    ],
  ])(
    'says that a ledger %s cannot be used, by whom it was made and what to do',
    async (_, sql, why) => {
      await (await open()).maintenance.close();
      change(sql);
      const found = await look();
      expect(found).toMatchObject({ severity: 'error', what: expect.stringContaining(why) });
      expect(found?.what).toMatch(
        /\(made by \d+\.\d+\.\d+; this is .*\): run it with the build that made it, or choose a new store\.dir; nothing was changed$/,
      );
      expect(found?.what).not.toContain('damaged');
    },
  );

  it('calls only a damaged file damaged', async () => {
    mkdirSync(data);
    writeFileSync(join(data, 'ledger.db'), 'x'.repeat(10_000));
    expect(await look()).toMatchObject({
      severity: 'error',
      what: expect.stringContaining(
        'the ledger is damaged: the file is not a database; put a backup',
      ),
    });
  });
});
