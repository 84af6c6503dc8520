import { KEPT_CERTIFICATES } from '../../../src/hooks/ports/ledger.ts';
import { REUSED_KEY } from '../../../src/hooks/ports/event.ts';
import type { Acceptance, IdempotencyKey } from '../../../src/hooks/ports/event.ts';
import { LIMITS, MAIN, agent, event, key, systemEvent, wake, wakeAction, runOf } from './events.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

function outcomes(acceptances: readonly Acceptance[]): string[] {
  return acceptances.map(({ outcome }) => outcome).toSorted();
}

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
          actions: [{ kind: 'agent', runId: runOf(given.id) }],
          warnings: ['unknown field x ignored'],
        },
      });
    });

    it('answers a repeat of a key with the first receipt and writes nothing', async () => {
      const first = await accept(wake({ keys: [key('a')] }));
      const repeat = wake({ keys: [key('a')] });
      expect(await accept(repeat)).toEqual({ ...first, outcome: 'replayed' });
      expect(await under.ledger.events.get(repeat.id)).toBeNull();
      expect(await waiting()).toBe(1);
    });

    it('refuses a known key with other content', async () => {
      await accept(wake({ keys: [key('a')] }));
      const other = wake({ keys: [key('a', 'other')] });
      expect(await accept(other)).toEqual({ outcome: 'conflict', scope: 'wake' });
      expect(await waiting()).toBe(1);
    });

    it('keeps keys of different scopes apart', async () => {
      await accept(wake({ keys: [key('a')] }));
      const other = wake({ keys: [{ ...key('a', 'other'), scope: 'agent' }] });
      expect(await accept(other)).toMatchObject({ outcome: 'accepted' });
    });

    it('knows an event by each of its keys', async () => {
      const first = await accept(wake({ keys: [key('a'), { ...key('b'), scope: 'other' }] }));
      for (const keys of [[key('a')], [key('new'), { ...key('b'), scope: 'other' }]]) {
        expect(await accept(wake({ keys }))).toEqual({ ...first, outcome: 'replayed' });
      }
      expect(await waiting()).toBe(1);
      // A repeat has made none of its other keys known.
      expect(await accept(wake({ keys: [key('new', 'other')] }))).toMatchObject({
        outcome: 'accepted',
      });
    });

    it('answers with the receipt of the first of several keys that are known', async () => {
      const [a, b] = [
        await accept(wake({ keys: [key('a')] })),
        await accept(wake({ keys: [key('b')] })),
      ];
      expect(await accept(wake({ keys: [key('b'), key('a')] }))).toEqual({
        ...b,
        outcome: 'replayed',
      });
      expect(await accept(wake({ keys: [key('a'), key('b')] }))).toEqual({
        ...a,
        outcome: 'replayed',
      });
    });

    it('refuses for one key what is a repeat by another', async () => {
      const repeats = { ...key('id', 'd'), onOtherContent: 'repeat' } as const;
      const strict = { ...key('text', 'd'), scope: 'signed' };
      await accept(wake({ keys: [repeats, strict] }));
      const other = wake({ keys: [repeats, strict].map((one) => ({ ...one, digest: 'other' })) });
      expect(await accept(other)).toEqual({ outcome: 'conflict', scope: 'signed' });
      expect(await under.ledger.events.get(other.id)).toBeNull();
      expect(await waiting()).toBe(1);
    });

    it('accepts one of many at once that share but one of their keys', async () => {
      const all = Array.from({ length: 5 }, (_, n) =>
        accept(wake({ keys: [key(`own ${n}`), key('shared')] })),
      );
      const expected = ['accepted', ...Array.from({ length: 4 }, () => 'replayed')];
      expect(outcomes(await Promise.all(all))).toEqual(expected);
      expect(await waiting()).toBe(1);
    });

    it('takes a key with other content for a repeat where that is asked for', async () => {
      const keyed = (digest: string) =>
        wake({ keys: [{ ...key('a', digest), onOtherContent: 'repeat' }] });
      const first = await accept(keyed('d'));
      expect(await accept(keyed('other'))).toEqual({ ...first, outcome: 'replayed' });
      expect(await waiting()).toBe(1);
    });

    it('accepts a key with other content with a warning where that is asked for, and knows both', async () => {
      const keyed = (name: string, digest: string, warnings: string[] = []) =>
        wake({ keys: [{ ...key(name, digest), onOtherContent: 'new' }], warnings });
      const one = await accept(keyed('a', 'd'));
      expect(one).toMatchObject({ outcome: 'accepted', receipt: { warnings: [] } });
      const other = await accept(keyed('a', 'other', ['own']));
      expect(other).toMatchObject({
        outcome: 'accepted',
        receipt: { warnings: ['own', REUSED_KEY] },
      });
      expect(await accept(keyed('a', 'd'))).toEqual({ ...one, outcome: 'replayed' });
      expect(await accept(keyed('a', 'other'))).toEqual({ ...other, outcome: 'replayed' });
      const id = other.outcome === 'accepted' ? other.receipt.eventId : '';
      expect((await under.details(id)).warnings).toEqual(['own', REUSED_KEY]);
      // One name that begins with another is no reuse of it, whatever stands between.
      for (const name of ['a ', 'a\n', 'a\nd', 'aa', '']) {
        expect(await accept(keyed(name, 'third'))).toMatchObject({
          outcome: 'accepted',
          receipt: { warnings: [] },
        });
      }
      under.clock.advance(1000);
      expect(await accept(keyed('a', 'fourth'))).toMatchObject({ receipt: { warnings: [] } });
    });

    it('accepts a key with other content than its latest event’s, and knows that one alone then', async () => {
      const keyed = (digest: string) =>
        ({ ...key('42', digest), onOtherContent: 'latest' }) as const;
      const acted = (digest: string) =>
        accept(event({ actions: [wakeAction([systemEvent()], keyed(digest))] }));
      const opened = await acted('opened');
      expect(opened).toMatchObject({ outcome: 'accepted', receipt: { warnings: [] } });
      expect(await acted('opened')).toEqual({ ...opened, outcome: 'replayed' });
      const closed = await acted('closed');
      expect(closed).toMatchObject({ outcome: 'accepted', receipt: { warnings: [REUSED_KEY] } });
      expect(await acted('closed')).toEqual({ ...closed, outcome: 'replayed' });
      const again = await acted('opened');
      expect(again).toMatchObject({ outcome: 'accepted', receipt: { warnings: [REUSED_KEY] } });
      expect(await acted('opened')).toEqual({ ...again, outcome: 'replayed' });
      expect(await waiting()).toBe(3);
      expect(await under.ledger.intake.holderOf(keyed('closed'))).toBeNull();
    });

    it('knows a key of before edition 2, of which the sender was no part, for whoever sent it then', async () => {
      // Whoever sends may write what the ledger writes, and names like those of the ledger.
      const claim = '},"client":"1","verifiedBy":"token b"';
      const request = (verifiedBy: string) => ({
        ...event().request,
        path: claim,
        query: { client: '1', verifiedBy: 'token b', [claim]: claim },
        headers: { 'x-claim': `}${claim}` },
        client: '"},"verifiedBy":"token b',
        verifiedBy,
      });
      const before = key('o-1');
      const acted = (verifiedBy: string, dedupeKey: IdempotencyKey) =>
        accept(
          event({
            request: request(verifiedBy),
            actions: [wakeAction([systemEvent()], dedupeKey)],
          }),
        );
      const first = await acted('token a', before);
      const now = (verifiedBy: string) => {
        return {
          ...before,
          scope: `of ${verifiedBy}`,
          former: { scope: before.scope, verifiedBy },
        };
      };
      expect(await acted('token a', now('token a'))).toEqual({ ...first, outcome: 'replayed' });
      const others = await acted('token b', now('token b'));
      expect(others).toMatchObject({ outcome: 'accepted', receipt: { warnings: [] } });
      expect(await acted('token b', now('token b'))).toEqual({ ...others, outcome: 'replayed' });
      expect(await waiting()).toBe(2);
      under.clock.advance(1000);
      expect(await acted('token a', now('token a'))).toMatchObject({ outcome: 'accepted' });
    });

    it('says which event has a key', async () => {
      const asked = { ...key('a'), onOtherContent: 'new' } as const;
      const given = wake({ keys: [asked] });
      await accept(given);
      const holder = (one: typeof asked) => under.ledger.intake.holderOf(one);
      expect(await holder(asked)).toBe(given.id);
      expect(await holder({ ...asked, digest: 'other' })).toBeNull();
      expect(await holder({ ...asked, scope: 'other' })).toBeNull();
    });

    it('keeps certificates that verified a request, the newest of each address and of all', async () => {
      const { intake } = under.ledger;
      const kept = (n: number, fetchedAt = 1_000 + n) =>
        ({
          address: `https://certs.example/%_${n}`,
          pem: `pem ${n} at ${fetchedAt}\n`,
          fetchedAt,
        }) as const;
      expect(await intake.certificates()).toEqual([]);
      for (let n = 0; n < KEPT_CERTIFICATES; n += 1) await intake.keepCertificate(kept(n));
      await intake.keepCertificate(kept(0, 2000));
      await intake.keepCertificate(kept(KEPT_CERTIFICATES, 2001));
      const expected = [kept(KEPT_CERTIFICATES, 2001), kept(0, 2000)];
      for (let n = KEPT_CERTIFICATES - 1; n > 1; n -= 1) expected.push(kept(n));
      expect(await intake.certificates()).toEqual(expected);
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
        keys: [key('a')],
      });
      expect(await accept(two, limits)).toEqual({ outcome: 'full' });
      expect(await waiting()).toBe(1);
      expect(await accept(wake({ keys: [key('a', 'other')] }), limits)).toMatchObject({
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
