import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteLedger } from '../../src/ledger/sqlite/index.ts';
import { LIMITS, agent, heartbeat, wake } from './ledger/events.ts';
import { LedgerUnderTest } from './ledger/store.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

let under: LedgerUnderTest;

beforeEach(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'ledger-'));
  under = await LedgerUnderTest.open(async () => ({
    provider: sqliteLedger({ dir }),
    dispose: () => rm(dir, { recursive: true }),
  }));
});
afterEach(() => under.dispose());

function prune(): Promise<boolean> {
  const now = under.clock.now();
  return under.ledger.maintenance.prune({
    now,
    payloadsBefore: now - 7 * DAY_MS,
    eventsBefore: now - 30 * DAY_MS,
  });
}

async function withRetry(): Promise<number> {
  await under.ledger.intake.accept(agent('a'), LIMITS);
  const lease = await under.claimOne();
  const at = under.clock.now() + 2000;
  await under.ledger.work.commit(lease, { type: 'retry', at }, []);
  return lease.since;
}

describe('a clock that is set while the service runs', () => {
  it.each([-DAY_MS, -HOUR_MS, 25 * HOUR_MS, 40 * DAY_MS])(
    'freezes nothing: %i ms',
    async (step) => {
      const since = await withRetry();
      under.clock.jump(step);
      expect(await under.claimNow()).toEqual([]);
      under.clock.advance(2000);
      expect(await under.claimOne()).toMatchObject({ since: since + step });
    },
  );

  it('holds a heartbeat back as long as it was to be', async () => {
    await under.ledger.work.add(heartbeat('agent:main:main', { dueAt: under.clock.now() + 250 }));
    under.clock.jump(-DAY_MS);
    expect(await under.claimNow()).toEqual([]);
    under.clock.advance(250);
    expect(await under.claimOne()).toMatchObject({ kind: 'heartbeat' });
  });

  it.each([-DAY_MS, DAY_MS])(
    'moves what waits once, though the service ends before it forgets anything: %i ms',
    async (step) => {
      const since = await withRetry();
      under.clock.jump(step);
      expect(await under.claimNow()).toEqual([]);
      await under.reopen();
      expect(await under.claimNow()).toEqual([]);
      under.clock.advance(2000);
      expect(await under.claimOne()).toMatchObject({ since: since + step });
    },
  );

  it('wakes a claim that waits', async () => {
    await withRetry();
    const waiting = under.ledger.work.claim('turn', 1, new AbortController().signal);
    under.clock.jump(-DAY_MS);
    await under.ledger.maintenance.health();
    under.clock.advance(2000);
    expect(await waiting).toHaveLength(1);
  });
});

describe('a clock that was set while the service was off', () => {
  it('freezes nothing that waits, though it is behind', async () => {
    await withRetry();
    await prune();
    await under.ledger.maintenance.close();
    under.clock.jump(-DAY_MS);
    await under.reopen();
    under.clock.advance(2000);
    expect(await under.claimOne()).toMatchObject({ kind: 'run' });
  });

  it.each([DAY_MS, 40 * DAY_MS])(
    'gives up nothing sooner by a time that is %i ms ahead, then and when it is right again',
    async (step) => {
      const since = await withRetry();
      await prune();
      under.clock.jump(step);
      await under.reopen();
      const lease = await under.claimOne();
      expect(lease.since).toBe(since + step);
      await under.ledger.work.commit(lease, { type: 'retry', at: under.clock.now() + 2000 }, []);
      await prune();
      under.clock.jump(-step);
      await under.reopen();
      under.clock.advance(2000);
      expect((await under.claimOne()).since).toBe(since);
    },
  );

  it('counts an hour without the service', async () => {
    const since = await withRetry();
    await prune();
    under.clock.jump(HOUR_MS);
    await under.reopen();
    expect((await under.claimOne()).since).toBe(since);
  });

  it.each([
    [DAY_MS, 29.2 * DAY_MS],
    [40 * DAY_MS, 0],
  ])(
    'forgets nothing by a time that is %i ms ahead before it has stood for a day, restarts included',
    async (step, age) => {
      const event = wake();
      await under.ledger.intake.accept(event, LIMITS);
      under.clock.advance(age);
      await prune();
      under.clock.jump(step);
      await under.reopen();
      for (let half = 0; half < 2; half += 1) {
        await prune();
        expect(await under.ledger.events.get(event.id)).not.toBeNull();
        under.clock.advance(DAY_MS / 2);
        await prune();
        if (half === 0) await under.reopen();
      }
      expect(await under.ledger.events.get(event.id)).toBeNull();
    },
  );

  it('forgets as ever after an hour without the service', async () => {
    const event = wake();
    await under.ledger.intake.accept(event, LIMITS);
    under.clock.advance(30 * DAY_MS - HOUR_MS / 2);
    await prune();
    under.clock.jump(HOUR_MS);
    await under.reopen();
    await prune();
    expect(await under.ledger.events.get(event.id)).toBeNull();
  });
});
