import type { Activity } from '../../../src/hooks/ports/activity.ts';
import { LedgerUnavailable } from '../../../src/hooks/ports/ledger.ts';
import { RisingIds } from '../../../src/platform/new-id.ts';
import { TOO_LARGE } from '../../support/refused.ts';
import { LIMITS, agent, delivery, key, runOf, wake } from './events.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export function describeActivity(openStore: OpenStore): void {
  describe('activity', () => {
    let under: LedgerUnderTest;
    let ids: RisingIds;
    beforeEach(async () => {
      under = await LedgerUnderTest.open(openStore);
      ids = new RisingIds(() => under.clock.now());
    });
    afterEach(() => under.dispose());

    const lately = (steps = 3, stepMs = MINUTE_MS): Promise<Activity> => {
      const present = under.clock.now() - (under.clock.now() % stepMs);
      return under.ledger.admin.activity({ from: present - (steps - 1) * stepMs, stepMs, steps });
    };
    const accept = (event = wake({ id: ids.next() })) => under.ledger.intake.accept(event, LIMITS);

    it('is nothing where nothing happened', async () => {
      const zeros = [0, 0, 0];
      expect(await lately()).toEqual({
        accepted: zeros,
        refused: zeros,
        runsSucceeded: zeros,
        runsFailed: zeros,
        delivered: zeros,
        deliveriesFailed: zeros,
      });
    });

    it('counts events in the step in which they were accepted, and repeats not at all', async () => {
      await accept();
      await accept();
      under.clock.advance(MINUTE_MS);
      const keys = [key('k', 'd', under.clock.now() + HOUR_MS)];
      await accept(wake({ id: ids.next(), keys }));
      await accept(wake({ id: ids.next(), keys }));
      expect((await lately()).accepted).toEqual([0, 2, 1]);
      under.clock.advance(HOUR_MS);
      await accept();
      expect((await lately()).accepted).toEqual([0, 0, 1]);
      expect((await lately(2, 2 * HOUR_MS)).accepted).toEqual([0, 4]);
    });

    it('counts what was refused, sums included', async () => {
      under.clock.advance(17_003);
      const at = under.clock.now();
      const one = { at, ...TOO_LARGE };
      const sum = { ...one, kind: 'unverified' as const, verifiedBy: null, count: 41 };
      await under.ledger.refusals.record([one, sum, { ...one, at: at - HOUR_MS }], []);
      expect((await lately()).refused).toEqual([0, 0, 42]);
    });

    it('counts how runs and deliveries ended, in the step in which they were made', async () => {
      const [good, ...others] = ['a', 'b', 'c'].map((session) =>
        agent(session, { id: ids.next() }),
      );
      for (const each of [good!, ...others]) await accept(each);
      under.clock.advance(MINUTE_MS);
      for (const lease of (await under.claimNow()).slice(0, 2)) {
        const isGood = lease.ref === runOf(good!.id);
        const end = { type: 'run-update', id: lease.ref ?? '' } as const;
        await under.ledger.work.commit(lease, { type: 'done' }, [
          { ...end, status: isGood ? 'succeeded' : 'timed-out' },
          ...(isGood ? delivery(good!.id) : []),
        ]);
      }
      const [lease] = await under.claimNow('delivery');
      const update = { type: 'delivery-update', id: lease?.ref ?? '' } as const;
      await under.ledger.work.commit(lease!, { type: 'done' }, [
        { ...update, status: 'delivered' },
      ]);
      expect(await lately()).toMatchObject({
        accepted: [0, 3, 0],
        runsSucceeded: [0, 1, 0],
        runsFailed: [0, 1, 0],
        delivered: [0, 1, 0],
        deliveriesFailed: [0, 0, 0],
      });
    });

    it('is the same after the process has died', async () => {
      await accept();
      await under.reopen();
      await accept();
      expect((await lately()).accepted).toEqual([0, 0, 2]);
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
