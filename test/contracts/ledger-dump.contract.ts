import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { IdempotencyKey } from '../../src/hooks/ports/event.ts';
import type { FoundEvents } from '../../src/hooks/ports/event-store.ts';
import type { LedgerProvider } from '../../src/hooks/ports/ledger.ts';
import { DUMPED_TABLES } from '../../src/ledger/dump/tables.ts';
import { postgresLedger } from '../../src/ledger/postgres/index.ts';
import { sqliteLedger } from '../../src/ledger/sqlite/index.ts';
import { backUpLedger, restoreLedger } from '../../src/service/ledger-backup.ts';
import type { LedgerPlace } from '../../src/service/ledger-backup.ts';
import { newId } from '../../src/platform/new-id.ts';
import { ManualClock } from '../support/clocks.ts';
import { filledLedger } from '../support/filled-ledger.ts';
import { answers, claims, withoutNull } from '../support/ledger-answers.ts';
import { LIMITS, MAIN, agent, event, wake, wakeNow } from './ledger/events.ts';
import { LedgerUnderTest } from './ledger/store.ts';

export interface TwoStores {
  readonly from: LedgerPlace;
  readonly to: LedgerPlace;
  dispose(): Promise<void>;
}

export function providerOf({ store: { dir, postgres } }: LedgerPlace): LedgerProvider {
  return postgres === undefined ? sqliteLedger({ dir, search: true }) : postgresLedger(postgres);
}

/** @param beside is called between its pieces */
export async function exported(
  from: LedgerPlace,
  now: number,
  beside: () => unknown = () => undefined,
): Promise<string> {
  let text = '';
  await backUpLedger(from, now, async (more) => {
    text += more;
    await beside();
  });
  return text;
}

export function imported(to: LedgerPlace, now: number, text: string) {
  return restoreLedger(to, now, Readable.from([Buffer.from(text)]));
}

/** The lines between the first and the last, as PostgreSQL holds them. */
export function rowsOf(text: string): unknown[] {
  const lines = text.trimEnd().split('\n').slice(1, -1);
  return withoutNull(lines.map((line): unknown => JSON.parse(line)));
}

export function describeTransfer(name: string, open: () => Promise<TwoStores>): void {
  describe(`A ledger that goes from ${name}`, () => {
    let stores: TwoStores;
    let clock: ManualClock;
    beforeEach(async () => {
      stores = await open();
      clock = new ManualClock();
    });
    afterEach(() => stores.dispose());

    it('has every row there, and answers and works as before', async () => {
      const { from, to } = stores;
      const filled = await filledLedger(providerOf(from), clock);
      const text = await exported(from, clock.now());
      const { rows } = await imported(to, clock.now(), text);
      // Of those two only the build before has rows.
      const written = DUMPED_TABLES.filter(({ name }) => !/^repl(?:ies|y_marks)$/.test(name));
      expect(Object.keys(rows)).toEqual([...written.map((table) => table.name), 'meta']);
      expect(rowsOf(await exported(to, clock.now()))).toEqual(rowsOf(text));
      const [old, moved] = [await providerOf(from).open(clock), await providerOf(to).open(clock)];
      try {
        const expected = await answers(old, clock, filled);
        expect(withoutNull(await answers(moved, clock, filled))).toEqual(withoutNull(expected));
        for (const lane of ['turn', 'delivery'] as const) {
          const claimed = await claims(old, lane, clock);
          expect(claimed.length).toBeGreaterThan(1);
          expect(withoutNull(await claims(moved, lane, clock))).toEqual(withoutNull(claimed));
        }
      } finally {
        await old.maintenance.close();
        await moved.maintenance.close();
      }
    });

    it('goes on there: numbers rise, keys are repeats, words are found', async () => {
      const { from, to } = stores;
      const filled = await filledLedger(providerOf(from), clock);
      await imported(to, clock.now(), await exported(from, clock.now()));
      const under = await LedgerUnderTest.open(async () => ({
        provider: providerOf(to),
        dispose: () => Promise.resolve(),
      }));
      try {
        const { ledger } = under;
        expect(await ledger.intake.accept(event({ keys: [filled.key] }), LIMITS)).toMatchObject({
          outcome: 'replayed',
          receipt: { eventId: filled.keyed },
        });
        const later = wakeNow();
        await ledger.intake.accept(later, LIMITS);
        const limits = { maxEvents: 100, maxBytes: 1e6, maxHistoryCharacters: 1e6 };
        const { pending } = await ledger.sessions.context(MAIN, limits);
        expect(pending.length).toBeGreaterThan(2);
        expect(pending.at(-1)).toMatchObject({ eventId: later.id });
        await ledger.intake.accept(agent('new'), LIMITS);
        await ledger.refusals.record([filled.refusal], []);
        expect(await ledger.admin.retry(filled.dead)).toBe(1);
        let found: FoundEvents;
        do found = await ledger.events.list({ limit: 50, search: 'naïve' });
        while (found.searchedUntil !== null);
        expect(found.events.map(({ id }) => id)).toContain(filled.ids[0]);
      } finally {
        await under.dispose();
      }
    });

    it('is whole while events come in: all that was accepted before, and nothing of which half is there', async () => {
      const { from, to } = stores;
      const ledger = await providerOf(from).open(clock);
      const accepted: string[] = [];
      const keyOf = (id: string): IdempotencyKey => ({
        scope: 'wake',
        key: id,
        digest: id,
        onOtherContent: 'conflict',
        keepUntil: clock.now() + 60_000,
      });
      const accept = async () => {
        const id = newId();
        await ledger.intake.accept(wake({ id, keys: [keyOf(id)] }), { maxSystemEvents: 1e6 });
        accepted.push(id);
      };
      await Promise.all(Array.from({ length: 500 }, accept));
      const before = [...accepted];
      const over = new AbortController();
      const comeIn = async () => {
        while (!over.signal.aborted) await accept();
      };
      const callers = Array.from({ length: 8 }, comeIn);
      let pieces = 0;
      const text = await exported(from, clock.now(), async () => {
        pieces += 1;
        const came = accepted.length + 20;
        while (accepted.length < came) await nextTurn();
      });
      over.abort();
      await Promise.all(callers);
      await ledger.maintenance.close();
      expect(pieces).toBeGreaterThan(3);
      const { rows } = await imported(to, clock.now(), text);
      expect(rows).toMatchObject({ system_events: rows['events'], idempotency: rows['events'] });
      const restored = await providerOf(to).open(clock);
      try {
        for (const id of before) {
          expect(await restored.events.get(id)).toMatchObject({ id });
          const again = wake({ keys: [keyOf(id)] });
          expect(await restored.intake.accept(again, LIMITS)).toMatchObject({
            outcome: 'replayed',
            receipt: { eventId: id },
          });
        }
        expect(rows['events']).toBeLessThan(accepted.length);
      } finally {
        await restored.maintenance.close();
      }
    });

    it('stays paused there, and forgets from where it was', async () => {
      const { from, to } = stores;
      const ledger = await providerOf(from).open(clock);
      await ledger.intake.accept(wake(), LIMITS);
      clock.advance(86_400_000);
      await ledger.admin.setPaused(true);
      const retention = { eventsBefore: 0, payloadsBefore: clock.now(), now: clock.now() };
      await ledger.maintenance.prune(retention);
      await ledger.maintenance.close();
      const text = await exported(from, clock.now());
      const meta = (key: string) => ({ table: 'meta', row: { key, value: expect.any(String) } });
      for (const key of ['believed', 'bodies_forgotten_to', 'paused']) {
        expect(rowsOf(text)).toContainEqual(meta(key));
      }
      await imported(to, clock.now(), text);
      expect(rowsOf(await exported(to, clock.now()))).toEqual(rowsOf(text));
      const moved = await providerOf(to).open(clock);
      expect(await moved.admin.isPaused()).toBe(true);
      await moved.maintenance.close();
    });
  });
}
