import type { NewAuditEntry } from '../../../src/hooks/ports/audit.ts';
import { LedgerUnavailable } from '../../../src/hooks/ports/ledger.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

const DAY_MS = 86_400_000;

export function describeAudit(openStore: OpenStore): void {
  describe('what operators did', () => {
    let under: LedgerUnderTest;
    beforeEach(async () => {
      under = await LedgerUnderTest.open(openStore);
    });
    afterEach(() => under.dispose());

    const entry = (given: Partial<NewAuditEntry> = {}): NewAuditEntry => ({
      at: under.clock.now(),
      actor: 'operator',
      client: '127.0.0.1',
      operation: 'POST /ops/api/pause',
      subject: null,
      outcome: 'done',
      before: { paused: false },
      after: { paused: true },
      ...given,
    });
    const record = async (...entries: NewAuditEntry[]) => {
      for (const one of entries) await under.ledger.admin.audit(one);
    };
    const listed = async (limit = 200) => (await under.ledger.admin.audited({ limit })).entries;

    it('is kept with everything that is known of it, newest first', async () => {
      const first = entry();
      under.clock.advance(1000);
      const second = entry({
        actor: 'files',
        client: null,
        operation: 'reload',
        subject: 'gateway.json5 "é" \u2028',
        before: { 'hooks.mappings[0].to': ['a"\\', null, 1] },
        after: null,
      });
      await record(first, second, entry({ outcome: 'unknown_event', before: null, after: null }));
      const [refused, newest, oldest] = await listed();
      expect(refused).toMatchObject({ outcome: 'unknown_event', before: null, after: null });
      expect(newest).toEqual({ ...second, at: new Date(second.at).toISOString() });
      expect(oldest).toEqual({ ...first, at: new Date(first.at).toISOString() });
    });

    it('is kept once where processes that share a ledger do the same together, and again later', async () => {
      const reload = (once: string, subject: string) =>
        record(entry({ actor: 'files', operation: 'reload', subject, once }));
      await Promise.all([reload('b', '1'), reload('b', '1'), reload('b', '1')]);
      await reload('a', '2');
      await record(entry({ subject: '3' }));
      await reload('a', '2');
      await reload('b', '4');
      under.clock.advance(600_000);
      await reload('b', '5');
      expect((await listed()).map(({ subject }) => subject)).toEqual(['5', '4', '3', '2', '1']);
    });

    it('is read page by page, none twice and none left out, of everybody or of one', async () => {
      const actors = ['ana', 'ben', 'ana', 'ben', 'ana'];
      await record(...actors.map((actor, n) => entry({ actor, subject: String(n) })));
      const pages = async (actor?: string) => {
        const seen: (string | null)[] = [];
        let cursor: string | null | undefined;
        do {
          const page = await under.ledger.admin.audited({
            limit: 2,
            ...(actor !== undefined && { actor }),
            ...(cursor ? { cursor } : {}),
          });
          expect(page.entries.length).toBeLessThanOrEqual(2);
          seen.push(...page.entries.map(({ subject }) => subject));
          cursor = page.nextCursor;
        } while (cursor !== null);
        return seen;
      };
      expect(await pages()).toEqual(['4', '3', '2', '1', '0']);
      expect(await pages('ana')).toEqual(['4', '2', '0']);
      expect(await pages('nobody')).toEqual([]);
    });

    it('is forgotten when it is as old as events may be', async () => {
      await record(entry({ subject: 'old' }));
      under.clock.advance(30 * DAY_MS + 1);
      await record(entry({ subject: 'new' }));
      const now = under.clock.now();
      const before = now - 30 * DAY_MS;
      await under.ledger.maintenance.prune({ now, payloadsBefore: before, eventsBefore: before });
      expect((await listed()).map(({ subject }) => subject)).toEqual(['new']);
    });

    it('is refused by a ledger that is closed', async () => {
      const { admin, maintenance } = under.ledger;
      await maintenance.close();
      await expect(admin.audit(entry())).rejects.toThrow(LedgerUnavailable);
    });
  });
}
