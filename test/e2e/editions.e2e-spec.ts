import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sqliteLedger } from '../../src/ledger/sqlite/index.ts';
import { STEPS } from '../../src/ledger/sqlite/worker/file/schema.ts';
import { goesOn } from '../contracts/upgraded-ledger.ts';
import { ManualClock } from '../support/clocks.ts';
import { KILLED_AT, putLedger } from '../support/kept-ledgers.ts';

const COPY = `ledger.before-${STEPS.length}.db`;
const FILE = new URL('../../src/ledger/sqlite/worker/file/', import.meta.url);
const [HELD, DATABASE] = [new URL('held-directory.ts', FILE), new URL('database.ts', FILE)];

function contents(file: string, what: 'tables' | 'rows'): unknown {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = db
      .prepare(`SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name`)
      .all();
    if (what === 'tables') return tables;
    const names = tables.flatMap(({ type, name }) => (type === 'table' ? [String(name)] : []));
    return names.map((name) => [name, db.prepare(`SELECT * FROM "${name}"`).all()]);
  } finally {
    db.close();
  }
}

describe('A ledger of edition 1, left by the service of commit bae2b81 when it was killed', () => {
  let dir: string;
  let file: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'ledger-'));
    file = join(dir, 'ledger.db');
    putLedger(dir);
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it('is upgraded, and this build goes on with all that waits in it', async () => {
    const before = contents(file, 'rows');
    const db = new DatabaseSync(file, { readOnly: true });
    const { digest } = db.prepare('SELECT digest FROM console_sessions').get()!;
    db.close();
    await goesOn(sqliteLedger({ dir }), String(digest));
    const copy = join(dir, COPY);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(contents(copy, 'rows')).toEqual(before);
  });

  it('has the tables of a new one then', async () => {
    const made = join(dir, 'new');
    for (const place of [dir, made]) {
      await (
        await sqliteLedger({ dir: place }).open(new ManualClock(KILLED_AT))
      ).maintenance.close();
    }
    expect(contents(file, 'tables')).toEqual(contents(join(made, 'ledger.db'), 'tables'));
    expect(existsSync(join(made, COPY))).toBe(false);
  });

  it('is as it was after kill -9 in the middle of the upgrade, and goes on at the next start', async () => {
    const before = contents(file, 'rows');
    // Its tables are changed, and nothing is committed: it is killed while the statements are prepared.
    const script = `import { writeSync } from 'node:fs';
      import { HeldDirectory } from '${HELD.href}';
      import { openForWriting } from '${DATABASE.href}';
      const held = await HeldDirectory.hold(process.argv[1]);
      await openForWriting(held.files, (db) => {
        db.exec('SELECT number FROM editions');
        writeSync(1, 'changed');
        for (;;);
      });`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, dir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said] = await once(child.stdout, 'data');
    expect(String(said)).toBe('changed');
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(contents(file, 'rows')).toEqual(before);
    expect(contents(join(dir, COPY), 'rows')).toEqual(before);
    const ledger = await sqliteLedger({ dir }).open(new ManualClock(KILLED_AT));
    expect((await ledger.events.list({ limit: 50 })).events).toHaveLength(10);
    await ledger.maintenance.close();
    expect(contents(join(dir, COPY), 'rows')).toEqual(before);
  });
});
