import type { Change } from '../../../src/hooks/ports/change.ts';
import type { ContextLimits } from '../../../src/hooks/ports/ledger.ts';
import {
  LIMITS,
  MAIN,
  delivery,
  event,
  heartbeat,
  systemEvent,
  turn,
  wakeAction,
  deliveryOf,
} from './events.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

export function describeSessions(openStore: OpenStore): void {
  describe('a session', () => {
    let under: LedgerUnderTest;
    const wide: ContextLimits = { maxEvents: 100, maxBytes: 1e6, maxHistoryCharacters: 1e6 };
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

    it('tells what became of the delivery that a system event names', async () => {
      const told = event();
      const deliveryId = deliveryOf(told.id);
      await commit(
        ...delivery(told.id),
        systemEvent({ text: 'sent', deliveryId }),
        systemEvent({ text: 'of one that is forgotten', deliveryId: 'gone' }),
      );
      const deliveries = async () => (await context()).pending.map((it) => it.delivery);
      const before = { channel: 'chan_1', status: 'pending', error: null };
      expect(await deliveries()).toEqual([before, undefined]);
      await commit({ type: 'delivery-update', id: deliveryId, status: 'dead', error: 'blocked' });
      const after = { channel: 'chan_1', status: 'dead', error: 'blocked' };
      expect(await deliveries()).toEqual([after, undefined]);
    });

    it('holds back a system event whose delivery is under way, for so long and no longer', async () => {
      const told = event();
      const at = under.clock.now();
      const line = {
        ...systemEvent({ text: 'on its way', at }),
        deliveryId: deliveryOf(told.id),
      };
      await commit(...delivery(told.id), line);
      await add('one', 'two');
      const waiting = { ...wide, maxHoldMs: 1000 };
      const first = await context(waiting);
      expect(texts(first)).toEqual(['one', 'two']);
      expect(first).toMatchObject({ held: [expect.any(Number)], heldUntil: at + 1000 });
      const { held: except, pending } = first;
      const shown = { session: MAIN, through: pending.at(-1)!.seq, except };
      await commit({ type: 'heartbeat-failed', ...shown }, { type: 'consume', ...shown });
      expect(await context(waiting)).toMatchObject({ pending: [], heldUntil: at + 1000 });
      under.clock.advance(1000);
      const late = await context(waiting);
      expect(late).toMatchObject({ held: [], heldUntil: null });
      expect(late.pending).toMatchObject([{ text: 'on its way', delivery: { status: 'pending' } }]);
      const details = await under.ledger.events.session(MAIN, { limit: 200 });
      expect(details).toMatchObject({ pendingSystemEvents: [{ text: 'on its way' }] });
    });

    it('shows an operator all that wait, page by page', async () => {
      const all = Array.from({ length: 7 }, (_, n) => `line ${n}`);
      await add(...all);
      const shown: string[] = [];
      let cursor: string | null | undefined;
      do {
        const page = { limit: 3, ...(cursor && { cursor }) };
        const details = await under.ledger.events.session(MAIN, page);
        shown.push(...details!.pendingSystemEvents.map(({ text }) => text));
        cursor = details!.nextCursor;
      } while (cursor !== null);
      expect(shown).toEqual(all);
    });

    it('holds back nothing that lies ahead of a clock that was set back', async () => {
      const told = event();
      const line = { ...systemEvent(), at: under.clock.now() + 3_600_000 };
      await commit(...delivery(told.id), { ...line, deliveryId: deliveryOf(told.id) });
      const { pending, heldUntil } = await context({ ...wide, maxHoldMs: 1000 });
      expect([pending.length, heldUntil]).toEqual([1, null]);
    });

    it('forgets where it spoke, and is known still', async () => {
      const { sessions, events } = under.ledger;
      await sessions.noteRoute(MAIN, { channel: 'chan_1', to: '1' });
      expect(await events.session(MAIN, { limit: 200 })).toMatchObject({
        recipients: { chan_1: '1' },
      });
      await sessions.clearRoutes(MAIN);
      expect(await sessions.routes(MAIN)).toEqual({ last: null, byChannel: {} });
      expect(await events.session(MAIN, { limit: 200 })).toMatchObject({
        lastRoute: null,
        recipients: {},
      });
    });

    it('forgets what was said and whom its runner knows it by, and nothing else', async () => {
      const { sessions, events } = under.ledger;
      const other = 'agent:main:hook:other';
      const runnerSession = { runner: 'claude', id: 'kept-there' };
      await add('waits');
      await sessions.noteRoute(MAIN, { channel: 'chan_1', to: '1' });
      await commit({ ...say('a secret'), isUntrusted: true, runnerSession });
      await commit({ ...say('of another'), session: other });
      expect(await context()).toMatchObject({ isUntrusted: true, runnerSession });
      await sessions.clearTranscript(MAIN);
      const left = await context();
      expect(left).toMatchObject({ history: [], isUntrusted: false, runnerSession: null });
      expect(texts(left)).toEqual(['waits']);
      expect(await events.session(MAIN, { limit: 200 })).toMatchObject({
        turns: [],
        lastRoute: { channel: 'chan_1', to: '1' },
      });
      const details = await events.session(other, { limit: 200 });
      expect(details?.turns.map(({ text }) => text)).toEqual(['of another', 'a']);
      await commit(say('begins anew'));
      expect((await context()).history.map(({ text }) => text)).toEqual(['begins anew', 'a']);
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
      expect(await under.ledger.events.session(MAIN, { limit: 200 })).toMatchObject({
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
      expect(await under.ledger.events.session(MAIN, { limit: 200 })).toBeNull();
      await add('one');
      await commit({ type: 'consume', session: MAIN, through: (await context()).pending[0]!.seq });
      expect(await under.ledger.events.session(MAIN, { limit: 200 })).toMatchObject({
        pendingSystemEvents: [],
      });
    });
  });
}
