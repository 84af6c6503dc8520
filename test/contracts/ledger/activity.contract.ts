import { ACTIVITY_KEPT_MS } from '../../../src/hooks/ports/activity.ts';
import type { Activity } from '../../../src/hooks/ports/activity.ts';
import { LedgerUnavailable } from '../../../src/hooks/ports/ledger.ts';
import { TOO_LARGE } from '../../support/refused.ts';
import { LIMITS, agent, delivery, key, runOf, wake } from './events.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `LedgerAdmin.activity` and `dead`: what an operator sees at first. */
export function describeActivity(openStore: OpenStore): void {
  describe('activity', () => {
    let under: LedgerUnderTest;
    beforeEach(async () => {
      under = await LedgerUnderTest.open(openStore);
    });
    afterEach(() => under.dispose());

    /** The last three minutes, the present one included. */
    const lately = (steps = 3, stepMs = MINUTE_MS): Promise<Activity> => {
      const present = under.clock.now() - (under.clock.now() % stepMs);
      return under.ledger.admin.activity({ from: present - (steps - 1) * stepMs, stepMs, steps });
    };
    const accept = () => under.ledger.intake.accept(wake(), LIMITS);
    const prune = () => {
      const now = under.clock.now();
      return under.ledger.maintenance.prune({ now, payloadsBefore: 0, eventsBefore: 0 });
    };

    it('is nothing where nothing happened', async () => {
      const zeros = [0, 0, 0];
      expect(await lately()).toEqual({
        accepted: zeros,
        refused: zeros,
        runsSucceeded: zeros,
        runsFailed: zeros,
        delivered: zeros,
        deliveriesFailed: zeros,
        waiting: zeros,
      });
    });

    it('counts events once, in the minute in which they were accepted', async () => {
      await accept();
      await accept();
      under.clock.advance(MINUTE_MS);
      await under.ledger.intake.accept(
        wake({ keys: [key('k', 'd', under.clock.now() + HOUR_MS)] }),
        LIMITS,
      );
      await under.ledger.intake.accept(
        wake({ keys: [key('k', 'd', under.clock.now() + HOUR_MS)] }),
        LIMITS,
      );
      expect((await lately()).accepted).toEqual([0, 2, 1]);
      expect((await lately()).accepted).toEqual([0, 2, 1]);
    });

    it('counts what was refused, sums included', async () => {
      const at = under.clock.now();
      const one = { at, ...TOO_LARGE };
      const sum = { ...one, kind: 'unverified' as const, verifiedBy: null, count: 41 };
      await under.ledger.refusals.record([one, sum], []);
      expect((await lately()).refused).toEqual([0, 0, 42]);
    });

    it('counts how runs and deliveries ended, and how many waited', async () => {
      const [good, bad] = [agent('a'), agent('b')];
      await under.ledger.intake.accept(good, LIMITS);
      await under.ledger.intake.accept(bad, LIMITS);
      expect((await lately()).waiting).toEqual([0, 0, 2]);
      under.clock.advance(MINUTE_MS);
      for (const lease of await under.claimNow()) {
        const isGood = lease.ref === runOf(good.id);
        const end = { type: 'run-update', id: lease.ref ?? '' } as const;
        await under.ledger.work.commit(lease, { type: 'done' }, [
          { ...end, status: isGood ? 'succeeded' : 'timed-out' },
          ...(isGood ? delivery(good.id) : []),
        ]);
      }
      const [lease] = await under.claimNow('delivery');
      const update = { type: 'delivery-update', id: lease?.ref ?? '' } as const;
      await under.ledger.work.commit(lease!, { type: 'done' }, [
        { ...update, status: 'delivered' },
      ]);
      expect(await lately()).toMatchObject({
        runsSucceeded: [0, 0, 1],
        runsFailed: [0, 0, 1],
        delivered: [0, 0, 1],
        deliveriesFailed: [0, 0, 0],
        waiting: [0, 2, 0],
      });
      under.clock.advance(MINUTE_MS);
      expect((await lately()).waiting).toEqual([2, 0, 0]);
    });

    it('goes on with what waited last where nothing happened', async () => {
      await under.ledger.intake.accept(agent('a'), LIMITS);
      await lately();
      under.clock.advance(30 * MINUTE_MS);
      expect((await lately()).waiting).toEqual([1, 1, 1]);
    });

    it('adds minutes up to longer steps', async () => {
      await accept();
      under.clock.advance(20 * MINUTE_MS);
      await accept();
      under.clock.advance(HOUR_MS);
      await accept();
      expect((await lately(2, HOUR_MS)).accepted).toEqual([2, 1]);
    });

    it('outlives the process where the ledger does', async () => {
      await accept();
      const { accepted } = await lately();
      await accept();
      await under.reopen();
      await accept();
      const after = await lately();
      expect([[...accepted], [...after.accepted]]).toEqual([
        [0, 0, 1],
        [0, 0, under.isDurable ? 3 : 1],
      ]);
    });

    it('is forgotten after eight days', async () => {
      await accept();
      await lately();
      under.clock.advance(ACTIVITY_KEPT_MS - HOUR_MS);
      await prune();
      expect(total((await lately(9, DAY_MS)).accepted)).toBe(1);
      under.clock.advance(2 * HOUR_MS);
      await prune();
      expect(total((await lately(9, DAY_MS)).accepted)).toBe(0);
    });

    it.each([-HOUR_MS, -40 * DAY_MS])(
      'is counted once when the clock is set by %i ms',
      async (step) => {
        for (let minute = 0; minute < 10; minute += 1) {
          await accept();
          await lately();
          under.clock.advance(MINUTE_MS);
        }
        under.clock.jump(-5 * MINUTE_MS);
        for (let minute = 0; minute < 5; minute += 1) {
          await accept();
          expect((await lately(1)).accepted.at(-1)).toBeLessThanOrEqual(2);
          under.clock.advance(MINUTE_MS);
        }
        under.clock.jump(step);
        await accept();
        expect((await lately(2, HOUR_MS)).accepted.at(-1)).toBe(1);
        under.clock.jump(-step);
        await accept();
        const { accepted } = await lately(12);
        expect(Math.max(...accepted)).toBeLessThanOrEqual(2);
        expect(total(accepted)).toBeGreaterThanOrEqual(10);
      },
    );

    it('shows nothing of a time that has not come', async () => {
      under.clock.jump(2 * HOUR_MS);
      await accept();
      await lately();
      under.clock.jump(-2 * HOUR_MS);
      const from = under.clock.now() - HOUR_MS;
      const { accepted } = await under.ledger.admin.activity({ from, stepMs: HOUR_MS, steps: 4 });
      expect(accepted).toEqual([0, 0, 0, 0]);
    });

    it('is refused by a ledger that is closed', async () => {
      await under.ledger.maintenance.close();
      await expect(lately()).rejects.toThrow(LedgerUnavailable);
    });

    it('tells dead work by hook, and since when', async () => {
      await under.ledger.intake.accept(agent('a'), LIMITS);
      await under.ledger.intake.accept(agent('b'), LIMITS);
      expect(await under.ledger.admin.dead()).toEqual([]);
      const since = under.clock.now();
      for (const lease of await under.claimNow()) {
        await under.ledger.work.commit(lease, { type: 'dead' }, []);
        under.clock.advance(1000);
      }
      expect(await under.ledger.admin.dead()).toEqual([
        { kind: 'run', channel: null, hook: null, count: 2, since },
      ]);
      await under.ledger.admin.dismissAll({ limit: 10 });
      expect(await under.ledger.admin.dead()).toEqual([]);
    });
  });
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
