import type { Change } from '../../../src/hooks/ports/change.ts';
import { LedgerUnavailable } from '../../../src/hooks/ports/ledger.ts';
import type { StepOutcome } from '../../../src/hooks/ports/work-ledger.ts';
import { LIMITS, agent, delivery, wake } from './events.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

const DEAD: StepOutcome = { type: 'dead' };

/** `LedgerAdmin`, health and the end. */
export function describeOperations(openStore: OpenStore): void {
  describe('an operator', () => {
    let under: LedgerUnderTest;
    const { signal } = new AbortController();
    const acceptRun = async (session = 'a') => {
      const given = agent(session);
      await under.ledger.intake.accept(given, LIMITS);
      return given.id;
    };
    const runIs = (id: string, status: 'failed' | 'succeeded'): Change => ({
      type: 'run-update',
      id: `${id}-run`,
      status,
      finishedAt: under.clock.now(),
    });

    beforeEach(async () => {
      under = await LedgerUnderTest.open(openStore);
    });
    afterEach(() => under.dispose());

    it('retries a dead run: in its queue again, its budget whole', async () => {
      const id = await acceptRun();
      const again: StepOutcome = { type: 'retry', at: under.clock.now(), interrupted: true };
      await under.ledger.work.commit(await under.claimOne(), again, []);
      await under.ledger.work.commit(await under.claimOne(), DEAD, [runIs(id, 'failed')]);
      expect((await under.details(id)).status).toBe('failed');
      under.clock.advance(500);
      expect(await under.ledger.admin.retry(id)).toBe(1);
      const details = await under.details(id);
      expect(details).toMatchObject({ status: 'running', runs: [{ status: 'queued' }] });
      const since = under.clock.now();
      const budget = { failures: 0, crashes: 0, interruptions: 0, since };
      expect(await under.claimOne()).toMatchObject({ attempt: 3, ...budget });
    });

    it('retries a dead delivery behind the one that is under way', async () => {
      const [first, second] = [await acceptRun('a'), await acceptRun('b')];
      for (const run of await under.claimNow()) {
        await under.ledger.work.commit(run, { type: 'done' }, [
          runIs(run.eventId!, 'succeeded'),
          ...delivery(run.eventId!),
        ]);
      }
      const dead: Change = { type: 'delivery-update', id: `${first}-delivery`, status: 'dead' };
      await under.ledger.work.commit(await under.claimOne('delivery'), DEAD, [dead]);
      const underWay = await under.claimOne('delivery');
      expect(underWay.eventId).toBe(second);
      expect(await under.ledger.admin.retry(first)).toBe(1);
      expect((await under.details(first)).deliveries).toMatchObject([{ status: 'pending' }]);
      expect(await under.claimNow('delivery')).toEqual([]);
      await under.ledger.work.commit(underWay, { type: 'done' }, []);
      expect(await under.claimOne('delivery')).toMatchObject({ eventId: first, attempt: 2 });
    });

    it('retries nothing where nothing is dead, and knows an unknown event', async () => {
      expect(await under.ledger.admin.retry(await acceptRun())).toBe(0);
      expect(await under.ledger.admin.retry('unknown')).toBeNull();
    });

    it('sees how much work stands where', async () => {
      await acceptRun('a');
      await acceptRun('b');
      await acceptRun('b');
      const [a] = await under.ledger.work.claim('turn', 2, signal);
      await under.ledger.work.commit(a!, DEAD, []);
      const counts = await under.ledger.admin.counts();
      expect(counts.filter(({ count }) => count > 0)).toHaveLength(3);
      for (const state of ['waiting', 'running', 'dead'] as const) {
        expect(counts).toContainEqual({ kind: 'run', state, count: 1 });
      }
    });

    it('learns that the ledger can write', async () => {
      await expect(under.ledger.maintenance.health()).resolves.toBeUndefined();
    });
  });

  describe('closing', () => {
    it('finishes what was begun and refuses everything later', async () => {
      const under = await LedgerUnderTest.open(openStore);
      const { intake, maintenance: upkeep, work } = under.ledger;
      const begun = [intake.accept(wake(), LIMITS), intake.accept(wake(), LIMITS)];
      const claim = work.claim('turn', 1, new AbortController().signal);
      const refused = claim.catch((error: unknown) => error);
      await upkeep.close();
      expect(await Promise.all(begun)).toMatchObject([
        { outcome: 'accepted' },
        { outcome: 'accepted' },
      ]);
      expect(await refused).toBeInstanceOf(LedgerUnavailable);
      await expect(intake.accept(wake(), LIMITS)).rejects.toThrow(LedgerUnavailable);
      await expect(upkeep.health()).rejects.toThrow('the ledger is closed');
      await under.dispose();
    });
  });
}
