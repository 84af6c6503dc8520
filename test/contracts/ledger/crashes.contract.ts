import { LEASE_MS } from '../../../src/hooks/ports/work-ledger.ts';
import type { StepOutcome } from '../../../src/hooks/ports/work-ledger.ts';
import type { Change } from '../../../src/hooks/ports/change.ts';
import {
  LIMITS,
  MAIN,
  agent,
  delivery,
  heartbeat,
  runOf,
  systemEvent,
  turn,
  wake,
} from './events.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

const HOUR = 3_600_000;

export function describeCrashes(openStore: OpenStore): void {
  describe('leases', () => {
    let under: LedgerUnderTest;
    const acceptRun = async () => {
      const given = agent('a');
      await under.ledger.intake.accept(given, LIMITS);
      return given.id;
    };

    beforeEach(async () => {
      under = await LedgerUnderTest.open(openStore);
    });
    afterEach(() => under.dispose());

    it('are not taken from a living process, renewed or not', async () => {
      const id = await acceptRun();
      const lease = await under.claimOne();
      under.clock.advance(2 * LEASE_MS);
      expect(await under.claimNow()).toEqual([]);
      expect(await under.ledger.work.renew(lease)).toBe(true);
      under.clock.advance(2 * LEASE_MS);
      expect(await under.claimNow()).toEqual([]);
      const reply: Change = {
        type: 'run-update',
        id: runOf(id),
        status: 'succeeded',
        reply: 'r',
      };
      expect(await under.ledger.work.commit(lease, { type: 'done' }, [reply])).toBe(true);
      expect((await under.details(id)).runs).toMatchObject([
        { attempts: 1, reply: 'r', notes: [] },
      ]);
    });

    it('write nothing once they have ended', async () => {
      const id = await acceptRun();
      const lost = await under.claimOne();
      const again: StepOutcome = { type: 'retry', at: under.clock.now() };
      expect(await under.ledger.work.commit(lost, again, [])).toBe(true);
      const held = await under.claimOne();
      const changes: Change[] = [
        systemEvent(),
        { type: 'run-update', id: runOf(id), status: 'succeeded', reply: 'lost' },
      ];
      expect(await under.ledger.work.renew(lost)).toBe(false);
      expect(await under.ledger.work.commit(lost, { type: 'done' }, changes)).toBe(false);
      expect((await under.details(id)).runs).toMatchObject([{ status: 'running', reply: null }]);
      expect(await under.ledger.work.commit(held, { type: 'done' }, [])).toBe(true);
      expect(await under.ledger.work.commit(held, { type: 'done' }, changes)).toBe(false);
    });

    it('that are given back keep their place and count nothing', async () => {
      const first = await acceptRun();
      await acceptRun();
      const released: StepOutcome = { type: 'release' };
      expect(await under.ledger.work.commit(await under.claimOne(), released, [])).toBe(true);
      const counts = { failures: 0, crashes: 0 };
      expect(await under.claimOne()).toMatchObject({ eventId: first, attempt: 2, ...counts });
    });

    it('whose agent can act say so once they were cut off, until an attempt ends', async () => {
      const id = await acceptRun();
      const first = await under.claimOne();
      expect(first.mayHaveActed).toBe(false);
      expect(await under.ledger.work.noteActing(first)).toBe(true);
      const twice: Change[] = [...delivery(id, 'skipped'), ...delivery(id, 'skipped')];
      await expect(under.ledger.work.commit(first, { type: 'done' }, twice)).rejects.toThrow();
      under.clock.advance(LEASE_MS);
      const second = await under.claimOne();
      expect(second).toMatchObject({ mayHaveActed: true });
      expect(await under.ledger.work.noteActing(first)).toBe(false);
      await under.ledger.work.commit(second, { type: 'retry', at: 0 }, []);
      const third = await under.claimOne();
      expect(third.mayHaveActed).toBe(false);
      await under.ledger.work.noteActing(third);
      await under.ledger.work.commit(third, { type: 'release' }, []);
      expect((await under.claimOne()).mayHaveActed).toBe(false);
    });

    it('that a stop ended keep their place and count nothing', async () => {
      const first = await acceptRun();
      await acceptRun();
      const again: StepOutcome = { type: 'retry', at: under.clock.now(), interrupted: true };
      await under.ledger.work.commit(await under.claimOne(), again, []);
      const counts = { failures: 0, crashes: 0 };
      expect(await under.claimOne()).toMatchObject({ eventId: first, attempt: 2, ...counts });
    });

    it('end when their commit cannot be written whatever happens', async () => {
      const id = await acceptRun();
      const lease = await under.claimOne();
      const again = delivery(id, 'skipped');
      // What takes several statements does not go on beside the change that fails.
      const changes: Change[] = [...again, turn(MAIN, { isIsolated: true }), turn(MAIN), ...again];
      await expect(under.ledger.work.commit(lease, { type: 'done' }, changes)).rejects.toThrow();
      expect(await under.ledger.work.renew(lease)).toBe(false);
      expect(await under.claimNow()).toEqual([]);
      under.clock.advance(LEASE_MS);
      expect(await under.claimOne()).toMatchObject({
        eventId: id,
        attempt: 2,
        crashes: 1,
      });
      expect((await under.details(id)).deliveries).toEqual([]);
      const limits = { maxEvents: 100, maxBytes: 1e6, maxHistoryCharacters: 1e6 };
      expect((await under.ledger.sessions.context(MAIN, limits)).history).toEqual([]);
    });
  });

  describe('opening again', () => {
    let under: LedgerUnderTest;

    beforeEach(async () => {
      under = await LedgerUnderTest.open(openStore);
    });
    afterEach(() => under.dispose());

    it('finds what was under way, in its order, and says that it was interrupted', async () => {
      const given = [agent('a'), agent('a')];
      for (const event of given) await under.ledger.intake.accept(event, LIMITS);
      const before = await under.claimOne();
      await under.ledger.work.noteActing(before);
      await under.reopen();
      expect((await under.details(given[0]!.id)).runs).toMatchObject([
        { status: 'queued', attempts: 1, notes: [{ attempt: 1, outcome: 'interrupted' }] },
      ]);
      const again = await under.claimOne();
      expect(again).toMatchObject({ eventId: given[0]!.id, attempt: 2, failures: 0, crashes: 1 });
      expect(again.mayHaveActed).toBe(true);
      expect(await under.ledger.work.commit(before, { type: 'done' }, [])).toBe(false);
    });

    it('counts the crashes in a row, over stops, and begins anew after an attempt that ended by itself', async () => {
      await under.ledger.intake.accept(agent('a'), LIMITS);
      for (const crashes of [0, 1, 2]) {
        expect(await under.claimOne()).toMatchObject({ crashes, failures: 0 });
        await under.reopen();
      }
      const at = under.clock.now();
      const stopped: StepOutcome = { type: 'retry', at, interrupted: true };
      await under.ledger.work.commit(await under.claimOne(), stopped, []);
      await under.ledger.work.commit(await under.claimOne(), { type: 'release' }, []);
      const suspect = await under.claimOne();
      expect(suspect).toMatchObject({ crashes: 3, failures: 0 });
      await under.ledger.work.commit(suspect, { type: 'retry', at }, []);
      await under.reopen();
      expect(await under.claimOne()).toMatchObject({ attempt: 7, crashes: 0, failures: 1 });
    });

    it('hands out what was under way in two crashes one at a time, and everything else beside it', async () => {
      const poison = ['a', 'b', 'c'].map((session) => agent(session));
      for (const event of poison) await under.ledger.intake.accept(event, LIMITS);
      await under.claimNow();
      await under.reopen();
      expect(await under.claimNow()).toHaveLength(3);
      await under.reopen();
      const calm = agent('d');
      await under.ledger.intake.accept(calm, LIMITS);
      const [suspect, other, ...more] = await under.claimNow();
      expect(more).toEqual([]);
      expect(suspect).toMatchObject({ eventId: poison[0]!.id, crashes: 2 });
      expect(other).toMatchObject({ eventId: calm.id, crashes: 0 });
      await under.ledger.work.add(heartbeat('chan_1 a', { lane: 'delivery' }));
      expect(await under.claimNow('delivery')).toHaveLength(1);
      await under.reopen();
      const next = (await under.claimNow()).find(({ crashes }) => crashes >= 2);
      expect(next).toMatchObject({ eventId: poison[1]!.id, crashes: 2 });
      await under.ledger.work.commit(next!, { type: 'done' }, []);
      expect(await under.claimOne()).toMatchObject({ eventId: poison[2]!.id, crashes: 2 });
    });

    it('counts suspects of both lanes together, and lets a claim wait for the one under way', async () => {
      const { signal } = new AbortController();
      await under.ledger.intake.accept(agent('a'), LIMITS);
      await under.ledger.work.add(heartbeat('chan_1 a', { lane: 'delivery' }));
      for (let crash = 0; crash < 2; crash += 1) {
        await under.claimOne('turn');
        await under.claimOne('delivery');
        await under.reopen();
      }
      const suspect = await under.claimOne('turn');
      expect(suspect.crashes).toBe(2);
      expect(await under.claimNow('delivery')).toEqual([]);
      const waiting = under.ledger.work.claim('delivery', 1, signal);
      await under.ledger.work.commit(suspect, { type: 'done' }, []);
      expect(await waiting).toMatchObject([{ key: 'chan_1 a', crashes: 2 }]);
    });

    it('does not wait for a retry that lies out of reach, since the clock was set back', async () => {
      await under.ledger.intake.accept(agent('a'), LIMITS);
      await under.ledger.intake.accept(agent('b'), LIMITS);
      const [far, near] = await under.claimNow();
      const at = under.clock.now();
      await under.ledger.work.commit(far!, { type: 'retry', at: at + 26 * HOUR }, []);
      await under.ledger.work.commit(near!, { type: 'retry', at: at + HOUR }, []);
      await under.reopen();
      expect(await under.claimOne()).toMatchObject({ eventId: far!.eventId, attempt: 2 });
    });

    it('goes on with the part that was under way when the process died', async () => {
      const given = agent('a');
      await under.ledger.intake.accept(given, LIMITS);
      const run = await under.claimOne();
      await under.ledger.work.commit(run, { type: 'done' }, delivery(given.id));
      const whole = await under.claimOne('delivery');
      if (whole.kind !== 'delivery' || !('text' in whole.job)) throw new Error(whole.kind);
      const cut = { type: 'cut', job: whole.job, parts: ['one', 'two'] } as const;
      await under.ledger.work.commit(whole, cut, []);
      await under.ledger.work.commit(await under.claimOne('delivery'), { type: 'continue' }, []);
      await under.claimOne('delivery');
      await under.reopen();
      const part = { text: 'two', place: 2, count: 2 };
      expect(await under.claimOne('delivery')).toMatchObject({ attempt: 4, crashes: 1, part });
    });

    it('notes the interrupted attempt of a delivery', async () => {
      const given = agent('a');
      await under.ledger.intake.accept(given, LIMITS);
      const run = await under.claimOne();
      await under.ledger.work.commit(run, { type: 'done' }, delivery(given.id));
      await under.claimOne('delivery');
      await under.reopen();
      expect((await under.details(given.id)).deliveries).toMatchObject([
        { status: 'pending', attempts: [{ attempt: 1, outcome: 'unknown' }] },
      ]);
      expect(await under.claimOne('delivery')).toMatchObject({
        attempt: 2,
        failures: 0,
        crashes: 1,
      });
    });

    it('finds system events, keys and the pause', async () => {
      await under.ledger.intake.accept(wake(), LIMITS);
      await under.ledger.admin.setPaused(true);
      await under.reopen();
      expect(await under.ledger.admin.isPaused()).toBe(true);
      await under.ledger.admin.setPaused(false);
      const limits = { maxSystemEvents: 1 };
      expect(await under.ledger.intake.accept(wake(), limits)).toEqual({ outcome: 'full' });
    });
  });
}
