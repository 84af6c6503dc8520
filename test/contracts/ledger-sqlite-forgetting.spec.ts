import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteLedger } from '../../src/ledger/sqlite/index.ts';
import type { Ledger } from '../../src/hooks/ports/ledger.ts';
import { ManualClock } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import { LIMITS, MAIN, agent, heartbeat, runOf, turn, wake } from './ledger/events.ts';

const DAY_MS = 86_400_000;
/** From a few cells of one page to chains of pages. */
const SIZES = [10, 300, 3000, 9000, 40_000];
const EACH = 8;
const KEPT = '<kept>';
/** As long as the shortest mark, since keys and digests are random bytes that have a `<u>` now and then. */
const MARKS = /<[a-z]{4,8}>/gu;

describe('the files of a ledger', () => {
  let dir: string;
  let clock: ManualClock;
  let ledger: Ledger;
  const marks = async () => {
    const files = ['ledger.db', 'ledger.db-wal'].map((name) => readFile(join(dir, name), 'latin1'));
    const found = (await Promise.all(files)).join('').match(MARKS);
    return [...new Set(found)].toSorted();
  };
  const acceptAndRun = async (size: number) => {
    const text = (mark: string) => mark + '.'.repeat(size);
    const payload = JSON.stringify({ text: text('<payload>') });
    const given = agent('a', { payload, receivedAt: clock.now() });
    const session = given.id;
    await ledger.intake.accept(agent(session, given), LIMITS);
    const [lease] = await ledger.work.claim('turn', 1, new AbortController().signal);
    const id = runOf(lease!.eventId!);
    const [prompt, reply] = [text('<prompt>'), text('<reply>')];
    await ledger.work.commit(lease!, { type: 'done' }, [
      { type: 'run-update', id, status: 'succeeded', prompt, reply },
      turn(`agent:main:${session}`, {
        prompt: text('<asked>'),
        reply,
        isIsolated: true,
        at: clock.now(),
        events: [session],
      }),
    ]);
  };
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ledger-'));
    clock = new ManualClock();
    ledger = await sqliteLedger({ dir }).open(clock);
  });
  afterEach(async () => {
    await ledger.maintenance.close();
    await rm(dir, { recursive: true });
  });

  /** A log that a reader kept from being emptied is emptied after one of the next batches. */
  const nextBatch = () => ledger.maintenance.health();

  it.each([
    ['bodies of events', 0],
    ['whole events', 7 * DAY_MS],
  ])('have no byte of %s that were forgotten, while the service runs', async (_, since) => {
    for (let n = 0; n < EACH; n += 1) {
      for (const size of SIZES) await acceptAndRun(size);
    }
    expect(await marks()).toEqual(['<asked>', '<payload>', '<prompt>', '<reply>']);
    clock.advance(8 * DAY_MS);
    const payload = JSON.stringify(KEPT);
    await ledger.intake.accept(agent('b', { payload, receivedAt: clock.now() }), LIMITS);
    const now = clock.now();
    const eventsBefore = since === 0 ? 0 : now - since;
    const retention = { now, payloadsBefore: now - 7 * DAY_MS, eventsBefore };
    while (await ledger.maintenance.prune(retention));
    await eventually('only what is kept is in the files', async () => {
      await nextBatch();
      const left = await marks();
      return left.length === 1 && left[0] === KEPT;
    });
  });

  it('have no byte of a transcript that was cleared, while the service runs', async () => {
    const said = SIZES.map((size) => {
      const text = (mark: string) => mark + '.'.repeat(size);
      return turn(MAIN, { prompt: text('<asked>'), reply: text('<reply>'), at: clock.now() });
    });
    await ledger.work.add(heartbeat('k'));
    const [lease] = await ledger.work.claim('turn', 1, new AbortController().signal);
    await ledger.work.commit(lease!, { type: 'done' }, said);
    expect(await marks()).toEqual(['<asked>', '<reply>']);
    await ledger.sessions.clearTranscript(MAIN);
    await eventually('nothing of it is in the files', async () => {
      await nextBatch();
      return (await marks()).length === 0;
    });
  });

  it('have no byte of an event that an operator had erased, the search index included', async () => {
    for (const size of SIZES) await acceptAndRun(size);
    const searchIndex = () => readFile(join(dir, 'search.db'), 'latin1');
    const found = async (search: string) => {
      const page = await ledger.events.list({ limit: 200, search });
      return page.searchedUntil === null ? page.events : null;
    };
    await eventually(
      'all are found',
      async () => (await found('payload'))?.length === SIZES.length,
    );
    for (const { id } of (await ledger.events.list({ limit: 200 })).events) {
      expect(await ledger.admin.forget(id)).toMatchObject({ turns: 1 });
    }
    await eventually('nothing of it is in the files', async () => {
      await nextBatch();
      const isForgotten = (await found('payload'))?.length === 0;
      return isForgotten && (await marks()).length === 0 && !(await searchIndex()).includes('ayl');
    });
  });

  it('name the copies that upgrades made, as places where it may still stand', async () => {
    expect(await ledger.admin.leftovers()).toEqual([]);
    await writeFile(join(dir, 'ledger.before-2.db'), '');
    expect(await ledger.admin.leftovers()).toEqual([
      expect.stringMatching(
        /ledger\.before-2\.db, a copy that an upgrade made on \d{4}-\d\d-\d\d: delete it/,
      ),
    ]);
  });

  it('give no line that waits the words of an event that was shown before under its number', async () => {
    const limits = { maxEvents: 9, maxBytes: 999, maxHistoryCharacters: 9 };
    const pending = async () => (await ledger.sessions.context(MAIN, limits)).pending;
    const old = clock.now() - DAY_MS;
    await ledger.intake.accept(wake({ receivedAt: old }), LIMITS);
    const [shown] = await pending();
    await ledger.work.add(heartbeat('k'));
    const [lease] = await ledger.work.claim('turn', 1, new AbortController().signal);
    const consume = { type: 'consume', session: MAIN, through: shown!.seq } as const;
    await ledger.work.commit(lease!, { type: 'done' }, [consume]);
    await ledger.maintenance.close();
    // The clock stood still or was set back: numbers go on rising all the same.
    ledger = await sqliteLedger({ dir }).open(clock);
    await ledger.intake.accept(wake({ receivedAt: clock.now() }), LIMITS);
    const waiting = [{ seq: shown!.seq + 1, at: clock.now() }];
    expect(await pending()).toMatchObject(waiting);
    const retention = { now: clock.now(), payloadsBefore: old + 1, eventsBefore: 0 };
    while (await ledger.maintenance.prune(retention));
    expect(await pending()).toMatchObject(waiting);
  });
});
