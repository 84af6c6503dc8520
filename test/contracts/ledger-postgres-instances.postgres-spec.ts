import { Client } from 'pg';
import { postgresLedger } from '../../src/ledger/postgres/index.ts';
import { SystemClock } from '../../src/hooks/ports/clock.ts';
import type { Clock } from '../../src/hooks/ports/clock.ts';
import { HEARTBEAT_COALESCE_MS, immediateHeartbeat } from '../../src/hooks/ports/jobs.ts';
import { LedgerUnavailable } from '../../src/hooks/ports/ledger.ts';
import type { Ledger } from '../../src/hooks/ports/ledger.ts';
import { LEASE_MS } from '../../src/hooks/ports/work-ledger.ts';
import type { Lease, StepOutcome } from '../../src/hooks/ports/work-ledger.ts';
import { PostgresSuite } from '../postgres/suite.ts';
import { ManualClock } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import type { TestDatabase } from '../support/postgres-server.ts';
import {
  LIMITS,
  MAIN,
  agent,
  event,
  key,
  runOf,
  systemEvent,
  wake,
  wakeAction,
} from './ledger/events.ts';
import { claimNow } from './ledger/store.ts';

const DONE: StepOutcome = { type: 'done' };
/** Two instances do not measure the clock of the database in the same millisecond. */
const SLACK_MS = 5000;
const SHOWN = { maxEvents: 50, maxBytes: 1e6, maxHistoryCharacters: 0 };

describe('Ledgers of one PostgreSQL database', () => {
  const suite = PostgresSuite.inThisFile();
  const { signal } = new AbortController();
  let database: TestDatabase;
  let ledgers: Ledger[];
  let one: Ledger;
  let other: Ledger;

  const open = async (clock: Clock, count = 2) => {
    const provider = postgresLedger({ url: database.url });
    ledgers = await Promise.all(Array.from({ length: count }, () => provider.open(clock)));
    [one, other] = ledgers as [Ledger, Ledger];
  };
  const accept = async (ledger: Ledger, session: string) => {
    const given = agent(session);
    expect(await ledger.intake.accept(given, LIMITS)).toMatchObject({ outcome: 'accepted' });
    return given.id;
  };
  const claim = async (ledger: Ledger, max = 9) => ledger.work.claim('turn', max, signal);

  beforeEach(async () => {
    database = await suite.server.database();
  });
  afterEach(async () => {
    await Promise.all(ledgers.map(({ maintenance }) => maintenance.close()));
    await database[Symbol.asyncDispose]();
  });

  describe('tell each other', () => {
    beforeEach(() => open(new ManualClock()));

    it('of a pause, and of its end', async () => {
      await one.admin.setPaused(true);
      expect(await other.intake.accept(wake(), LIMITS)).toEqual({ outcome: 'paused' });
      const waiting = claim(other, 1);
      await one.admin.setPaused(false);
      const id = await accept(one, 'a');
      expect(await waiting).toMatchObject([{ eventId: id }]);
    });

    it('of the end of a step: the next of its key is up wherever somebody waits', async () => {
      const first = await accept(one, 'a');
      const second = await accept(other, 'a');
      const [lease] = await claim(one);
      expect(lease?.eventId).toBe(first);
      const waiting = claim(other, 1);
      await one.work.commit(lease!, DONE, []);
      expect(await waiting).toMatchObject([{ eventId: second }]);
    });
  });

  describe('share', () => {
    let clock: ManualClock;
    beforeEach(() => open((clock = new ManualClock())));

    it('idempotency keys: of many at once, in both, one is accepted', async () => {
      const all = Array.from({ length: 20 }, (_, n) =>
        ledgers[n % 2]!.intake.accept(wake({ keys: [key('a')] }), LIMITS),
      );
      const outcomes = (await Promise.all(all)).map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === 'replayed')).toHaveLength(19);
      expect((await one.sessions.context(MAIN, SHOWN)).pending).toHaveLength(1);
    });

    it('heartbeats: of many asked for at once, in both, one is done', async () => {
      const beat = () => immediateHeartbeat('main', clock.now());
      await Promise.all(Array.from({ length: 20 }, (_, n) => ledgers[n % 2]!.work.add(beat())));
      clock.advance(HEARTBEAT_COALESCE_MS);
      const claims = [claim(one, 1), claim(other, 1)];
      expect(await Promise.race(claims)).toMatchObject([{ kind: 'heartbeat', key: MAIN }]);
      // Whoever got none gets what comes next.
      await accept(one, 'a');
      const kinds = (await Promise.all(claims)).flat().map(({ kind }) => kind);
      expect(kinds.toSorted()).toEqual(['heartbeat', 'run']);
    });

    const alert = (session = 'a') => {
      const given = agent(session, { mapping: 'alerts' });
      const changes = given.actions[0]!.changes.map((change) =>
        change.type === 'work' ? { ...change, work: { ...change.work, hook: 'alerts' } } : change,
      );
      return { ...given, actions: [{ ...given.actions[0]!, changes }] };
    };

    it('places of a hook: of many runs at once, in both, as many are accepted as there are places', async () => {
      const queued = { ...LIMITS, maxQueued: 30 };
      const all = Array.from({ length: 200 }, async (_, n) => {
        // They do not all come in one moment.
        for (let wait = 0; wait < n % 20; wait += 1) await ledgers[n % 2]!.admin.isPaused();
        return ledgers[n % 2]!.intake.accept(alert(`s${n}`), queued);
      });
      const outcomes = (await Promise.all(all)).map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(30);
      expect(outcomes.filter((outcome) => outcome === 'hook-full')).toHaveLength(170);
    });
  });

  describe('take over from each other', () => {
    let clock: ManualClock;
    beforeEach(() => open((clock = new ManualClock())));

    it('a lease that ran out, counted as a crash; who slept writes nothing', async () => {
      const id = await accept(one, 'a');
      const behind = await accept(one, 'a');
      const [lost] = await claim(one);
      expect(await one.work.noteActing(lost!)).toBe(true);
      expect(await claimNow(other, clock)).toEqual([]);
      clock.advance(LEASE_MS + SLACK_MS);
      const [lease] = await claim(other);
      expect(lease).toMatchObject({ eventId: id, attempt: 2, crashes: 1, mayHaveActed: true });
      const reply = { type: 'run-update', id: runOf(id), status: 'succeeded', reply: 'r' } as const;
      expect(await one.work.renew(lost!)).toBe(false);
      expect(await one.work.noteActing(lost!)).toBe(false);
      expect(await one.work.commit(lost!, DONE, [reply, systemEvent()])).toBe(false);
      const details = await one.events.get(id);
      expect(details?.runs).toMatchObject([{ status: 'running', attempts: 2, reply: null }]);
      expect((await one.sessions.context(MAIN, SHOWN)).pending).toEqual([]);
      expect(await other.work.commit(lease!, DONE, [reply])).toBe(true);
      expect(await claim(one)).toMatchObject([{ eventId: behind }]);
    });

    it('nothing of a lease that is renewed', async () => {
      await accept(one, 'a');
      const [lease] = await claim(one);
      for (let n = 0; n < 4; n += 1) {
        clock.advance(LEASE_MS / 2);
        expect(await one.work.renew(lease!)).toBe(true);
        expect(await claimNow(other, clock)).toEqual([]);
      }
    });

    it('nothing because the database was away: each has the time to renew what he holds', async () => {
      await accept(one, 'a');
      const [lease] = await claim(one);
      await suite.server.stop('immediate');
      await expect(claim(other)).rejects.toThrow(LedgerUnavailable);
      clock.advance(2 * LEASE_MS);
      await expect(claim(other)).rejects.toThrow(LedgerUnavailable);
      await suite.server.resume();
      expect(await claimNow(other, clock)).toEqual([]);
      expect(await one.work.renew(lease!)).toBe(true);
      clock.advance(LEASE_MS + SLACK_MS);
      expect(await claim(other)).toMatchObject([{ attempt: 2, crashes: 1 }]);
    });

    it('what was leased with an answer that came too late, and it counts as no crash', async () => {
      const id = await accept(one, 'a');
      const locker = new Client({ connectionString: database.url });
      await locker.connect();
      await locker.query('BEGIN; LOCK TABLE hooks.work');
      const late = claim(one);
      await eventually('it waits', async () => {
        const waits = await suite.server.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = $1 AND wait_event_type = 'Lock'`,
          [database.name],
        );
        return waits.length > 0;
      });
      clock.advance(2 * LEASE_MS);
      await locker.query('ROLLBACK');
      await locker.end();
      const [lease] = await late;
      expect(lease).toMatchObject({ eventId: id, attempt: 2, crashes: 0 });
      expect(await claimNow(other, clock)).toEqual([]);
      expect(await one.work.commit(lease!, DONE, [])).toBe(true);
    });

    it('what was in hand of one that was closed, at once', async () => {
      const id = await accept(one, 'a');
      await claim(one);
      const waiting = claim(other);
      await one.maintenance.close();
      expect(await waiting).toMatchObject([{ eventId: id, attempt: 2, crashes: 1 }]);
    });
  });

  describe('count the runs of all', () => {
    const TOTAL = 2;
    const limits = () => ({ maxRuns: 9, maxRunsTotal: TOTAL });
    const claimOf = (ledger: Ledger, max = 9, stop = signal) =>
      ledger.work.claim('turn', max, stop, limits);
    const acceptMany = (count: number) =>
      Promise.all(Array.from({ length: count }, (_, n) => accept(ledgers[n % 2]!, `s${n}`)));

    it('those of one that died, until its leases have ended', async () => {
      const clock = new ManualClock();
      await open(clock);
      await acceptMany(4);
      expect(await claimOf(one)).toHaveLength(TOTAL);
      const waiting = claimOf(other);
      await other.work.add(immediateHeartbeat('main', clock.now(), clock.now()));
      expect(await waiting).toMatchObject([{ kind: 'heartbeat' }]);
      clock.advance(LEASE_MS + SLACK_MS);
      expect(await claimOf(other)).toHaveLength(TOTAL);
    });

    it('at every moment, whoever claims at the same time, and all of them are done', async () => {
      const runs = 200;
      await open(new SystemClock(), 3);
      await acceptMany(runs);
      const done = new Set<string>();
      let most = 0;
      const stop = new AbortController();
      const perform = async (ledger: Ledger, lease: Lease) => {
        const counts = await ledger.admin.counts();
        most = Math.max(most, counts.find(({ state }) => state === 'running')!.count);
        await ledger.work.commit(lease, DONE, []);
        done.add(lease.eventId!);
        if (done.size === runs) stop.abort();
      };
      const loop = async (ledger: Ledger) => {
        while (!stop.signal.aborted) {
          const leases = await claimOf(ledger, 9, stop.signal);
          await Promise.all(leases.map((lease) => perform(ledger, lease)));
        }
      };
      await Promise.all(ledgers.map(loop));
      expect(most).toBe(TOTAL);
    });
  });

  describe('under load', () => {
    const SESSIONS = 8;
    const EVENTS = 1200;

    beforeEach(() => open(new SystemClock(), 3));

    it('work on each session in order, one at a time, and lose nothing', async () => {
      const accepted = new Map<string, string[]>();
      const begun = new Map<string, string[]>();
      const working = new Set<string>();
      const faults: string[] = [];
      const stop = new AbortController();
      let left = EVENTS;
      const perform = async (ledger: Ledger, lease: Lease) => {
        if (working.has(lease.key)) faults.push(`two at a time: ${lease.key}`);
        working.add(lease.key);
        begun.get(lease.key)!.push(lease.eventId!);
        await ledger.work.noteActing(lease);
        await ledger.work.renew(lease);
        working.delete(lease.key);
        const { eventId } = lease;
        const changes = [
          { type: 'run-update', id: lease.ref!, status: 'succeeded', finishedAt: 1 },
          // All of them write to one session and to one heartbeat.
          systemEvent({ eventId: eventId!, asksHeartbeat: false, text: eventId! }),
          { type: 'work', work: immediateHeartbeat('main', Date.now() + 3_600_000) },
        ] as const;
        if (!(await ledger.work.commit(lease, DONE, changes))) faults.push('a lease was lost');
        left -= 1;
        if (left === 0) stop.abort();
      };
      const loop = async (ledger: Ledger) => {
        const under = new Set<Promise<void>>();
        while (!stop.signal.aborted) {
          for (const lease of await ledger.work.claim('turn', 4, stop.signal)) {
            const step = perform(ledger, lease).finally(() => under.delete(step));
            under.add(step);
          }
          if (under.size >= 4) await Promise.race(under);
        }
        await Promise.all(under);
      };
      for (let n = 0; n < SESSIONS; n += 1) {
        accepted.set(`agent:main:s${n}`, []);
        begun.set(`agent:main:s${n}`, []);
      }
      // A sender of each session waits for the answer, and sends the next one to another instance.
      const send = async (n: number) => {
        for (let count = 0; count < EVENTS / SESSIONS; count += 1) {
          const given = agent(`s${n}`);
          const answer = await ledgers[(n + count) % 3]!.intake.accept(given, {
            maxSystemEvents: 10 * EVENTS,
          });
          if (answer.outcome !== 'accepted') faults.push(answer.outcome);
          accepted.get(`agent:main:s${n}`)!.push(given.id);
        }
      };
      const senders = Array.from({ length: SESSIONS }, (_, n) => send(n));
      await Promise.all([...senders, ...ledgers.map(loop)]);
      expect(faults).toEqual([]);
      expect(begun).toEqual(accepted);
      const { events } = await one.events.list({ limit: 1, status: 'running' });
      expect(events).toEqual([]);
      expect(suite.server.log).not.toContain('deadlock detected');
    });

    it('show each line of a session once and in order, whoever adds and whoever takes away', async () => {
      const total = 600;
      const shown: string[] = [];
      const texts: string[][] = [[], [], []];
      const add = async (n: number) => {
        for (let count = 0; count < total / 3; count += 1) {
          const text = `${n}-${count}`;
          const given = event({ actions: [wakeAction([systemEvent({ text })])] });
          await ledgers[n]!.intake.accept(given, { maxSystemEvents: total });
          texts[n]!.push(text);
        }
      };
      // Turns of the session, in one instance after the other.
      const take = async () => {
        for (let turn = 0; shown.length < total; turn += 1) {
          const ledger = ledgers[turn % 3]!;
          await ledger.work.add({ ...immediateHeartbeat('main', Date.now(), Date.now()) });
          const [lease] = await ledger.work.claim('turn', 1, signal);
          const { pending } = await ledger.sessions.context(MAIN, SHOWN);
          shown.push(...pending.map(({ text }) => text));
          const through = pending.at(-1)?.seq ?? 0;
          const consume = { type: 'consume', session: MAIN, through } as const;
          await ledger.work.commit(lease!, DONE, [consume]);
        }
      };
      await Promise.all([...[0, 1, 2].map(add), take()]);
      expect(shown).toHaveLength(total);
      for (const [n, own] of texts.entries()) {
        expect(shown.filter((text) => text.startsWith(`${n}-`))).toEqual(own);
      }
    });
  });
});
