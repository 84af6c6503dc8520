import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { jest } from '@jest/globals';
import { WriteAheadLog } from './write-ahead-log.ts';

const LARGE = 17 * 1024 * 1024;
const BUSY_MS = 10_000;

describe('WriteAheadLog', () => {
  let dir: string;
  let db: DatabaseSync;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'log-'));
    db = new DatabaseSync(join(dir, 'a.db'), { timeout: BUSY_MS });
    db.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (a TEXT) STRICT');
  });
  afterEach(() => {
    db.close();
    rmSync(dir, { recursive: true });
  });
  const checkUntilDone = (log: WriteAheadLog) => {
    let checks = 1;
    while (!log.check(LARGE, false)) checks += 1;
    return checks;
  };

  it('is emptied at once of what was forgotten, or when the reader that was in the way is gone', () => {
    const size = () => statSync(join(dir, 'a.db-wal')).size;
    const log = new WriteAheadLog(db, BUSY_MS);
    expect(log.check(size(), true)).toBe(true);
    expect(size()).toBe(0);
    db.exec(`INSERT INTO t VALUES ('x')`);
    for (let batch = 0; batch < 100; batch += 1) expect(log.check(size(), false)).toBe(false);
    const reader = new DatabaseSync(join(dir, 'a.db'), { readOnly: true });
    reader.exec('BEGIN; SELECT * FROM t');
    expect(log.check(size(), true)).toBe(true);
    expect(size()).toBeGreaterThan(0);
    reader.close();
    while (!log.check(size(), false));
    expect(size()).toBe(0);
  });

  it('waits for no reader that is in its way, and comes back later and later', () => {
    const reader = new DatabaseSync(join(dir, 'a.db'), { readOnly: true });
    reader.exec('BEGIN; SELECT * FROM t');
    db.exec(`INSERT INTO t VALUES ('x')`);
    const log = new WriteAheadLog(db, BUSY_MS);
    const timeout = () => db.prepare('PRAGMA busy_timeout').get()?.['timeout'];
    const patience: unknown[] = [];
    const truncate = log.truncate.bind(log);
    jest.spyOn(log, 'truncate').mockImplementation(() => {
      patience.push(timeout());
      return truncate();
    });
    expect([1, 2, 3].map(() => checkUntilDone(log))).toEqual([32, 64, 128]);
    expect(patience).toEqual([0, 0, 0]);
    expect(timeout()).toBe(BUSY_MS);
    reader.close();
    expect([1, 2].map(() => checkUntilDone(log))).toEqual([256, 32]);
    expect(statSync(join(dir, 'a.db-wal')).size).toBe(0);
  });
});
