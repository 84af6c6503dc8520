import { postgresLedger } from '../../src/ledger/postgres/index.ts';
import type { EventChanges } from '../../src/hooks/ports/event-store.ts';
import type { Ledger } from '../../src/hooks/ports/ledger.ts';
import { LIMITS, agent, runOf, wake } from '../contracts/ledger/events.ts';
import { ManualClock } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import type { TestDatabase } from '../support/postgres-server.ts';
import { RisingIds } from '../../src/platform/new-id.ts';
import { TOO_LARGE } from '../support/refused.ts';
import { PostgresSuite } from './suite.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const suite = PostgresSuite.inThisFile();

describe('Several instances on one database', () => {
  let database: TestDatabase;
  let clock: ManualClock;
  let ledgers: Ledger[];
  const open = async (own = clock) => {
    const ledger = await postgresLedger({ url: database.url }).open(own);
    ledgers.push(ledger);
    return ledger;
  };
  beforeEach(async () => {
    database = await suite.server.database();
    clock = new ManualClock();
    ledgers = [];
  });
  afterEach(async () => {
    for (const ledger of ledgers) await ledger.maintenance.close();
    await database[Symbol.asyncDispose]();
  });

  const dead = async (ledger: Ledger) => {
    const given = agent('a');
    await ledger.intake.accept(given, LIMITS);
    const [lease] = await ledger.work.claim('turn', 1, new AbortController().signal);
    const end = { type: 'run-update', id: runOf(given.id), status: 'failed' } as const;
    await ledger.work.commit(lease!, { type: 'dead' }, [end]);
    return given.id;
  };

  it('are followed by one who listens to any of them', async () => {
    const [one, other] = [await open(), await open()];
    const stop = new AbortController();
    const feed = (await one.events.follow(undefined, stop.signal))[Symbol.asyncIterator]();
    await feed.next();
    const told: string[] = [];
    const next = feed.next().then(function more({ value, done }): Promise<void> | void {
      if (done === true) return;
      const { events }: EventChanges = value;
      told.push(...events.map(({ id, status }) => `${id} ${status}`));
      return feed.next().then(more);
    });
    const id = await dead(other);
    await eventually('its end is told', () => {
      clock.advance(250);
      return told.includes(`${id} failed`);
    });
    await other.admin.retry(id);
    await eventually('its retry is told', () => {
      clock.advance(250);
      return told.includes(`${id} running`);
    });
    stop.abort();
    await next;
  });

  it('are one in charts, refusals and logins', async () => {
    const [one, other] = [await open(), await open()];
    const ids = new RisingIds(() => clock.now());
    await one.intake.accept(wake({ id: ids.next() }), LIMITS);
    await other.intake.accept(wake({ id: ids.next() }), LIMITS);
    const at = clock.now() - (clock.now() % MINUTE_MS);
    const stranger = { ...TOO_LARGE, at, kind: 'unverified' as const, verifiedBy: null };
    await Promise.all(
      [one, other, one, other].map((ledger) =>
        ledger.refusals.record(
          [
            { ...stranger, client: 'a', count: 2 },
            { ...stranger, client: 'b' },
          ],
          [],
        ),
      ),
    );
    const sums = (await other.refusals.list({ limit: 9 })).refusals;
    expect(sums.map(({ client, count }) => `${client} ${count}`)).toEqual(['b 4', 'a 8']);
    const window = { from: at, stepMs: MINUTE_MS, steps: 1 };
    expect(await one.admin.activity(window)).toMatchObject({ accepted: [2], refused: [12] });
    await one.consoleSessions.start({ digest: 'd', startedAt: 1, endsAt: 2 });
    expect(await other.consoleSessions.find('d')).toMatchObject({ endsAt: 2 });
    await one.admin.setPaused(true);
    expect(await other.admin.isPaused()).toBe(true);
    expect(await other.intake.accept(wake(), LIMITS)).toMatchObject({ outcome: 'paused' });
  });

  it('say the same of the channels, and write of all of them at once', async () => {
    const [one, other] = [await open(), await open()];
    const lastError = { at: 1, since: 1, kind: 'auth', message: 'no', restsUntil: null } as const;
    const both = { lastSuccessAt: 2, lastError };
    const news = { chan_2: both, chan_1: both, chan_3: both };
    await Promise.all(
      Array.from({ length: 40 }, (_, n) => [one, other][n % 2]!.work.noteChannels(news)),
    );
    expect(await one.admin.channelConditions()).toEqual(news);
    expect(await other.admin.channelConditions()).toEqual(news);
  });

  it('know of a channel what was met last, whoever writes it later', async () => {
    const ahead = new ManualClock();
    ahead.jump(HOUR_MS);
    const [one, other] = [await open(), await open(ahead)];
    const at = clock.now();
    const met = (time: number) => ({
      lastSuccessAt: time,
      lastError: {
        at: time,
        since: time,
        kind: 'auth',
        message: 'nul\0 \ud800',
        restsUntil: null,
      } as const,
    });
    const note = (ledger: Ledger, time: number) => ledger.work.noteChannels({ chan_1: met(time) });
    const known = async () => (await one.admin.channelConditions()).chan_1;
    await note(one, at - 1);
    await note(other, at - 2);
    expect(await known()).toEqual(met(at - 1));
    await note(other, at);
    expect(await known()).toEqual(met(at));
    // What a clock that is ahead wrote gives way to whoever knows better.
    await note(other, at + HOUR_MS);
    expect(await known()).toEqual(met(at + HOUR_MS));
    await note(one, at - 3);
    expect(await known()).toEqual(met(at - 3));
  });

  it('retry and dismiss dead work once, whoever asks', async () => {
    const [one, other] = [await open(), await open()];
    for (let n = 0; n < 6; n += 1) await dead(one);
    const all = { limit: 200 };
    const counts = await Promise.all([
      one.admin.retryAll(all),
      other.admin.dismissAll(all),
      one.admin.dismissAll(all),
      other.admin.retryAll(all),
    ]);
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(6);
    expect(await one.admin.dead()).toEqual([]);
  });

  it('forget together what is old, beside each other and whoever accepts', async () => {
    const three = [await open(), await open(), await open()];
    const [one] = three;
    await Promise.all(Array.from({ length: 450 }, () => one!.intake.accept(wake(), LIMITS)));
    clock.advance(31 * DAY_MS);
    const now = clock.now();
    const retention = { now, payloadsBefore: now - 7 * DAY_MS, eventsBefore: now - 30 * DAY_MS };
    const forget = async (ledger: Ledger) => {
      while (await ledger.maintenance.prune(retention));
    };
    const kept = wake({ receivedAt: now });
    await Promise.all([...three.map(forget), one!.intake.accept(kept, LIMITS)]);
    const { events } = await one!.events.list({ limit: 200 });
    expect(events.map(({ id }) => id)).toEqual([kept.id]);
    // What they said still waits, in its own words.
    const main = await one!.events.session('agent:main:main', { limit: 200 });
    expect(main?.pendingSystemEvents[0]).toMatchObject({ text: 'hello' });
  });

  it('forget nothing by the clock of one that is days ahead', async () => {
    const one = await open();
    const given = wake();
    await one.intake.accept(given, LIMITS);
    const forget = (ledger: Ledger, now: number) =>
      ledger.maintenance.prune({
        now,
        payloadsBefore: now - 7 * DAY_MS,
        eventsBefore: now - 30 * DAY_MS,
      });
    await forget(one, clock.now());
    const ahead = new ManualClock(clock.now() + 40 * DAY_MS);
    const other = await open(ahead);
    expect(await forget(other, ahead.now())).toBe(false);
    expect(await one.events.get(given.id)).not.toBeNull();
    // It has stood for a day: then the others are wrong, or everything was off for as long.
    ahead.advance(DAY_MS);
    await forget(other, ahead.now());
    expect(await one.events.get(given.id)).toBeNull();
  });
});
