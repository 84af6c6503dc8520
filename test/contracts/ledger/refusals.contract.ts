import { KEPT_REFUSALS } from '../../../src/hooks/ports/refusals.ts';
import type { NewRefusal, RefusalFilter } from '../../../src/hooks/ports/refusals.ts';
import { LedgerUnavailable } from '../../../src/hooks/ports/ledger.ts';
import { TOO_LARGE } from '../../support/refused.ts';
import { heartbeat } from './events.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

const DAY_MS = 86_400_000;

export function describeRefusals(openStore: OpenStore): void {
  describe('refusals', () => {
    let under: LedgerUnderTest;
    beforeEach(async () => {
      under = await LedgerUnderTest.open(openStore);
    });
    afterEach(() => under.dispose());

    const refusal = (given: Partial<NewRefusal> = {}): NewRefusal => ({
      at: under.clock.now(),
      ...TOO_LARGE,
      ...given,
    });
    const stranger = (given: Partial<NewRefusal> = {}): NewRefusal =>
      refusal({
        kind: 'unverified',
        status: 401,
        code: 'unauthorized',
        verifiedBy: null,
        ...given,
      });
    const record = (...refusals: NewRefusal[]) => under.ledger.refusals.record(refusals, []);
    const listed = async (filter: Partial<RefusalFilter> = {}) =>
      (await under.ledger.refusals.list({ limit: 200, ...filter })).refusals;

    it('are kept one by one with everything that is known of them, newest first', async () => {
      const first = refusal();
      under.clock.advance(1000);
      const second = refusal({ hook: null, name: 'githbu', status: 404, code: 'unknown_hook' });
      await record(first, second);
      await record(refusal({ kind: 'failed', status: 503, code: 'paused', bytes: null }));
      const [newest, middle, oldest] = await listed();
      expect(newest).toMatchObject({ kind: 'failed', bytes: null });
      expect(middle).toEqual({ ...second, at: new Date(second.at).toISOString() });
      expect(oldest).toEqual({ ...first, at: new Date(first.at).toISOString() });
    });

    it('of strangers are one sum per client, hook, code and minute', async () => {
      const at = under.clock.now();
      await record(stranger({ at, count: 3 }), stranger({ at, hook: null, client: null }));
      await record(stranger({ at, count: 4 }), stranger({ at, hook: null, client: null }));
      await record(stranger({ at: at + 60_000 }), stranger({ at, client: '192.0.2.8' }));
      await record(stranger({ at, code: 'token_in_query', status: 400 }));
      const sums = (await listed()).map((one) => [one.code, one.client, one.hook, one.count]);
      expect(sums).toEqual([
        ['token_in_query', '192.0.2.7', 'alertmanager', 1],
        ['unauthorized', '192.0.2.8', 'alertmanager', 1],
        ['unauthorized', '192.0.2.7', 'alertmanager', 1],
        ['unauthorized', null, null, 2],
        ['unauthorized', '192.0.2.7', 'alertmanager', 7],
      ]);
    });

    it('of tokens that may not speak there are one sum per token', async () => {
      const at = under.clock.now();
      const of = (verifiedBy: string | null, count: number) => stranger({ at, verifiedBy, count });
      await record(of(null, 1), of('token ci', 2), of('token b', 3));
      await record(of('token ci', 4), of(null, 5));
      const sums = (await listed()).map(({ verifiedBy, count }) => `${verifiedBy} ${count}`);
      expect(sums.toSorted()).toEqual(['null 6', 'token b 3', 'token ci 6']);
    });

    it('are found by hook, the name that was asked for, code, time and who they were', async () => {
      await record(refusal(), stranger());
      under.clock.advance(1000);
      const since = under.clock.now();
      await record(refusal({ hook: null, name: 'githbu', code: 'unknown_hook' }));
      const count = async (filter: Partial<RefusalFilter>) => (await listed(filter)).length;
      expect(await count({})).toBe(3);
      expect(await count({ hook: 'alertmanager' })).toBe(2);
      expect(await count({ hook: 'githbu' })).toBe(1);
      expect(await count({ hook: 'x' })).toBe(0);
      expect(await count({ code: 'unauthorized' })).toBe(1);
      expect(await count({ since })).toBe(1);
      expect(await count({ verified: true })).toBe(2);
      expect(await count({ verified: false })).toBe(1);
      await expect(listed({ since: Number.NaN })).rejects.toThrow();
    });

    it('are read page by page, none twice and none left out', async () => {
      await record(...Array.from({ length: 5 }, (_, n) => refusal({ bytes: n })));
      const { refusals } = under.ledger;
      const seen: (number | null)[] = [];
      let cursor: string | null | undefined;
      do {
        const page = await refusals.list({ limit: 2, ...(cursor ? { cursor } : {}) });
        seen.push(...page.refusals.map(({ bytes }) => bytes));
        cursor = page.nextCursor;
      } while (cursor !== null);
      expect(seen).toEqual([4, 3, 2, 1, 0]);
    });

    it('are bounded, and a flood of one kind pushes out none of another', async () => {
      await record(refusal({ bytes: 1 }), refusal({ kind: 'failed', status: 503 }));
      const flood = (n: number) => stranger({ client: `10.${n >> 8}.${n & 255}.1` });
      await record(...Array.from({ length: KEPT_REFUSALS + 500 }, (_, n) => flood(n)));
      const strangers = async () => {
        let total = 0;
        let cursor: string | null | undefined;
        do {
          const page = await under.ledger.refusals.list({
            limit: 10_000,
            verified: false,
            ...(cursor ? { cursor } : {}),
          });
          total += page.refusals.length;
          cursor = page.nextCursor;
        } while (cursor !== null);
        return total;
      };
      expect(await strangers()).toBe(KEPT_REFUSALS);
      expect(await listed({ verified: true })).toMatchObject([{ kind: 'failed' }, { bytes: 1 }]);
      await record(...Array.from({ length: KEPT_REFUSALS }, (_, n) => refusal({ bytes: n + 2 })));
      expect(await listed({ verified: true })).not.toContainEqual(
        expect.objectContaining({ bytes: 1 }),
      );
      expect(await strangers()).toBe(KEPT_REFUSALS);
    });

    it('tell what verified senders lost since a time, the most first', async () => {
      await record(refusal({ at: under.clock.now() - 1 }));
      const since = under.clock.now();
      await record(stranger(), refusal({ kind: 'failed', status: 503, code: 'paused' }));
      const missing = refusal({ hook: null, name: 'x', code: 'unknown_hook', status: 404 });
      await record(missing, refusal(), refusal({ at: since + 5 }));
      const at = new Date(since).toISOString();
      expect(await under.ledger.refusals.lost(since)).toEqual([
        { hook: 'alertmanager', code: 'payload_too_large', status: 413, count: 2, since: at },
        { hook: null, code: 'unknown_hook', status: 404, count: 1, since: at },
      ]);
    });

    it('become durable together with the notice that tells of them', async () => {
      const line = 'request to alertmanager refused';
      const notice = heartbeat('notice', { lane: 'delivery', kind: 'notice', once: true });
      await under.ledger.refusals.record(
        [refusal()],
        [
          { type: 'bad-end', line, eventId: null, count: 12 },
          { type: 'bad-end', line, eventId: null },
          { type: 'work', work: notice },
        ],
      );
      expect(await under.ledger.work.badEnds(9)).toMatchObject({
        total: 13,
        lines: [{ line, count: 13, eventId: null }],
      });
      expect(await under.claimOne('delivery')).toMatchObject({ kind: 'notice' });
    });

    it('are forgotten with the events of their time', async () => {
      const now = under.clock.now();
      await record(refusal(), stranger({ at: now - DAY_MS }), refusal({ at: now - DAY_MS }));
      const retention = { now, payloadsBefore: 0, eventsBefore: now - 1000 };
      await under.ledger.maintenance.prune(retention);
      expect(await listed()).toMatchObject([{ kind: 'lost', at: new Date(now).toISOString() }]);
    });

    it('are refused by a ledger that is closed', async () => {
      const { refusals, maintenance } = under.ledger;
      await maintenance.close();
      await expect(refusals.record([refusal()], [])).rejects.toThrow(LedgerUnavailable);
    });
  });
}
