import { mkdtemp, open as openFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sqliteLedger } from '../../src/ledger/sqlite/index.ts';
import { storeTrouble } from '../../src/ledger/sqlite/worker/file/store-trouble.ts';
import { StoreHealth } from '../../src/ledger/sqlite/store-health.ts';
import { LedgerUnavailable } from '../../src/hooks/ports/ledger.ts';
import type { Ledger } from '../../src/hooks/ports/ledger.ts';
import { CapturedLogs } from '../support/captured-logs.ts';
import { ManualClock } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import { LIMITS, agent, event, wake } from './ledger/events.ts';

let dir: string;
let clock: ManualClock;
let logs: CapturedLogs;
const open = () => sqliteLedger({ dir }).open(clock, logs);

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ledger-'));
  clock = new ManualClock();
  logs = new CapturedLogs();
});
afterEach(async () => {
  logs[Symbol.dispose]();
  await rm(dir, { recursive: true });
});

async function damage(): Promise<void> {
  const path = join(dir, 'ledger.db');
  const file = await openFile(path, 'r+');
  const { size } = await stat(path);
  await file.write(Buffer.alloc(20_000, 0xa5), 0, 20_000, Math.floor(size * 0.7));
  await file.close();
}

describe('the health of a ledger', () => {
  it('looks for damage a minute after the start and every day, and says what to do', async () => {
    const before = await open();
    const payload = JSON.stringify('x'.repeat(3000));
    await Promise.all(
      Array.from({ length: 300 }, () => before.intake.accept(event({ payload }), LIMITS)),
    );
    await before.maintenance.close();
    await damage();
    const ledger = await open();
    expect((await ledger.maintenance.state())?.damage).toBeNull();
    clock.advance(60_000);
    const found = await eventually('the damage is found', async () => {
      return (await ledger.maintenance.state())?.damage ?? undefined;
    });
    const told = `error ${join(dir, 'ledger.db')} is damaged (${found}): make a copy`;
    const count = () => logs.lines.filter((line) => line.startsWith(told)).length;
    await eventually('it is told', () => count() === 1);
    await eventually('the next look is waited for', () => clock.waiting > 0);
    clock.advance(86_400_000);
    await eventually('it is told again', () => count() === 2);
    await ledger.maintenance.close();
  });

  it.each([
    ['events', 'head', () => (ledger: Ledger) => ledger.events.list({ limit: 5 })],
    ['events', 'head', (id: string) => (ledger: Ledger) => ledger.events.get(id)],
    ['runs', 'notes', (id: string) => (ledger: Ledger) => ledger.events.get(id)],
  ])(
    'finds damage in %s.%s where somebody reads it, and says what to do',
    async (table, column, read) => {
      const before = await open();
      const given = agent('a');
      await before.intake.accept(given, LIMITS);
      await before.maintenance.close();
      const db = new DatabaseSync(join(dir, 'ledger.db'));
      db.exec(`UPDATE ${table} SET ${column} = '{"a' || char(3) || '"}'`);
      db.close();
      const ledger = await open();
      for (let n = 0; n < 2; n += 1) {
        await expect(read(given.id)(ledger)).rejects.toThrow(LedgerUnavailable);
      }
      expect((await ledger.maintenance.state())?.damage).toBe(
        'what is stored of an event is no JSON',
      );
      const told = logs.lines.filter((line) =>
        line.includes(`${join(dir, 'ledger.db')} is damaged`),
      );
      expect(told).toEqual([expect.stringContaining('put a backup of ledger.db in its place')]);
      await ledger.maintenance.close();
    },
  );

  it('shows sessions beside a line whose event is damaged, and the line as that', async () => {
    const before = await open();
    const given = wake();
    await before.intake.accept(given, LIMITS);
    await before.intake.accept(wake(), LIMITS);
    await before.maintenance.close();
    const db = new DatabaseSync(join(dir, 'ledger.db'));
    db.exec(`UPDATE events SET head = 'no JSON' WHERE key = (SELECT min(key) FROM events)`);
    db.close();
    const ledger = await open();
    const { sessions } = await ledger.events.sessions({ limit: 5 });
    expect(sessions).toMatchObject([{ pendingSystemEvents: 2 }]);
    const session = await ledger.events.session(sessions[0]!.key, { limit: 5 });
    expect(session?.pendingSystemEvents).toEqual([
      {
        text: '(what is stored of an event is no JSON: put a backup in its place)',
        at: expect.stringMatching(/^\d{4}-/),
        trust: { level: 'untrusted', verifiedBy: 'none' },
      },
      { text: expect.any(String), at: expect.any(String), trust: expect.any(Object) },
    ]);
    await ledger.maintenance.close();
  });

  it('is not ready for five seconds after an event could not be stored', async () => {
    const ledger = await open();
    await ledger.maintenance.health();
    const other = new DatabaseSync(join(dir, 'ledger.db'));
    other.exec('BEGIN IMMEDIATE');
    await expect(ledger.intake.accept(wake(), LIMITS)).rejects.toThrow(LedgerUnavailable);
    await expect(ledger.intake.accept(wake(), LIMITS)).rejects.toThrow(LedgerUnavailable);
    other.close();
    const told = 'error events cannot be stored, and senders are told to retry: ';
    expect(logs.lines.filter((line) => line.startsWith('error'))).toEqual([
      `${told}the ledger is locked by another process`,
    ]);
    clock.advance(4999);
    await expect(ledger.maintenance.health()).rejects.toThrow('a moment ago');
    clock.advance(1);
    await ledger.maintenance.health();
    await ledger.maintenance.close();
  });

  it('is not ready while the disk is nearly full', async () => {
    const health = new StoreHealth(dir, clock, logs, Infinity);
    await expect(health.check()).rejects.toThrow('nearly full: make room');
    await new StoreHealth(dir, clock, logs, 1).check();
    await new StoreHealth(null, clock, logs, Infinity).check();
  });

  it('tells why an event could not be stored, once a minute at most', () => {
    const health = new StoreHealth(dir, clock, logs);
    const [full, locked] = [
      storeTrouble({ errcode: 13 }) ?? '',
      storeTrouble({ errcode: 5 }) ?? '',
    ];
    for (const reason of [full, full, locked]) health.failed(reason);
    expect(logs.lines).toEqual([expect.stringMatching(/^error .*no space left.*ENOSPC/)]);
    clock.advance(60_000);
    health.failed(locked);
    expect(logs.lines).toEqual([expect.any(String), expect.stringContaining('locked by another')]);
  });

  it('tells of a slow disk, once a minute at most', () => {
    const health = new StoreHealth(dir, clock, logs);
    for (const ms of [999, 1500, 3000]) health.committed(ms);
    expect(logs.lines).toEqual([expect.stringContaining('a commit to the ledger took 1.5 s')]);
    clock.advance(60_000);
    health.committed(2000);
    expect(logs.lines).toHaveLength(2);
  });

  it('tells of a commit that does not end, and counts it', async () => {
    const health = new StoreHealth(dir, clock, logs);
    for (const ms of [999, 1500, 3000]) health.waiting(ms);
    health.committed(4000);
    expect(logs.lines).toEqual([
      expect.stringContaining('a commit to the ledger has taken 1.5 s so far'),
    ]);
    clock.advance(60_000);
    health.waiting(61_500);
    expect(logs.lines).toHaveLength(2);
    expect(await health.state()).toMatchObject({ commits: 1, slowestCommitSeconds: 61.5 });
  });

  it('knows what commits cost, and the size of its files', async () => {
    const ledger = await open();
    await ledger.intake.accept(wake(), LIMITS);
    expect(await ledger.maintenance.state()).toMatchObject({
      damage: null,
      commits: 1,
      ledgerBytes: expect.any(Number),
    });
    const { commitSeconds, slowestCommitSeconds, logBytes, freeBytes } =
      (await ledger.maintenance.state())!;
    expect(slowestCommitSeconds).toBeGreaterThan(0);
    expect(slowestCommitSeconds).toBe(commitSeconds);
    expect(logBytes).toBeGreaterThan(0);
    expect(freeBytes).toBeGreaterThan(0);
    await ledger.maintenance.close();
  });
});
