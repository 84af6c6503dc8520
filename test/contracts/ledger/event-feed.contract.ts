import type { EventChanges } from '../../../src/hooks/ports/event-store.ts';
import { eventually } from '../../support/eventually.ts';
import { LIMITS, agent, runOf, wake } from './events.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

export function describeEventFeed(openStore: OpenStore): void {
  describe('following events', () => {
    let under: LedgerUnderTest;
    let stop: AbortController;
    beforeEach(async () => {
      stop = new AbortController();
      under = await LedgerUnderTest.open(openStore);
    });
    afterEach(async () => {
      stop.abort();
      await under.dispose();
    });

    const accept = async (given: ReturnType<typeof wake>) => {
      await under.ledger.intake.accept(given, LIMITS);
      return given.id;
    };
    const follow = async (mark?: string) => {
      const feed = await under.ledger.events.follow(mark, stop.signal);
      return feed[Symbol.asyncIterator]();
    };
    const next = async (feed: AsyncIterator<EventChanges>): Promise<EventChanges> => {
      const told = feed.next();
      let isTold = false;
      void told.then(() => (isTold = true));
      await eventually('it is told', () => {
        if (!isTold) under.clock.advance(250);
        return isTold;
      });
      const { value }: { value: EventChanges } = await told;
      return value;
    };
    const told = ({ events }: EventChanges) => events.map(({ id, status }) => `${id} ${status}`);

    it('begins with nothing, then tells each that is new or changed its status', async () => {
      await accept(wake());
      const feed = await follow();
      expect(await next(feed)).toEqual({ events: [], more: 0, mark: expect.any(String) });
      const id = await accept(agent('a'));
      const first = await next(feed);
      expect(first).toMatchObject({
        events: [{ id, status: 'accepted', headline: null }],
        more: 0,
      });
      const lease = await under.claimOne();
      expect(told(await next(feed))).toEqual([`${id} running`]);
      const update = { type: 'run-update', id: runOf(id), status: 'failed', error: 'no' } as const;
      await under.ledger.work.commit(lease, { type: 'done' }, [update]);
      const last = await next(feed);
      expect(last).toMatchObject({ events: [{ id, status: 'failed', error: 'no' }] });
      expect(last.mark).not.toBe(first.mark);
    });

    it('tells the newest 50, each once, and how many others there are', async () => {
      const feed = await follow();
      await next(feed);
      const ids: string[] = [];
      for (let n = 0; n < 60; n++) ids.unshift(await accept(wake()));
      const { events, more } = await next(feed);
      expect(events.map(({ id }) => id)).toEqual(ids.slice(0, 50));
      expect(more).toBe(10);
    });

    it('goes on after a break where it was, without loss or repeats', async () => {
      const feed = await follow();
      await next(feed);
      const before = await accept(wake());
      const { mark } = await next(feed);
      await feed.return?.();
      const missed = await accept(wake());
      const again = await next(await follow(mark));
      expect(again.events.map(({ id }) => id)).toEqual([missed]);
      expect(again.events.map(({ id }) => id)).not.toContain(before);
      expect((await next(await follow(again.mark))).events).toEqual([]);
    });

    it.each(['nonsense', '', '00000000-99-1\nevent: x', `${'9'.repeat(400)}-1-1`])(
      'takes the mark %j for none',
      async (mark) => {
        await accept(wake());
        expect((await next(await follow(mark))).events).toEqual([]);
      },
    );

    it('tells what was accepted since a mark of another process', async () => {
      const id = await accept(wake());
      const since = Date.UTC(2026, 0, 1);
      expect(await next(await follow(`0a1b2c3d-7-${since}`))).toMatchObject({
        events: [{ id }],
        more: 0,
      });
    });

    it('ends with its signal, also while nothing happens', async () => {
      const feed = await follow();
      await next(feed);
      const waiting = feed.next();
      stop.abort();
      expect(await waiting).toEqual({ done: true, value: undefined });
    });
  });
}
