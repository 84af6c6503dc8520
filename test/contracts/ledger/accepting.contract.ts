import type { Acceptance } from '../../../src/hooks/ports/event.ts';
import { LIMITS, MAIN, agent, event, key, systemEvent, wake, wakeAction } from './events.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

function outcomes(acceptances: readonly Acceptance[]): string[] {
  return acceptances.map(({ outcome }) => outcome).toSorted();
}

/** `Intake`: keys, limits and what is written together. */
export function describeAccepting(openStore: OpenStore): void {
  describe('accepting', () => {
    let under: LedgerUnderTest;
    const accept = (given: ReturnType<typeof event>, limits = LIMITS) =>
      under.ledger.intake.accept(given, limits);
    const waiting = async () => {
      const limits = { maxEvents: 100, maxBytes: 1e6, maxHistoryCharacters: 1e6 };
      return (await under.ledger.sessions.context(MAIN, limits)).pending.length;
    };

    beforeEach(async () => {
      under = await LedgerUnderTest.open(openStore);
    });
    afterEach(() => under.dispose());

    it('answers with the receipt of what it stored', async () => {
      const given = agent('hook:a', { warnings: ['unknown field x ignored'] });
      expect(await accept(given)).toEqual({
        outcome: 'accepted',
        receipt: {
          eventId: given.id,
          actions: [{ kind: 'agent', runId: `${given.id}-run` }],
          warnings: ['unknown field x ignored'],
        },
      });
    });

    it('answers a repeat of a key with the first receipt and writes nothing', async () => {
      const first = await accept(wake({ idempotency: key('a') }));
      const repeat = wake({ idempotency: key('a') });
      expect(await accept(repeat)).toEqual({ ...first, outcome: 'replayed' });
      expect(await under.ledger.events.get(repeat.id)).toBeNull();
      expect(await waiting()).toBe(1);
    });

    it('refuses a known key with other content', async () => {
      await accept(wake({ idempotency: key('a') }));
      const other = wake({ idempotency: key('a', 'other') });
      expect(await accept(other)).toEqual({ outcome: 'conflict' });
      expect(await waiting()).toBe(1);
    });

    it('accepts one of many repeats at once', async () => {
      const all = Array.from({ length: 5 }, () => accept(wake({ idempotency: key('a') })));
      const expected = ['accepted', ...Array.from({ length: 4 }, () => 'replayed')];
      expect(outcomes(await Promise.all(all))).toEqual(expected);
      expect(await waiting()).toBe(1);
    });

    it('forgets a key when its time is over', async () => {
      await accept(wake({ idempotency: key('a') }));
      under.clock.advance(1000);
      const later = wake({ idempotency: key('a', 'other', under.clock.now() + 1000) });
      expect(await accept(later)).toMatchObject({ outcome: 'accepted' });
    });

    it('keeps keys of different scopes apart', async () => {
      await accept(wake({ idempotency: key('a') }));
      const other = wake({ idempotency: { ...key('a', 'other'), scope: 'agent' } });
      expect(await accept(other)).toMatchObject({ outcome: 'accepted' });
    });

    it('leaves out actions whose dedupe key is known', async () => {
      await accept(event({ actions: [wakeAction([systemEvent()], key('1'))] }));
      const second = event({
        actions: ['1', '2', '2'].map((name) => wakeAction([systemEvent()], key(name))),
      });
      const answer = await accept(second);
      expect(answer).toMatchObject({ outcome: 'accepted', receipt: { eventId: second.id } });
      expect(answer).toHaveProperty('receipt.actions.length', 1);
      expect((await under.details(second.id)).actions).toHaveLength(1);
      expect(await waiting()).toBe(2);
    });

    it('answers with the first receipt when every action is known', async () => {
      const actions = [
        wakeAction([systemEvent()], key('1')),
        wakeAction([systemEvent()], key('2')),
      ];
      const first = await accept(event({ actions }));
      expect(await accept(event({ actions }))).toEqual({ ...first, outcome: 'replayed' });
      expect(await waiting()).toBe(2);
    });

    it('is full when the session has no room for all system events, and then stores none', async () => {
      const limits = { maxSystemEvents: 2 };
      await accept(wake(), limits);
      const two = event({
        actions: [wakeAction([systemEvent(), systemEvent()])],
        idempotency: key('a'),
      });
      expect(await accept(two, limits)).toEqual({ outcome: 'full' });
      expect(await waiting()).toBe(1);
      expect(await accept(wake({ idempotency: key('a', 'other') }), limits)).toMatchObject({
        outcome: 'accepted',
      });
      expect(await accept(agent('hook:a'), limits)).toMatchObject({ outcome: 'accepted' });
    });

    it('stores nothing while paused', async () => {
      await under.ledger.admin.setPaused(true);
      const refused = wake();
      expect(await accept(refused)).toEqual({ outcome: 'paused' });
      expect(await under.ledger.events.get(refused.id)).toBeNull();
      await under.ledger.admin.setPaused(false);
      expect(await accept(refused)).toMatchObject({ outcome: 'accepted' });
    });

    it('stores the others when one of many at once cannot be stored', async () => {
      const taken = wake();
      await accept(taken);
      const many = [wake(), wake({ id: taken.id }), wake()];
      const settled = await Promise.allSettled(many.map((given) => accept(given)));
      expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(await waiting()).toBe(3);
    });
  });
}
