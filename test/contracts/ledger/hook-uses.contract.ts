import { TOO_LARGE } from '../../support/refused.ts';
import { LIMITS, event } from './events.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

const HOUR_MS = 3_600_000;

export function describeHookUses(openStore: OpenStore): void {
  describe('the use of hooks', () => {
    let under: LedgerUnderTest;
    beforeEach(async () => {
      under = await LedgerUnderTest.open(openStore);
    });
    afterEach(() => under.dispose());

    const accept = (hook: string): Promise<unknown> => {
      const receivedAt = under.clock.now();
      return under.ledger.intake.accept(event({ hook, receivedAt }), LIMITS);
    };

    it('says of each hook when it was last used, and how often since a time', async () => {
      await accept('ci');
      under.clock.advance(1000);
      const lastAt = new Date(under.clock.now()).toISOString();
      await accept('ci');
      await accept('ci/late');
      const { events } = under.ledger;
      expect(await events.hookUses(['ci', 'wake', 'ci/late'], 0)).toEqual([
        { hook: 'ci', lastAt, statuses: { skipped: 2 } },
        { hook: 'wake', lastAt: null, statuses: {} },
        { hook: 'ci/late', lastAt, statuses: { skipped: 1 } },
      ]);
      // Ids are made by the time of this machine.
      const [use] = await events.hookUses(['ci'], Date.now() + HOUR_MS);
      expect(use).toEqual({ hook: 'ci', lastAt, statuses: {} });
      expect(await events.hookUses([], 0)).toEqual([]);
    });

    it('says how many were refused there since then, sums by all they stand for', async () => {
      const at = under.clock.now();
      const sum = { kind: 'unverified' as const, code: 'unauthorized', status: 401 };
      await under.ledger.refusals.record(
        [
          { at: at - 1, ...TOO_LARGE, hook: 'ci' },
          { at, ...TOO_LARGE, hook: 'ci' },
          { at, ...TOO_LARGE, ...sum, hook: 'ci', count: 7 },
          { at, ...TOO_LARGE, hook: null, name: 'nothing' },
        ],
        [],
      );
      expect(await under.ledger.refusals.countByHook(at)).toEqual([
        { hook: null, count: 1 },
        { hook: 'ci', count: 8 },
      ]);
    });
  });
}
