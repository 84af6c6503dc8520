import { postgresLedger } from '../../src/ledger/postgres/index.ts';
import { SystemClock } from '../../src/hooks/ports/clock.ts';
import type { NewEvent } from '../../src/hooks/ports/event.ts';
import type { AcceptLimits, Ledger } from '../../src/hooks/ports/ledger.ts';
import type { EventFilter } from '../../src/hooks/ports/event-store.ts';
import { LIMITS, MAIN, agent, key, wake } from '../contracts/ledger/events.ts';
import { BETWEEN_MS, NEWEST, addManyEvents, addTexts } from './many-events.ts';
import { PostgresSuite } from './suite.ts';
import type { TestDatabase } from '../support/postgres-server.ts';

const EVENTS = 200_000;
const DAY_MS = 86_400_000;
/** Of these nothing is read from end to end. */
const LARGE = 'events|runs|deliveries|work|idempotency|sessions|turns|system_events|search_texts';

const suite = PostgresSuite.inThisFile({
  settings: {
    shared_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_nested_statements': 'on',
  },
});

describe(`The plans of statements, at ${EVENTS} events`, () => {
  let database: TestDatabase;
  let ledger: Ledger;
  beforeAll(async () => {
    database = await suite.server.database();
    const provider = postgresLedger({ url: database.url });
    // The search index of all of them takes minutes.
    const before = await postgresLedger({ url: database.url, search: false }).open(
      new SystemClock(),
    );
    await before.maintenance.close();
    await addManyEvents(database.url, EVENTS);
    ledger = await provider.open(new SystemClock());
    await addTexts(database.url, 30_000);
  });
  afterAll(async () => {
    await ledger.maintenance.close();
    await database[Symbol.asyncDispose]();
  });

  const plansOf = async (act: () => Promise<unknown>): Promise<string> => {
    const from = suite.server.log.length;
    await act();
    return suite.server.log.slice(from);
  };
  const walked = async (act: () => Promise<unknown>): Promise<string[]> => {
    const plans = await plansOf(act);
    expect(plans).toContain('Query Text');
    return plans.match(new RegExp(`Seq Scan on (?:hooks\\.)?(?:${LARGE})\\b.*`, 'gu')) ?? [];
  };
  const newest = async () => (await ledger.events.list({ limit: 1 })).events[0]!.id;

  it.each<[string, Partial<EventFilter>]>([
    ['all', {}],
    ['a hook', { hook: 'wake' }],
    ['a rare hook', { hook: 'rare' }],
    ['a hook that is not used', { hook: 'nothing' }],
    ['a status', { status: 'done' }],
    ['a rare status', { status: 'failed' }],
    ['a status that none has', { status: 'skipped' }],
    ['a mapping', { mapping: 'mapping 10' }],
    ['a mapping that matched nothing', { mapping: 'nothing' }],
    ['a session', { session: 'agent:main:hook:x' }],
    ['a session that few runs were in', { session: 'agent:main:hook:7' }],
    ['a span of time', { since: NEWEST - 20 * DAY_MS, until: NEWEST - 19 * DAY_MS }],
    ['hook and status', { hook: 'rare', status: 'accepted' }],
    ['hook and mapping', { hook: 'rare', mapping: 'mapping 10' }],
    ['session and status', { session: 'agent:main:hook:x', status: 'failed' }],
    ['words', { search: 'nowhere' }],
  ])('of a list of events by %s', async (_name, filter) => {
    expect(await walked(() => ledger.events.list({ limit: 50, ...filter }))).toEqual([]);
  });

  it('of the second page of a list', async () => {
    const { nextCursor } = await ledger.events.list({ limit: 50, hook: 'rare' });
    const next = { limit: 50, hook: 'rare', cursor: nextCursor! };
    expect(await walked(() => ledger.events.list(next))).toEqual([]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['the details of an event', async () => ledger.events.get(await newest())],
    ['a stored request', async () => ledger.events.storedRequest(await newest())],
    ['the use of hooks', () => ledger.events.hookUses(['wake', 'rare', 'no'], NEWEST - DAY_MS)],
    ['the list of sessions', () => ledger.events.sessions({ limit: 50 })],
    ['a session', () => ledger.events.session('agent:main:hook:7', { limit: 50 })],
    ['how much work stands where', () => ledger.admin.counts()],
    ['dead work by hook', () => ledger.admin.dead()],
    ['dead work', () => ledger.admin.retryAll({ limit: 50, hook: 'agent', status: 'failed' })],
    ['dead work that is dismissed', () => ledger.admin.dismissAll({ limit: 50 })],
    ['activity', () => ledger.admin.activity({ from: NEWEST, stepMs: 60_000, steps: 60 })],
  ])('of %s', async (_name, act) => {
    expect(await walked(act)).toEqual([]);
  });

  it('of accepting, repeating, claiming and ending work', async () => {
    const withKey = (n: number) =>
      wake({ receivedAt: Date.now(), keys: [key(`plan ${n}`, 'd', Date.now() + DAY_MS)] });
    const acceptMany = (of: (n: number) => NewEvent, limits: AcceptLimits = LIMITS) =>
      Promise.all(Array.from({ length: 64 }, (_, n) => ledger.intake.accept(of(n), limits)));
    const run = (n: number) => agent(`hook:plan ${n}`, { receivedAt: Date.now() });
    const work = async () => {
      const leases = await ledger.work.claim('turn', 16, new AbortController().signal);
      expect(leases.length).toBeGreaterThan(0);
      await ledger.work.noteActing(leases[0]!);
      await ledger.work.renew(leases[0]!);
      for (const lease of leases) await ledger.work.commit(lease, { type: 'done' }, []);
    };
    expect(await walked(() => acceptMany(withKey))).toEqual([]);
    expect(await walked(() => acceptMany(withKey))).toEqual([]);
    expect(await walked(() => acceptMany(run))).toEqual([]);
    expect(await walked(() => acceptMany(run, { ...LIMITS, maxQueued: 1000 }))).toEqual([]);
    expect(await walked(work)).toEqual([]);
    const shown = { maxEvents: 100, maxBytes: 100_000, maxHistoryCharacters: 1000 };
    expect(await walked(() => ledger.sessions.context(MAIN, shown))).toEqual([]);
  });

  it('of each step of forgetting: events, bodies, transcripts and keys', async () => {
    const oldest = NEWEST - EVENTS * BETWEEN_MS;
    const now = Date.now();
    const deleting = { now, payloadsBefore: oldest, eventsBefore: oldest + DAY_MS };
    const clearing = { now, payloadsBefore: oldest + 2 * DAY_MS, eventsBefore: oldest };
    for (const retention of [deleting, deleting, clearing, clearing]) {
      const step = () => ledger.maintenance.prune(retention);
      expect(await walked(step)).toEqual([]);
    }
    const rest = { now, payloadsBefore: 0, eventsBefore: 0 };
    expect(await walked(() => ledger.maintenance.prune(rest))).toEqual([]);
  });
});
