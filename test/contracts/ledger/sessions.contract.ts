import type { Change } from '../../../src/hooks/ports/change.ts';
import { LIMITS, MAIN, event, heartbeat, line, wakeAction } from './events.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

/** `Conversations` and the story of a session. */
export function describeSessions(openStore: OpenStore): void {
  describe('a session', () => {
    let under: LedgerUnderTest;
    const wide = { maxEvents: 100, maxBytes: 1e6 };
    const context = (limits = wide) => under.ledger.conversations.context(MAIN, limits);
    const add = async (...texts: string[]) => {
      const actions = texts.map((text) => wakeAction([line({ text })]));
      await under.ledger.intake.accept(event({ actions }), LIMITS);
    };
    const texts = ({ pending }: Awaited<ReturnType<typeof context>>) =>
      pending.map(({ text }) => text);
    const commit = async (...changes: Change[]) => {
      await under.ledger.work.add(heartbeat(MAIN));
      await under.ledger.work.commit(await under.claimOne(), { type: 'done' }, changes);
    };
    const say = (replace: boolean, ...words: string[]): Change => {
      const messages = words.map((text) => ({ role: 'user', text }) as const);
      return { type: 'turns', session: MAIN, at: under.clock.now(), replace, messages };
    };

    beforeEach(async () => {
      under = await LedgerUnderTest.open(openStore);
    });
    afterEach(() => under.dispose());

    it('gives its lines in order, up to both limits but at least one', async () => {
      await add('one', 'two', 'three');
      const all = await context();
      expect(texts(all)).toEqual(['one', 'two', 'three']);
      expect(all.hasMore).toBe(false);
      expect(all.pending[0]).toMatchObject({ hook: 'wake', trust: { verifiedBy: 'token' } });
      const two = await context({ maxEvents: 2, maxBytes: 1e6 });
      expect([texts(two), two.hasMore]).toEqual([['one', 'two'], true]);
      const six = await context({ maxEvents: 9, maxBytes: 6 });
      expect([texts(six), six.hasMore]).toEqual([['one', 'two'], true]);
      const tiny = await context({ maxEvents: 9, maxBytes: 1 });
      expect([texts(tiny), tiny.hasMore]).toEqual([['one'], true]);
    });

    it('forgets the lines that were shown and no other', async () => {
      await add('one', 'two');
      const { pending } = await context();
      await add('three');
      await commit({ type: 'consume', session: MAIN, through: pending.at(-1)!.seq });
      expect(texts(await context())).toEqual(['three']);
    });

    it('has room again for as many lines as were shown', async () => {
      await add('one', 'two');
      const { pending } = await context();
      await commit({ type: 'consume', session: MAIN, through: pending[0]!.seq });
      const limits = { maxSystemEvents: 2 };
      const one = () => event({ actions: [wakeAction([line()])] });
      expect(await under.ledger.intake.accept(one(), limits)).toMatchObject({
        outcome: 'accepted',
      });
      expect(await under.ledger.intake.accept(one(), limits)).toEqual({ outcome: 'full' });
    });

    it('remembers its newest 200 messages, oldest first', async () => {
      await commit(say(false, 'first'));
      await commit(say(false, ...Array.from({ length: 200 }, (_, n) => `message ${n}`)));
      const { history } = await context();
      expect(history).toHaveLength(200);
      expect(history[0]).toEqual({ role: 'user', text: 'message 0' });
      expect(history.at(-1)).toEqual({ role: 'user', text: 'message 199' });
    });

    it('begins anew when told so', async () => {
      await commit(say(false, 'old'));
      await commit(say(true, 'new'));
      expect((await context()).history).toEqual([{ role: 'user', text: 'new' }]);
    });

    it('remembers where it last spoke, at all and per channel', async () => {
      const { conversations } = under.ledger;
      expect(await conversations.routes(MAIN)).toEqual({ last: null, byChannel: {} });
      await conversations.noteRoute(MAIN, { channel: 'chan_1', to: '1' });
      await commit({ type: 'route', session: MAIN, channel: 'chan_2', to: '2', at: 0 });
      await conversations.noteRoute(MAIN, { channel: 'chan_1', to: '3' });
      expect(await conversations.routes(MAIN)).toEqual({
        last: { channel: 'chan_1', to: '3' },
        byChannel: { chan_1: '3', chan_2: '2' },
      });
    });

    it('has a story with lines, route and turns', async () => {
      await add('one');
      await commit(say(false, 'hi'));
      await under.ledger.conversations.noteRoute(MAIN, { channel: 'chan_1', to: '1' });
      const at = new Date(under.clock.now()).toISOString();
      expect(await under.ledger.stories.session(MAIN)).toMatchObject({
        key: MAIN,
        agentId: 'main',
        pendingSystemEvents: [{ text: 'one', at, trust: { level: 'untrusted' } }],
        lastRoute: { channel: 'chan_1', to: '1' },
        turns: [{ role: 'user', text: 'hi', at }],
      });
    });

    it('has no story before anything was written, and keeps it when nothing waits', async () => {
      expect(await under.ledger.stories.session(MAIN)).toBeNull();
      await add('one');
      await commit({ type: 'consume', session: MAIN, through: (await context()).pending[0]!.seq });
      expect(await under.ledger.stories.session(MAIN)).toMatchObject({ pendingSystemEvents: [] });
    });
  });
}
