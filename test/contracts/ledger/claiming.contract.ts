import type { StepOutcome, Lease } from '../../../src/hooks/ports/work-ledger.ts';
import { LIMITS, agent, heartbeat, wake, runOf } from './events.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

const DONE: StepOutcome = { type: 'done' };

export function describeClaiming(openStore: OpenStore): void {
  describe('claiming', () => {
    let under: LedgerUnderTest;
    const { signal } = new AbortController();
    const refs = (leases: readonly Lease[]) => leases.map(({ eventId }) => eventId);
    const acceptRun = async (session: string) => {
      const given = agent(session);
      await under.ledger.intake.accept(given, LIMITS);
      return given.id;
    };
    const end = (lease: Lease, how: StepOutcome) => under.ledger.work.commit(lease, how, []);
    const kinds = async () => (await under.claimNow()).map(({ kind }) => kind);

    beforeEach(async () => {
      under = await LedgerUnderTest.open(openStore);
    });
    afterEach(() => under.dispose());

    it('hands out work of one key one at a time, first in first out', async () => {
      const ids = [await acceptRun('a'), await acceptRun('a'), await acceptRun('a')];
      for (const id of ids) {
        const lease = await under.claimOne();
        expect(lease).toMatchObject({ eventId: id, attempt: 1, failures: 0, crashes: 0 });
        await end(lease, DONE);
      }
      expect(await under.claimNow()).toEqual([]);
    });

    it('hands out work of different keys side by side', async () => {
      const ids = [await acceptRun('a'), await acceptRun('b'), await acceptRun('c')];
      expect(refs(await under.claimNow())).toEqual(ids);
    });

    it('gives everything that the step needs', async () => {
      const id = await acceptRun('a');
      expect(await under.claimOne()).toMatchObject({
        lane: 'turn',
        key: 'agent:main:a',
        kind: 'run',
        ref: runOf(id),
        since: under.clock.now(),
        job: { v: 1, eventId: id, message: 'hello' },
      });
    });

    it('claims at most as much as was asked for', async () => {
      await acceptRun('a');
      await acceptRun('b');
      expect(await under.ledger.work.claim('turn', 1, signal)).toHaveLength(1);
    });

    it('lets a retried first hold its key', async () => {
      const first = await acceptRun('a');
      const second = await acceptRun('a');
      await end(await under.claimOne(), { type: 'retry', at: under.clock.now() + 50 });
      expect(await under.claimNow()).toEqual([]);
      under.clock.advance(50);
      const again = await under.claimOne();
      expect(again).toMatchObject({ eventId: first, attempt: 2, failures: 1, crashes: 0 });
      await end(again, DONE);
      expect(await under.claimOne()).toMatchObject({ eventId: second });
    });

    it('does not count an attempt that was interrupted as a failure', async () => {
      await acceptRun('a');
      const at = under.clock.now();
      await end(await under.claimOne(), { type: 'retry', at });
      await end(await under.claimOne(), { type: 'retry', at, interrupted: true });
      expect(await under.claimOne()).toMatchObject({ attempt: 3, failures: 1, crashes: 0 });
    });

    it('begins what was accepted, though the clock was set back', async () => {
      const first = await acceptRun('a');
      const second = await acceptRun('a');
      under.clock.advance(-3_600_000);
      const third = await acceptRun('b');
      const leases = await under.claimNow();
      expect(new Set(refs(leases))).toEqual(new Set([first, third]));
      for (const lease of leases) await end(lease, DONE);
      expect(await under.claimOne()).toMatchObject({ eventId: second });
    });

    it('lets the next one begin after a dead one', async () => {
      await acceptRun('a');
      const second = await acceptRun('a');
      await end(await under.claimOne(), { type: 'dead' });
      expect(await under.claimOne()).toMatchObject({ eventId: second });
    });

    it('does not let deferred work hold its key', async () => {
      const deferred = heartbeat('agent:main:a', { dueAt: under.clock.now() + 50 });
      await under.ledger.work.add(deferred);
      await acceptRun('a');
      expect((await under.claimOne()).kind).toBe('run');
    });

    it('puts deferred work into its queue when it is due, behind the one under way', async () => {
      await under.ledger.work.add(heartbeat('agent:main:a', { dueAt: under.clock.now() + 50 }));
      await acceptRun('a');
      const run = await under.claimOne();
      await acceptRun('a');
      under.clock.advance(50);
      expect(await under.claimNow()).toEqual([]);
      await end(run, DONE);
      expect(await kinds()).toEqual(['heartbeat']);
    });

    it('keeps one of the work that is asked for once', async () => {
      const once = heartbeat('k', { once: true });
      await under.ledger.work.add(once);
      await under.ledger.work.add(once);
      const lease = await under.claimOne();
      await under.ledger.work.add(once);
      await end(lease, DONE);
      expect(await kinds()).toEqual(['heartbeat']);
      expect(await kinds()).toEqual([]);
    });

    it('takes a retried one for one that waits', async () => {
      const once = heartbeat('k', { once: true });
      await under.ledger.work.add(once);
      await end(await under.claimOne(), { type: 'retry', at: under.clock.now() + 50 });
      await under.ledger.work.add(once);
      expect(await under.claimNow()).toEqual([]);
      under.clock.advance(50);
      await end(await under.claimOne(), DONE);
      expect(await under.claimNow()).toEqual([]);
    });

    it('does work that is asked for once at the earlier of two times', async () => {
      const later = heartbeat('k', { once: true, dueAt: under.clock.now() + 500 });
      await under.ledger.work.add(later);
      const job = { v: 1, agentId: 'other', isPeriodic: false } as const;
      await under.ledger.work.add({ ...later, dueAt: under.clock.now() + 50, job });
      await under.ledger.work.add({ ...later, dueAt: under.clock.now() + 90 });
      under.clock.advance(50);
      expect(await under.claimOne()).toMatchObject({ job });
      under.clock.advance(500);
      expect(await under.claimNow()).toEqual([]);
    });

    it('waits for work and for the time of work', async () => {
      const first = under.ledger.work.claim('turn', 1, signal);
      const id = await acceptRun('a');
      const [lease] = await first;
      expect(lease?.eventId).toBe(id);
      const second = under.ledger.work.claim('turn', 1, signal);
      await end(lease!, { type: 'retry', at: under.clock.now() + 50 });
      under.clock.advance(50);
      expect(await second).toMatchObject([{ eventId: id, attempt: 2 }]);
    });

    it('claims nothing when the signal aborts', async () => {
      const stop = new AbortController();
      const claimed = under.ledger.work.claim('delivery', 1, stop.signal);
      await under.ledger.intake.accept(wake(), LIMITS);
      stop.abort();
      expect(await claimed).toEqual([]);
      expect(await under.ledger.work.claim('turn', 1, stop.signal)).toEqual([]);
    });

    it('claims nothing while paused and goes on afterwards', async () => {
      const id = await acceptRun('a');
      await under.ledger.admin.setPaused(true);
      const claimed = under.ledger.work.claim('turn', 1, signal);
      expect(await Promise.race([claimed, under.ledger.admin.isPaused()])).toBe(true);
      await under.ledger.admin.setPaused(false);
      expect(refs(await claimed)).toEqual([id]);
    });
  });
}
