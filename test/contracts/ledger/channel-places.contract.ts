import type { Lease } from '../../../src/hooks/ports/work-ledger.ts';
import { eventually } from '../../support/eventually.ts';
import { LIMITS, agent, heartbeat } from './events.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

export function describeChannelPlaces(openStore: OpenStore): void {
  describe('places per channel', () => {
    let under: LedgerUnderTest;
    const { signal } = new AbortController();
    const claim = (max: number, perChannel?: number, resting?: Record<string, number>) =>
      under.ledger.work.claim('delivery', max, signal, () => ({ perChannel, resting }));
    const keys = (leases: readonly Lease[]) => leases.map(({ key }) => key);
    const add = async (...given: string[]) => {
      for (const key of given) {
        await under.ledger.work.add(heartbeat(key, { lane: 'delivery', dueAt: under.clock.now() }));
      }
    };
    const end = (lease: Lease | undefined) =>
      under.ledger.work.commit(lease!, { type: 'done' }, []);

    beforeEach(async () => {
      under = await LedgerUnderTest.open(openStore);
    });
    afterEach(() => under.dispose());

    it('leaves out what is beyond the places of its channel, in one claim and over several', async () => {
      await add('chan_1 a', 'chan_1 b', 'chan_1 c', 'chan_2 a', 'chan_10 a');
      expect(keys(await claim(3, 2))).toEqual(['chan_1 a', 'chan_10 a', 'chan_2 a']);
      expect(keys(await claim(9, 2))).toEqual(['chan_1 b']);
    });

    it('hands out the next of a channel when one of it has ended, to a claim that waits', async () => {
      await add('chan_1 a', 'chan_1 b');
      const [lease] = await claim(9, 1);
      const waiting = claim(9, 1);
      await add('chan_1 c');
      await end(lease);
      expect(keys(await waiting)).toEqual(['chan_1 b']);
    });

    it('a claim that waits for a full channel takes what comes for another', async () => {
      await add('chan_1 a', 'chan_1 b');
      await claim(9, 1);
      const waiting = claim(9, 1);
      await add('chan_2 a');
      expect(keys(await waiting)).toEqual(['chan_2 a']);
    });

    it('leaves out a channel that rests, however much of it waits', async () => {
      await add('chan_1 a', 'chan_2 a', 'chan_1 b');
      const resting = { chan_1: under.clock.now() + 1000, chan_2: under.clock.now() };
      expect(keys(await claim(9, 8, resting))).toEqual(['chan_2 a']);
    });

    it('a claim that waits takes what is there when the rest is over', async () => {
      await add('chan_1 a');
      const waiting = claim(9, 8, { chan_1: under.clock.now() + 1000 });
      await eventually('it waits', () => under.clock.waiting > 0);
      under.clock.advance(1000);
      expect(keys(await waiting)).toEqual(['chan_1 a']);
    });

    it('without a limit a channel may have all places', async () => {
      await add('chan_1 a', 'chan_1 b');
      await claim(1);
      expect(keys(await claim(1))).toEqual(['chan_1 b']);
    });
  });

  describe('a backend that rests', () => {
    let under: LedgerUnderTest;
    let resting: Record<string, number>;
    const { signal } = new AbortController();
    const claim = (max: number) =>
      under.ledger.work.claim('turn', max, signal, () => ({ resting }));
    const accept = async (session: string) => {
      const event = agent(session);
      await under.ledger.intake.accept(event, LIMITS);
      return event.id;
    };
    const rest = (lease: Lease | undefined, asked: boolean) =>
      under.ledger.work.commit(lease!, { type: 'rest', backend: 'model provider a', asked }, [
        { type: 'run-update', id: lease!.ref!, status: 'queued' },
      ]);

    beforeEach(async () => {
      under = await LedgerUnderTest.open(openStore);
      resting = {};
    });
    afterEach(() => under.dispose());

    it('leaves out what waits for it, and not what never asked it', async () => {
      const first = await accept('a');
      await rest((await claim(9))[0], false);
      resting = { 'model provider a': under.clock.now() + 1000 };
      const second = await accept('b');
      expect((await claim(9)).map(({ eventId }) => eventId)).toEqual([second]);
      const waiting = claim(9);
      await eventually('it waits', () => under.clock.waiting > 0);
      under.clock.advance(1000);
      expect((await waiting).map(({ eventId }) => eventId)).toEqual([first]);
    });

    it('hands it out at once when a step has ended that found it back', async () => {
      await accept('a');
      await accept('b');
      const [one, two] = await claim(9);
      await rest(one, false);
      resting = { 'model provider a': under.clock.now() + 1000 };
      const waiting = claim(9);
      await eventually('it waits', () => under.clock.waiting > 0);
      resting = {};
      await under.ledger.work.commit(two!, { type: 'done' }, []);
      expect((await waiting).map(({ eventId }) => eventId)).toEqual([one!.eventId]);
    });

    it('counts a failure where it was asked, and nothing where it was not', async () => {
      const id = await accept('a');
      await rest((await claim(1))[0], false);
      expect(await under.details(id)).toMatchObject({ runs: [{ status: 'queued', attempts: 0 }] });
      const [again] = await claim(1);
      expect(again).toMatchObject({ failures: 0, crashes: 0 });
      await rest(again, true);
      const [last] = await claim(1);
      expect(last).toMatchObject({ failures: 1, crashes: 0 });
      expect(await under.details(id)).toMatchObject({ runs: [{ attempts: 2 }] });
    });

    it('lets those that were not asked go first, and keeps the order of a key', async () => {
      const tried = await accept('a');
      const behind = await accept('a');
      const other = await accept('b');
      const [one, two] = await claim(9);
      under.clock.advance(1);
      await rest(one, true);
      await rest(two, false);
      expect((await claim(9)).map(({ eventId }) => eventId)).toEqual([other, tried]);
      expect(await under.details(behind)).toMatchObject({ status: 'accepted' });
    });
  });
}
