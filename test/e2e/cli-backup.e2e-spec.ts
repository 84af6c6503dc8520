import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sqliteLedger } from '../../src/ledger/sqlite/index.ts';
import { LIMITS, wake } from '../contracts/ledger/events.ts';
import { hooksCall } from '../support/cli-call.ts';
import { hooksCommand } from '../support/cli-process.ts';
import { ManualClock } from '../support/clocks.ts';
import { ConfigDirectory } from '../support/config-directory.ts';

const STORE = { store: { dir: './data' } };

describe('hooks backup and hooks restore', () => {
  let old: ConfigDirectory;
  let next: ConfigDirectory;
  let file: string;
  beforeEach(async () => {
    old = new ConfigDirectory().write('gateway.json5', STORE);
    next = new ConfigDirectory().write('gateway.json5', STORE);
    file = join(old.path, 'backup.jsonl');
    const ledger = await sqliteLedger({ dir: join(old.path, 'data') }).open(new ManualClock());
    await ledger.intake.accept(wake(), LIMITS);
    await ledger.maintenance.close();
  });
  afterEach(() => {
    old[Symbol.dispose]();
    next[Symbol.dispose]();
  });

  const backUp = (...args: string[]) => hooksCall(['backup', ...args], { cwd: old.path });
  const restore = (...args: string[]) => hooksCall(['restore', ...args], { cwd: next.path });

  it('take a ledger to another store, by a file for its owner alone', async () => {
    const written = await backUp('backup.jsonl');
    expect(written).toMatchObject({ code: 0, stderr: '' });
    expect(written.stdout).toMatch(/^events +1$/m);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toMatch(
      /^\{"format":"agent-hooks ledger","edition":6,"build":"\d[^"]*","writtenAt":"[^"]*Z"\}\n/,
    );
    const read = await restore(file);
    expect(read).toMatchObject({ code: 0, stderr: '' });
    expect(read.stdout).toMatch(/^events +1$/m);
    expect(read.stdout.replaceAll(/\s+/g, ' ')).toContain(
      `is in ${join(next.path, 'data')}, whole`,
    );
    expect(await restore(file)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Nothing was restored: The ledger in'),
    });
  });

  it('take it through a pipe', async () => {
    const { stdout, stderr, code } = await hooksCommand(['backup', '-'], { cwd: old.path });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^\d+ rows of the ledger in .* were written\n$/);
    const place = { cwd: next.path, input: stdout };
    const read = await hooksCommand(['restore', '-', '--json'], place);
    expect(read).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(read.stdout)).toMatchObject({ rows: { events: 1 } });
  });

  it('tell a program what they did', async () => {
    const { stdout } = await backUp('backup.jsonl', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ file: 'backup.jsonl', rows: { events: 1 } });
  });

  it('never write over a file', async () => {
    writeFileSync(file, 'mine');
    const { code, stderr } = await backUp('backup.jsonl');
    expect(code).toBe(1);
    expect(stderr).toContain('backup.jsonl is there already');
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect(await backUp('no/backup.jsonl')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no/backup.jsonl cannot be made (ENOENT)'),
    });
  });

  it('leave no half of a file', async () => {
    const db = new DatabaseSync(join(old.path, 'data', 'ledger.db'));
    db.exec('DROP TABLE activity');
    db.close();
    const { code, stderr } = await backUp('backup.jsonl');
    expect(code).toBe(1);
    expect(stderr).toContain('its tables are not those of edition');
    expect(existsSync(file)).toBe(false);
  });

  it('refuse what is torn with a sentence that says what to do', async () => {
    await backUp('backup.jsonl');
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, -10));
    expect(await restore(file)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'error: Nothing was restored: it is torn: copy it once more, or take another backup\n',
    });
  });

  it('need a configuration that says where the ledger is', async () => {
    using nothing = new ConfigDirectory();
    expect(await hooksCall(['backup', '-'], { cwd: nothing.path })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no configuration here, and so no ledger'),
    });
  });
});
