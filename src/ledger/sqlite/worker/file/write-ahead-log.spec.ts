import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { WriteAheadLog } from './write-ahead-log.ts';

describe('WriteAheadLog', () => {
  let dir: string;
  let db: DatabaseSync;
  const size = () => statSync(join(dir, 'a.db-wal')).size;
  const write = () => db.exec(`INSERT INTO t VALUES ('x')`);
  const read = () => {
    const reader = new DatabaseSync(join(dir, 'a.db'), { readOnly: true });
    reader.exec('BEGIN; SELECT * FROM t');
    return reader;
  };
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'log-'));
    db = new DatabaseSync(join(dir, 'a.db'), { timeout: 0 });
    db.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0');
    db.exec('CREATE TABLE t (a TEXT) STRICT');
  });
  afterEach(() => {
    db.close();
    rmSync(dir, { recursive: true });
  });

  it('is emptied of what was forgotten, or when the reader that was in the way is gone', () => {
    const log = new WriteAheadLog(db, false);
    write();
    expect(log.look(true)).toEqual({ pages: expect.any(Number), holdsForgotten: true });
    const reader = read();
    write();
    log.finish();
    expect(log.look(true)?.holdsForgotten).toBe(true);
    expect(size()).toBeGreaterThan(0);
    reader.close();
    log.finish();
    expect(size()).toBe(0);
  });

  it('is moved into the database and begins anew with the next write, past a reader that is in the way', () => {
    const log = new WriteAheadLog(db, false);
    const pages = () => {
      let state = log.look(false);
      while (state === null) state = log.look(false);
      return state.pages;
    };
    write();
    const reader = read();
    write();
    expect(pages()).toBeGreaterThan(0);
    log.finish();
    expect(pages()).toBeGreaterThan(0);
    reader.close();
    log.finish();
    expect(pages()).toBe(0);
    const before = size();
    write();
    expect([pages(), size()]).toEqual([1, before]);
  });
});
