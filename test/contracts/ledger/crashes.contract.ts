import { LEASE_MS } from '../../../src/hooks/ports/work-ledger.ts';
import type { Change } from '../../../src/hooks/ports/change.ts';
import { LIMITS, agent, delivery, line, wake } from './events.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

/** Leases that are lost, and what another opening finds. */
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

    it('end when they are not renewed', async () => {
      const id = await acceptRun();
      await under.claimOne();
      under.clock.advance(LEASE_MS - 1);
      expect(await under.claimNow()).toEqual([]);
      under.clock.advance(1);
      expect(await under.claimOne()).toMatchObject({ eventId: id, attempt: 2, afterCrash: true });
      const [run] = (await under.story(id)).runs;
      expect(run).toMatchObject({ attempts: 2, notes: [{ attempt: 1, outcome: 'interrupted' }] });
    });

    it('hold as long as they are renewed', async () => {
      await acceptRun();
      const lease = await under.claimOne();
      under.clock.advance(LEASE_MS - 1);
      expect(await under.ledger.work.renew(lease)).toBe(true);
      under.clock.advance(LEASE_MS - 1);
      expect(await under.claimNow()).toEqual([]);
    });

    it('write nothing once they are lost', async () => {
      const id = await acceptRun();
      const lost = await under.claimOne();
      under.clock.advance(LEASE_MS);
      const held = await under.claimOne();
      const changes: Change[] = [
        line(),
        { type: 'run-update', id: `${id}-run`, status: 'succeeded', reply: 'lost' },
      ];
      expect(await under.ledger.work.renew(lost)).toBe(false);
      expect(await under.ledger.work.commit(lost, { type: 'done' }, changes)).toBe(false);
      expect((await under.story(id)).runs).toMatchObject([{ status: 'running', reply: null }]);
      expect(await under.ledger.work.commit(held, { type: 'done' }, [])).toBe(true);
      expect(await under.ledger.work.commit(held, { type: 'done' }, changes)).toBe(false);
    });

    it('wake a claimer that waits when they end', async () => {
      const id = await acceptRun();
      await under.claimOne();
      const claimed = under.ledger.work.claim('turn', 1, new AbortController().signal);
      under.clock.advance(LEASE_MS);
      expect(await claimed).toMatchObject([{ eventId: id, afterCrash: true }]);
    });
  });

  describe('opening again', () => {
    let under: LedgerUnderTest;
    let isDurable = false;
    const onlyDurable = (test: () => Promise<void>) => async () => {
      if (isDurable) await test();
    };

    beforeEach(async () => {
      const store = await openStore();
      isDurable = store.isDurable;
      under = await LedgerUnderTest.open(() => Promise.resolve(store));
    });
    afterEach(() => under.dispose());

    it(
      'finds what was under way, in its order, and says that it was interrupted',
      onlyDurable(async () => {
        const given = [agent('a'), agent('a')];
        for (const event of given) await under.ledger.intake.accept(event, LIMITS);
        const before = await under.claimOne();
        await under.reopen();
        expect((await under.story(given[0]!.id)).runs).toMatchObject([
          { status: 'queued', attempts: 1, notes: [{ attempt: 1, outcome: 'interrupted' }] },
        ]);
        const again = await under.claimOne();
        expect(again).toMatchObject({ eventId: given[0]!.id, attempt: 2, afterCrash: true });
        expect(await under.ledger.work.commit(before, { type: 'done' }, [])).toBe(false);
      }),
    );

    it(
      'notes the interrupted attempt of a delivery',
      onlyDurable(async () => {
        const given = agent('a');
        await under.ledger.intake.accept(given, LIMITS);
        const run = await under.claimOne();
        await under.ledger.work.commit(run, { type: 'done' }, delivery(given.id));
        await under.claimOne('delivery');
        await under.reopen();
        expect((await under.story(given.id)).deliveries).toMatchObject([
          { status: 'pending', attempts: [{ attempt: 1, outcome: 'interrupted' }] },
        ]);
        expect(await under.claimOne('delivery')).toMatchObject({ attempt: 2, afterCrash: true });
      }),
    );

    it(
      'finds system events, keys and the pause',
      onlyDurable(async () => {
        await under.ledger.intake.accept(wake(), LIMITS);
        await under.ledger.operations.setPaused(true);
        await under.reopen();
        expect(await under.ledger.operations.isPaused()).toBe(true);
        await under.ledger.operations.setPaused(false);
        const limits = { maxSystemEvents: 1 };
        expect(await under.ledger.intake.accept(wake(), limits)).toEqual({ outcome: 'full' });
      }),
    );
  });
}
