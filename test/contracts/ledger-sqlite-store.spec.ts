import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { sqliteLedger } from '../../src/ledger/sqlite/index.ts';
import { STEPS } from '../../src/ledger/sqlite/worker/file/schema.ts';
import { SystemClock } from '../../src/hooks/ports/clock.ts';
import type { Ledger } from '../../src/hooks/ports/ledger.ts';
import type { DeliveryLease } from '../../src/hooks/ports/work-ledger.ts';
import { RisingIds } from '../../src/platform/new-id.ts';
import { LIMITS, agent, delivery, event, wake } from './ledger/events.ts';

const SCRIPT = join(import.meta.dirname, '../support/ledger-process.ts');
const MEGABYTE = 1024 * 1024;
const PRLIMIT = '/usr/bin/prlimit';

class LedgerProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  readonly #ended: Promise<unknown>;

  constructor(dir: string, before: readonly string[] = []) {
    const [command, ...args] = [...before, process.execPath, SCRIPT, dir];
    this.#child = spawn(command, args);
    this.#ended = once(this.#child, 'exit');
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  get pid(): number {
    return this.#child.pid!;
  }

  async says(): Promise<string> {
    const line = await this.#lines.next();
    return line.done === true ? 'nothing' : line.value;
  }

  accept(bytes: number): Promise<string> {
    this.#child.stdin.write(`${bytes}\n`);
    return this.says();
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}

describe('sqliteLedger', () => {
  let dir: string;
  const clock = new SystemClock();
  const open = () => sqliteLedger({ dir }).open(clock);
  const processes: LedgerProcess[] = [];
  const start = (...before: string[]) => {
    const started = new LedgerProcess(dir, before);
    processes.push(started);
    return started;
  };

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ledger-'));
  });
  afterEach(async () => {
    for (const started of processes.splice(0)) await started.kill();
    await rm(dir, { recursive: true });
  });

  it('makes a directory and files that only their owner can read', async () => {
    const inner = join(dir, 'data');
    const ledger = await sqliteLedger({ dir: inner }).open(clock);
    await ledger.intake.accept(wake(), LIMITS);
    const modeOf = async (name: string) => (await stat(join(inner, name))).mode & 0o777;
    expect(await modeOf('.')).toBe(0o700);
    for (const name of ['ledger.db', 'ledger.db-wal', 'ledger.db-shm', 'lock.db']) {
      expect([name, await modeOf(name)]).toEqual([name, 0o600]);
    }
    await ledger.maintenance.close();
  });

  it('refuses a directory that another process uses, and takes it after kill -9', async () => {
    const other = start();
    expect(await other.says()).toBe('open');
    await expect(open()).rejects.toThrow(`the ledger in ${dir} cannot be used: another process`);
    expect(await other.accept(10)).toBe('accepted');
    await other.kill();
    const ledger = await open();
    expect((await ledger.events.list({ limit: 9 })).events).toHaveLength(1);
    await ledger.maintenance.close();
  });

  it('refuses a second opening in the same process and keeps the lock', async () => {
    const ledger = await open();
    await expect(open()).rejects.toThrow('another process uses it');
    expect(await start().says()).toContain('another process uses it');
    await ledger.maintenance.close();
  });

  it('refuses a file of a newer build, by its name', async () => {
    await (await open()).maintenance.close();
    const db = new DatabaseSync(join(dir, 'ledger.db'));
    db.exec('PRAGMA user_version = 99');
    db.close();
    await expect(open()).rejects.toThrow(
      `cannot be used: its tables are of edition 99, and this build knows ${STEPS.length} (made by 0.`,
    );
  });

  it('refuses a file of an early edition and leaves it as it is', async () => {
    const file = join(dir, 'ledger.db');
    const db = new DatabaseSync(file);
    db.exec(`PRAGMA journal_mode = WAL; CREATE TABLE events (n INTEGER PRIMARY KEY);
      INSERT INTO events VALUES (1); PRAGMA user_version = 6`);
    const files = [file, `${file}-wal`];
    const before = await Promise.all(files.map((name) => readFile(name)));
    db.close();
    // As after a crash: the log still holds all of it.
    await Promise.all(files.map((name, at) => writeFile(name, before[at]!)));
    await expect(open()).rejects.toThrow(
      'it has tables from before the first edition, or of another program (made by a build that left no name; this is',
    );
    expect(await Promise.all(files.map((name) => readFile(name)))).toEqual(before);
  });

  it('gives the disk back what was forgotten', async () => {
    const ledger = await open();
    const payload = JSON.stringify('x'.repeat(40_000));
    await Promise.all(
      Array.from({ length: 200 }, () => ledger.intake.accept(event({ payload }), LIMITS)),
    );
    const now = clock.now();
    const retention = { payloadsBefore: now, eventsBefore: now, now };
    while (await ledger.maintenance.prune(retention));
    await ledger.maintenance.close();
    expect((await stat(join(dir, 'ledger.db'))).size).toBeLessThan(2 * MEGABYTE);
  });

  it('goes on after the last id that it holds, though the clock was set back', async () => {
    const ledger = await open();
    // Soon past: the ids of whatever follows in this process go on after it as well.
    const ahead = new RisingIds(() => Date.now() + 2000).next();
    await ledger.intake.accept(wake({ id: ahead }), LIMITS);
    await ledger.maintenance.close();
    const again = await open();
    const given = wake();
    expect(given.id > ahead).toBe(true);
    await again.intake.accept(given, LIMITS);
    const { events } = await again.events.list({ limit: 9 });
    expect(events.map(({ id }) => id)).toEqual([given.id, ahead]);
    await again.maintenance.close();
  });

  it('refuses a file that is no database', async () => {
    await writeFile(join(dir, 'ledger.db'), 'x'.repeat(5000));
    await expect(open()).rejects.toThrow('the ledger is damaged: the file is not a database');
  });

  it('refuses a path that cannot be a directory', async () => {
    await writeFile(join(dir, 'file'), '');
    const provider = sqliteLedger({ dir: join(dir, 'file', 'data') });
    await expect(provider.open(clock)).rejects.toThrow('cannot be made: check');
  });

  it('refuses a directory that it may not write', async () => {
    await chmod(dir, 0o555);
    // Root may write everywhere but there.
    const provider = sqliteLedger({ dir: process.getuid?.() === 0 ? '/sys' : dir });
    await expect(provider.open(clock)).rejects.toThrow('may not be written: check who owns it');
  });

  it('refuses events while the disk takes no more, loses none, and goes on after', async () => {
    // Only Linux can take a disk away from one process.
    if (!existsSync(PRLIMIT)) return;
    const other = start(PRLIMIT, `--fsize=${2 * MEGABYTE}:unlimited`);
    expect(await other.says()).toBe('open');
    const answers: string[] = [];
    for (let n = 0; n < 30; n++) answers.push(await other.accept(200_000));
    const accepted = answers.filter((answer) => answer === 'accepted').length;
    expect(accepted).toBeGreaterThan(0);
    expect(answers.at(-1)).toMatch(/^LedgerUnavailable: the ledger cannot be written: the disk/);
    execFileSync(PRLIMIT, ['--pid', `${other.pid}`, '--fsize=unlimited:unlimited']);
    expect(await other.accept(200_000)).toBe('accepted');
    await other.kill();
    const ledger = await open();
    expect((await ledger.events.list({ limit: 99 })).events).toHaveLength(accepted + 1);
    await ledger.maintenance.close();
  });

  it('keeps its log short while events are stored and read, and leaves none', async () => {
    const ledger = await open();
    // 100 MB in all; from 48 on they wait for the reader thread, and a group may be on its way then.
    const payload = JSON.stringify('x'.repeat(50_000));
    const log = join(dir, 'ledger.db-wal');
    let largest = 0;
    for (let round = 0; round < 40; round++) {
      const accepted = Array.from({ length: 50 }, () =>
        ledger.intake.accept(event({ payload }), LIMITS),
      );
      await Promise.all([...accepted, ledger.events.list({ limit: 200 })]);
      largest = Math.max(largest, (await stat(log)).size);
    }
    expect(largest).toBeLessThan(56 * MEGABYTE);
    await ledger.maintenance.close();
    expect(existsSync(log)).toBe(false);
  });

  it('reads beside the writer what was just accepted', async () => {
    const ledger = await open();
    const given = agent('a');
    await ledger.intake.accept(given, LIMITS);
    expect(await ledger.events.get(given.id)).toMatchObject({ status: 'accepted' });
    expect(await ledger.admin.counts()).toMatchObject([
      { kind: 'run', state: 'waiting', count: 1, oldestDueAt: expect.any(Number) },
    ]);
    await ledger.maintenance.close();
    await expect(ledger.events.get(given.id)).rejects.toThrow('the ledger is closed');
  });
});

describe('sqliteLedger: a reply in parts', () => {
  let dir: string;
  const clock = new SystemClock();
  const { signal } = new AbortController();
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ledger-'));
  });
  afterEach(() => rm(dir, { recursive: true }));

  async function withDelivery(): Promise<Ledger> {
    const ledger = await sqliteLedger({ dir }).open(clock);
    const given = agent('a');
    await ledger.intake.accept(given, LIMITS);
    const [run] = await ledger.work.claim('turn', 1, signal);
    await ledger.work.commit(run!, { type: 'done' }, delivery(given.id));
    return ledger;
  }

  async function claimed(ledger: Ledger): Promise<DeliveryLease> {
    const [lease] = await ledger.work.claim('delivery', 1, signal);
    return lease as DeliveryLease;
  }

  it('writes no more for a part of a long one than for a part of a short one', async () => {
    const ledger = await withDelivery();
    const lease = await claimed(ledger);
    const parts = Array.from({ length: 500 }, () => 'x'.repeat(2000));
    await ledger.work.commit(lease, { type: 'cut', job: { ...lease.job, text: '' }, parts }, []);
    const log = join(dir, 'ledger.db-wal');
    const before = (await stat(log)).size;
    for (let n = 0; n < 20; n += 1) {
      await ledger.work.commit(await claimed(ledger), { type: 'continue' }, []);
    }
    expect(((await stat(log)).size - before) / 20).toBeLessThan(100_000);
    expect((await claimed(ledger)).part).toMatchObject({ place: 21, count: 500 });
    await ledger.maintenance.close();
  });

  it('keeps no part of what has ended', async () => {
    const ledger = await withDelivery();
    const lease = await claimed(ledger);
    const cut = { type: 'cut', job: lease.job, parts: ['a', 'b', 'c'] } as const;
    await ledger.work.commit(lease, cut, []);
    await ledger.work.commit(await claimed(ledger), { type: 'done' }, []);
    await ledger.maintenance.close();
    const db = new DatabaseSync(join(dir, 'ledger.db'));
    expect(db.prepare('SELECT count(*) AS count FROM parts').get()).toEqual({ count: 0 });
    db.close();
  });
});
