import type { Change } from '../../../src/hooks/ports/change.ts';
import { LIMITS, MAIN, event, heartbeat, systemEvent, turn, wakeAction } from './events.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

/** `Sessions` and the details of a session. */
export function describeSessions(openStore: OpenStore): void {
  describe('a session', () => {
    let under: LedgerUnderTest;
    const wide = { maxEvents: 100, maxBytes: 1e6, maxHistoryCharacters: 1e6 };
    const context = (limits = wide) => under.ledger.sessions.context(MAIN, limits);
    const add = async (...texts: string[]) => {
      const actions = texts.map((text) => wakeAction([systemEvent({ text })]));
      await under.ledger.intake.accept(event({ actions }), LIMITS);
    };
    const texts = ({ pending }: Awaited<ReturnType<typeof context>>) =>
      pending.map(({ text }) => text);
    const commit = async (...changes: Change[]) => {
      await under.ledger.work.add(heartbeat(MAIN));
      await under.ledger.work.commit(await under.claimOne(), { type: 'done' }, changes);
    };
    const say = (prompt: string) => turn(MAIN, { at: under.clock.now(), prompt });

    beforeEach(async () => {
      under = await LedgerUnderTest.open(openStore);
    });
    afterEach(() => under.dispose());

    it('gives its system events in order, up to both limits but at least one', async () => {
      await add('one', 'two', 'three');
      const all = await context();
      expect(texts(all)).toEqual(['one', 'two', 'three']);
      expect(all.hasMore).toBe(false);
      expect(all.pending[0]).toMatchObject({ hook: 'wake', trust: { verifiedBy: 'token' } });
      const two = await context({ ...wide, maxEvents: 2 });
      expect([texts(two), two.hasMore]).toEqual([['one', 'two'], true]);
      const six = await context({ ...wide, maxBytes: 6 });
      expect([texts(six), six.hasMore]).toEqual([['one', 'two'], true]);
      const tiny = await context({ ...wide, maxBytes: 1 });
      expect([texts(tiny), tiny.hasMore]).toEqual([['one'], true]);
    });

    it('forgets the system events that were shown and no other', async () => {
      await add('one', 'two');
      const { pending } = await context();
      await add('three');
      await commit({ type: 'consume', session: MAIN, through: pending.at(-1)!.seq });
      expect(texts(await context())).toEqual(['three']);
    });

    it('has room again for as many system events as were shown', async () => {
      await add('one', 'two');
      const { pending } = await context();
      await commit({ type: 'consume', session: MAIN, through: pending[0]!.seq });
      const limits = { maxSystemEvents: 2 };
      const one = () => event({ actions: [wakeAction([systemEvent()])] });
      expect(await under.ledger.intake.accept(one(), limits)).toMatchObject({
        outcome: 'accepted',
      });
      expect(await under.ledger.intake.accept(one(), limits)).toEqual({ outcome: 'full' });
    });

    it('remembers where it last spoke, at all and per channel', async () => {
      const { sessions: conversations } = under.ledger;
      expect(await conversations.routes(MAIN)).toEqual({ last: null, byChannel: {} });
      await conversations.noteRoute(MAIN, { channel: 'chan_1', to: '1' });
      await commit({ type: 'route', session: MAIN, channel: 'chan_2', to: '2', at: 0 });
      await conversations.noteRoute(MAIN, { channel: 'chan_1', to: '3' });
      expect(await conversations.routes(MAIN)).toEqual({
        last: { channel: 'chan_1', to: '3' },
        byChannel: { chan_1: '3', chan_2: '2' },
      });
    });

    it('has details with system events, route and turns', async () => {
      await add('one');
      await commit(say('hi'));
      await under.ledger.sessions.noteRoute(MAIN, { channel: 'chan_1', to: '1' });
      const at = new Date(under.clock.now()).toISOString();
      expect(await under.ledger.events.session(MAIN)).toMatchObject({
        key: MAIN,
        agentId: 'main',
        pendingSystemEvents: [{ text: 'one', at, trust: { level: 'untrusted' } }],
        lastRoute: { channel: 'chan_1', to: '1' },
        turns: [
          { role: 'user', text: 'hi', at },
          { role: 'assistant', text: 'a', at },
        ],
      });
    });

    it('has no details before anything was written, and keeps them when nothing waits', async () => {
      expect(await under.ledger.events.session(MAIN)).toBeNull();
      await add('one');
      await commit({ type: 'consume', session: MAIN, through: (await context()).pending[0]!.seq });
      expect(await under.ledger.events.session(MAIN)).toMatchObject({ pendingSystemEvents: [] });
    });
  });
}
