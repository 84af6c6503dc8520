import type { DeliveryLease, StepOutcome } from '../../../src/hooks/ports/work-ledger.ts';
import { LIMITS, agent, delivery, runOf, deliveryOf } from './events.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

const DAY = 86_400_000;
const DONE: StepOutcome = { type: 'done' };

async function acceptDelivery(under: LedgerUnderTest): Promise<string> {
  const given = agent('a');
  await under.ledger.intake.accept(given, LIMITS);
  await under.ledger.work.commit(await under.claimOne(), DONE, [
    { type: 'run-update', id: runOf(given.id), status: 'succeeded' },
    ...delivery(given.id),
  ]);
  return given.id;
}

export function describeParts(openStore: OpenStore): void {
  describe('parts', () => {
    let under: LedgerUnderTest;
    const end = (lease: DeliveryLease, how: StepOutcome) =>
      under.ledger.work.commit(lease, how, []);
    const claim = async () => (await under.claimOne('delivery')) as DeliveryLease;
    const cutIn = async (...parts: string[]) => {
      const lease = await claim();
      await end(lease, { type: 'cut', job: { ...lease.job, text: '' }, parts });
      return lease;
    };

    beforeEach(async () => {
      under = await LedgerUnderTest.open(openStore);
    });
    afterEach(() => under.dispose());

    it('a delivery that was not cut has none', async () => {
      await acceptDelivery(under);
      expect((await claim()).part).toBeUndefined();
    });

    it('are handed out in order, before anything else of their key', async () => {
      const first = await acceptDelivery(under);
      const second = await acceptDelivery(under);
      const whole = await cutIn('one', 'two', 'three');
      for (const [index, text] of ['one', 'two', 'three'].entries()) {
        const lease = await claim();
        expect(lease).toMatchObject({ eventId: first, attempt: index + 2, since: whole.since });
        expect(lease).toMatchObject({ job: { text: '' }, part: { text, place: index + 1 } });
        expect(lease.part?.count).toBe(3);
        await end(lease, index === 2 ? DONE : { type: 'continue' });
      }
      const next = await claim();
      expect(next).toMatchObject({ eventId: second });
      expect(next.part).toBeUndefined();
    });

    it('a part that failed comes again, and its failures end with it', async () => {
      await acceptDelivery(under);
      await cutIn('one', 'two');
      await end(await claim(), { type: 'retry', at: under.clock.now() });
      const again = await claim();
      expect(again).toMatchObject({ failures: 1, part: { text: 'one', place: 1 } });
      await end(again, { type: 'continue' });
      expect(await claim()).toMatchObject({ failures: 0, part: { text: 'two', place: 2 } });
    });

    it('a delivery that was given up goes on with its part when it is retried', async () => {
      const id = await acceptDelivery(under);
      await cutIn('one', 'two');
      await end(await claim(), { type: 'continue' });
      await end(await claim(), { type: 'dead' });
      expect(await under.ledger.admin.retry(id)).toBe(1);
      expect((await claim()).part).toEqual({ text: 'two', place: 2, count: 2 });
    });

    it('are forgotten with the jobs of dead work', async () => {
      const id = await acceptDelivery(under);
      await cutIn('one', 'two');
      const dead = { type: 'delivery-update', id: deliveryOf(id), status: 'dead' } as const;
      await under.ledger.work.commit(await claim(), { type: 'dead' }, [dead]);
      under.clock.advance(8 * DAY);
      const now = under.clock.now();
      await under.ledger.maintenance.prune({ payloadsBefore: now - DAY, eventsBefore: 0, now });
      expect(await under.ledger.admin.retry(id)).toBe(0);
      expect(await under.claimNow('delivery')).toEqual([]);
    });
  });
}
