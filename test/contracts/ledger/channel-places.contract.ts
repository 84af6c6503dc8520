import type { Lease } from '../../../src/hooks/ports/work-ledger.ts';
import { eventually } from '../../support/eventually.ts';
import { heartbeat } from './events.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

/** `WorkLedger.claim`: a channel that holds all of its places leaves the others theirs. */
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
      expect(keys(await claim(3, 2))).toEqual(['chan_1 a', 'chan_1 b', 'chan_2 a']);
      expect(keys(await claim(9, 2))).toEqual(['chan_10 a']);
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
}
