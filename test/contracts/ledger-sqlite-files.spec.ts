import { existsSync } from 'node:fs';
import {
  appendFile,
  copyFile,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sqliteLedger } from '../../src/ledger/sqlite/index.ts';
import { SystemClock } from '../../src/hooks/ports/clock.ts';
import { LedgerUnavailable } from '../../src/hooks/ports/ledger.ts';
import type { Ledger } from '../../src/hooks/ports/ledger.ts';
import { CapturedLogs } from '../support/captured-logs.ts';
import { LIMITS, agent, wake } from './ledger/events.ts';

let parent: string;
let dir: string;
let logs: CapturedLogs;
const clock = new SystemClock();
const open = () => sqliteLedger({ dir }).open(clock, logs);
const file = (name: string) => join(dir, name);
const accept = async (ledger: Ledger, count = 1) => {
  for (let n = 0; n < count; n += 1) await ledger.intake.accept(wake(), LIMITS);
};
const countEvents = async (ledger: Ledger) =>
  (await ledger.events.list({ limit: 200 })).events.length;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'ledger-'));
  dir = join(parent, 'data');
  logs = new CapturedLogs();
});
afterEach(async () => {
  logs[Symbol.dispose]();
  await rm(parent, { recursive: true });
});

function writeBeside(): void {
  const db = new DatabaseSync(file('ledger.db'));
  db.exec(`INSERT INTO meta (key, value) VALUES ('foreign', 'x')`);
  db.close();
}

async function overwrite(): Promise<void> {
  await writeFile(file('ledger.db'), await readFile(join(parent, 'backup.db')));
}

describe('a ledger whose files are taken away while it is open', () => {
  it.each<[string, string, () => Promise<unknown> | void]>([
    ['the directory is removed', 'lock.db was removed', () => rm(dir, { recursive: true })],
    ['the directory is moved', 'lock.db was removed', () => rename(dir, join(parent, 'moved'))],
    ['the database is removed', 'ledger.db was removed', () => rm(file('ledger.db'))],
    [
      'the database is replaced',
      'ledger.db was replaced',
      () => rename(join(parent, 'backup.db'), file('ledger.db')),
    ],
    ['the database is overwritten', 'ledger.db was overwritten', overwrite],
    [
      'the database is overwritten by a copy of the same size',
      'ledger.db was overwritten',
      () => utimes(file('ledger.db'), 1, 1),
    ],
    ['the log is removed', 'ledger.db-wal was removed', () => rm(file('ledger.db-wal'))],
    ['the lock is removed', 'lock.db was removed', () => rm(file('lock.db'))],
    ['another process writes', 'another process wrote into', writeBeside],
  ])('answers no request into it: %s', async (_, sentence, takeAway) => {
    const ledger = await withBackup();
    await takeAway();
    await expect(accept(ledger)).rejects.toThrow(LedgerUnavailable);
    expect(await ledger.maintenance.untilLost()).toContain(sentence);
    expect(await ledger.maintenance.untilLost()).toContain(dir);
    const told = logs.lines.filter((line) => line.includes(sentence));
    expect(told).toContainEqual(expect.stringMatching(/^error .* No more events are accepted$/));
    await expect(accept(ledger)).rejects.toThrow(sentence);
    await expect(ledger.maintenance.health()).rejects.toThrow(LedgerUnavailable);
    await ledger.maintenance.close();
  });

  async function withBackup(): Promise<Ledger> {
    for (const count of [2, 30]) {
      const before = await open();
      await accept(before, count);
      await before.maintenance.close();
      if (count === 2) await copyFile(file('ledger.db'), join(parent, 'backup.db'));
    }
    const ledger = await open();
    await accept(ledger);
    return ledger;
  }

  it.each<[string, () => Promise<void>]>([
    ['overwritten', overwrite],
    ['replaced', () => rename(join(parent, 'backup.db'), file('ledger.db'))],
  ])('leaves a database that was %s as it is', async (_, restore) => {
    const ledger = await withBackup();
    await restore();
    await expect(accept(ledger)).rejects.toThrow(LedgerUnavailable);
    await ledger.maintenance.close();
    const again = await open();
    expect(await countEvents(again)).toBe(2);
    await again.maintenance.close();
    const db = new DatabaseSync(file('ledger.db'));
    expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    db.close();
  });

  it('keeps everything that was answered when only the log was removed', async () => {
    const ledger = await withBackup();
    await rm(file('ledger.db-wal'));
    await expect(accept(ledger)).rejects.toThrow(LedgerUnavailable);
    await ledger.maintenance.close();
    const again = await open();
    expect(await countEvents(again)).toBeGreaterThanOrEqual(33);
    await again.maintenance.close();
  });

  it('takes a path that cannot be looked at for trouble that passes', async () => {
    const ledger = await open();
    const moved = join(parent, 'moved');
    await rename(dir, moved);
    await symlink(dir, dir);
    await expect(accept(ledger)).rejects.toThrow('cannot be looked at (ELOOP)');
    await rm(dir);
    await rename(moved, dir);
    await accept(ledger);
    expect(await countEvents(ledger)).toBe(1);
    await ledger.maintenance.close();
  });
});

describe('opening a ledger', () => {
  it.each<[string, () => Promise<void>]>([
    ['missing', () => rm(file('ledger.db'))],
    ['empty', () => truncate(file('ledger.db'))],
  ])('refuses a log whose database is %s, and touches nothing', async (_, lose) => {
    const ledger = await open();
    await accept(ledger, 20);
    const saved = await readFile(file('ledger.db-wal'));
    const database = await readFile(file('ledger.db'));
    await ledger.maintenance.close();
    await writeFile(file('ledger.db'), database);
    await writeFile(file('ledger.db-wal'), saved);
    await lose();
    await expect(open()).rejects.toThrow('put ledger.db back beside it');
    expect(await readFile(file('ledger.db-wal'))).toEqual(saved);
    await writeFile(file('ledger.db'), database);
    const again = await open();
    expect(await countEvents(again)).toBe(20);
    await again.maintenance.close();
  });

  it('tells of a new ledger, and of what it found in an old one', async () => {
    await (await open()).maintenance.close();
    expect(logs.lines).toEqual([`log a new ledger was made in ${dir}`]);
    const ledger = await open();
    expect(logs.lines.at(-1)).toContain(`the ledger in ${dir} is open: 0 events, 0 waiting`);
    await accept(ledger, 2);
    await ledger.intake.accept(agent('a'), LIMITS);
    await ledger.maintenance.close();
    await (await open()).maintenance.close();
    expect(logs.lines.at(-1)).toContain('3 events, 1 waiting');
  });

  it('begins anew what a power cut left half made, and undoes its journal', async () => {
    const making = new DatabaseSync(join(parent, 'making.db'));
    making.exec('PRAGMA cache_size = 1; BEGIN; CREATE TABLE half (made)');
    making.exec(`INSERT INTO half SELECT randomblob(9000) FROM json_each('[1,2,3,4,5,6,7]')`);
    await mkdir(dir);
    await copyFile(join(parent, 'making.db'), file('ledger.db'));
    await copyFile(join(parent, 'making.db-journal'), file('ledger.db-journal'));
    making.close();
    expect((await stat(file('ledger.db'))).size).toBeGreaterThan(0);
    const ledger = await open();
    await accept(ledger);
    expect(await countEvents(ledger)).toBe(1);
    await ledger.maintenance.close();
  });

  it('makes a lock anew that is no lock, and holds it', async () => {
    await (await open()).maintenance.close();
    await appendFile(file('lock.db'), 'garbage that somebody left here'.repeat(100));
    const ledger = await open();
    await expect(open()).rejects.toThrow('another process uses it');
    await accept(ledger);
    await ledger.maintenance.close();
  });

  it('waits for a moment while another process holds the writing lock', async () => {
    const ledger = await open();
    const other = new DatabaseSync(file('ledger.db'));
    other.exec('BEGIN IMMEDIATE');
    await expect(accept(ledger)).rejects.toThrow('locked by another process');
    other.exec('ROLLBACK');
    await accept(ledger);
    other.close();
    await ledger.maintenance.close();
    expect(existsSync(file('ledger.db-wal'))).toBe(false);
    expect((await stat(file('ledger.db'))).size).toBeGreaterThan(0);
  });
});
