import { SystemClock } from '../../src/hooks/ports/clock.ts';
import type { Ledger } from '../../src/hooks/ports/ledger.ts';
import { postgresLedger } from '../../src/ledger/postgres/index.ts';
import {
  LIMITS,
  MAIN,
  agent,
  event,
  key,
  systemEvent,
  wake,
  wakeAction,
} from '../contracts/ledger/events.ts';
import { eventually } from '../support/eventually.ts';
import type { TestDatabase } from '../support/postgres-server.ts';
import { ask } from './ask.ts';
import { CuttingProxy } from './cutting-proxy.ts';
import { PostgresSuite } from './suite.ts';

const KEPT_UNTIL = Date.now() + 3_600_000;
const ALL_LINES = { maxEvents: 100, maxBytes: 1e6, maxHistoryCharacters: 0 };

describe('A ledger in PostgreSQL that foresees what it would read', () => {
  const suite = PostgresSuite.inThisFile();
  let database: TestDatabase;
  const ledgers: Ledger[] = [];

  const open = async (url = database.url) => {
    const ledger = await postgresLedger({ url, search: false }).open(new SystemClock());
    ledgers.push(ledger);
    return ledger;
  };
  /** Nothing is foreseen of sessions that were never read, and by connections that never answered. */
  const openKnowing = async (url?: string) => {
    const ledger = await open(url);
    await expectAccepted(ledger, wake());
    return ledger;
  };
  const expectAccepted = async (ledger: Ledger, given: ReturnType<typeof event>, limits = LIMITS) =>
    expect(await ledger.intake.accept(given, limits)).toMatchObject({ outcome: 'accepted' });
  const keyed = () =>
    event({
      keys: [key('same', 'd', KEPT_UNTIL)],
      actions: [wakeAction([systemEvent()])],
    });
  const lines = async (ledger: Ledger) =>
    (await ledger.sessions.context(MAIN, ALL_LINES)).pending.map(({ text }) => text);

  beforeEach(async () => {
    database = await suite.server.database();
  });
  afterEach(async () => {
    await Promise.all(ledgers.splice(0).map(({ maintenance }) => maintenance.close()));
    await database[Symbol.asyncDispose]();
  });

  it.each([
    ['a wake', () => wake()],
    ['a wake with a key', keyed],
    ['a run', () => agent('a')],
  ])('stores %s before the database has answered anything', async (_what, given) => {
    await using proxy = await CuttingProxy.start(suite.server);
    const ledger = await openKnowing(proxy.url(database.name));
    proxy.holdAnswers(true);
    const accepting = expectAccepted(ledger, given());
    await eventually('it is stored', async () => {
      return (await ask(database.url, 'SELECT id FROM hooks.events')).length === 2;
    });
    proxy.holdAnswers(false);
    await accepting;
  });

  it('goes on behind the lines that another instance has added', async () => {
    const [one, other] = [await openKnowing(), await open()];
    const say = (text: string) => event({ actions: [wakeAction([systemEvent({ text })])] });
    await expectAccepted(other, say('theirs'));
    await expectAccepted(one, say('ours'));
    expect(await lines(one)).toEqual(['hello', 'theirs', 'ours']);
  });

  it('counts the lines that another instance has added, and those that it has taken', async () => {
    const limits = { maxSystemEvents: 2 };
    const [one, other] = [await openKnowing(), await open()];
    await expectAccepted(other, wake());
    expect(await one.intake.accept(wake(), limits)).toEqual({ outcome: 'full' });
    await expectAccepted(other, agent('a'));
    const [lease] = await other.work.claim('turn', 1, new AbortController().signal);
    const taken = { type: 'consume', session: MAIN, through: Number.MAX_SAFE_INTEGER } as const;
    expect(await other.work.commit(lease!, { type: 'done' }, [taken])).toBe(true);
    await expectAccepted(one, wake(), limits);
    expect(await lines(one)).toEqual(['hello']);
  });

  it('knows a key that another instance has taken', async () => {
    const [one, other] = [await openKnowing(), await open()];
    await expectAccepted(other, keyed());
    expect(await one.intake.accept(keyed(), LIMITS)).toMatchObject({ outcome: 'replayed' });
    expect(await lines(one)).toHaveLength(2);
  });

  it('is paused by another instance', async () => {
    const [one, other] = [await openKnowing(), await open()];
    await other.admin.setPaused(true);
    expect(await one.intake.accept(wake(), LIMITS)).toEqual({ outcome: 'paused' });
    await other.admin.setPaused(false);
    await expectAccepted(one, wake());
    expect(await lines(one)).toHaveLength(2);
  });

  it('queues a run behind that of another instance', async () => {
    const [one, other] = [await openKnowing(), await open()];
    await expectAccepted(other, agent('a'));
    await expectAccepted(one, agent('a'));
    const stages = await ask(database.url, 'SELECT stage FROM hooks.work ORDER BY id');
    expect(stages).toEqual([{ stage: 'ready' }, { stage: 'blocked' }]);
  });
});
