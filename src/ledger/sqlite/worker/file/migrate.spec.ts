import { closeSync, existsSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { checkEdition, migrate } from './migrate.ts';

const FIRST = 'CREATE TABLE a (x TEXT) STRICT; CREATE INDEX a_by_x ON a (x)';
const SECOND = 'ALTER TABLE a ADD COLUMN y TEXT';
const THIRD = 'CREATE TABLE b (z TEXT) STRICT';

describe('migrate', () => {
  let dir: string;
  let db: DatabaseSync;
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'ledger-'));
    db = new DatabaseSync(join(dir, 'ledger.db'));
    await migrate(db, () => db.exec(`INSERT INTO a VALUES ('kept')`), [FIRST]);
  });
  afterEach(() => {
    db.close();
    rmSync(dir, { recursive: true });
  });
  const version = () => db.prepare('PRAGMA user_version').get()!['user_version'];
  const copy = (target: number) => join(dir, `ledger.before-${target}.db`);

  it('takes all steps that are left, gives what was begun, and copies the file before', async () => {
    expect(existsSync(copy(1))).toBe(false);
    const begun = await migrate(db, () => db.prepare('SELECT y, z FROM a, b'), [
      FIRST,
      SECOND,
      THIRD,
    ]);
    expect(begun.all()).toEqual([]);
    expect(version()).toBe(3);
    checkEdition(db, [FIRST, SECOND, THIRD]);
    expect(statSync(copy(3)).mode & 0o777).toBe(0o600);
    const before = new DatabaseSync(copy(3));
    checkEdition(before, [FIRST]);
    expect(before.prepare('SELECT * FROM a').all()).toEqual([{ x: 'kept' }]);
    before.close();
  });

  it.each([
    ['a step cannot be taken', [FIRST, SECOND, 'ALTER TABLE absent RENAME TO c'], 'SELECT 1'],
    ['a statement cannot be prepared', [FIRST, SECOND, THIRD], 'SELECT absent FROM a'],
  ])('changes nothing when %s, and says so, each time', async (_, steps, statement) => {
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await expect(migrate(db, () => db.prepare(statement), steps)).rejects.toThrow(
        /^it cannot be brought from edition 1 to 3 \(.*no such .*nothing was changed/,
      );
      checkEdition(db, [FIRST]);
      expect(db.prepare('SELECT * FROM a').all()).toEqual([{ x: 'kept' }]);
    }
    expect(await migrate(db, () => 'begun', [FIRST, SECOND])).toBe('begun');
  });

  it('leaves no half of a copy behind, and calls a damaged file damaged', async () => {
    db.close();
    const file = join(dir, 'ledger.db');
    const descriptor = openSync(file, 'r+');
    // The page after the first is that of the table.
    writeSync(descriptor, Buffer.alloc(4096, 1), 0, 4096, 4096);
    closeSync(descriptor);
    db = new DatabaseSync(file);
    await expect(migrate(db, () => null, [FIRST, SECOND])).rejects.toThrow(
      /^database disk image is malformed/,
    );
    expect(existsSync(copy(2))).toBe(false);
    expect(version()).toBe(1);
  });

  it('keeps no copy of a file that it does not change', async () => {
    await migrate(db, () => null, [FIRST]);
    expect(existsSync(copy(1))).toBe(false);
  });
});

describe('checkEdition', () => {
  let db: DatabaseSync;
  beforeEach(async () => {
    db = new DatabaseSync(':memory:');
    await migrate(db, () => null, [FIRST, SECOND]);
  });
  afterEach(() => db.close());

  it.each(['DROP INDEX a_by_x', 'CREATE TABLE foreign_one (x)', 'ALTER TABLE a DROP COLUMN y'])(
    'refuses tables that its steps did not make: %s',
    (change) => {
      db.exec(change);
      expect(() => checkEdition(db, [FIRST, SECOND, THIRD])).toThrow(
        /^its tables are not those of edition 2: another build, or another program, changed them \(made by a build that left no name; this is .*\): run it with the build that made it, or choose a new store\.dir; nothing was changed$/,
      );
    },
  );

  it('takes what SQLite keeps for itself', () => {
    db.exec('ANALYZE');
    expect(() => checkEdition(db, [FIRST, SECOND])).not.toThrow();
  });

  it('refuses a first step that was edited after it was taken', () => {
    expect(() => checkEdition(db, [`${FIRST}; CREATE INDEX a_twice ON a (x)`, SECOND])).toThrow(
      'its tables are not those of edition 2',
    );
  });
});
