import { setTimeout as pause } from 'node:timers/promises';
import { postgresLedger } from '../../src/ledger/postgres/index.ts';
import { SystemClock } from '../../src/hooks/ports/clock.ts';
import type { NewEvent } from '../../src/hooks/ports/event.ts';
import { LedgerUnavailable } from '../../src/hooks/ports/ledger.ts';
import type { Ledger } from '../../src/hooks/ports/ledger.ts';
import { CuttingProxy } from '../postgres/cutting-proxy.ts';
import { PostgresSuite } from '../postgres/suite.ts';
import { eventually } from '../support/eventually.ts';
import type { TestDatabase } from '../support/postgres-server.ts';
import { LIMITS, MAIN, agent, wake } from './ledger/events.ts';

const ROOMY = { maxSystemEvents: 1_000_000 };

class Sent {
  readonly accepted: string[] = [];
  readonly refused: string[] = [];
  readonly faults: unknown[] = [];

  async send(ledger: Ledger, given: NewEvent): Promise<boolean> {
    try {
      const { outcome } = await ledger.intake.accept(given, ROOMY);
      if (outcome !== 'accepted') this.faults.push(outcome);
      this.accepted.push(given.id);
      return true;
    } catch (error) {
      if (error instanceof LedgerUnavailable) this.refused.push(given.id);
      else this.faults.push(error);
      return false;
    }
  }
}

describe('A ledger in PostgreSQL in trouble', () => {
  const suite = PostgresSuite.inThisFile();
  let database: TestDatabase;
  let ledger: Ledger;

  const stored = async (): Promise<string[]> => {
    const { events } = await ledger.events.list({ limit: 1 });
    expect(events.length).toBeLessThanOrEqual(1);
    const rows = await inDatabase('SELECT id FROM hooks.events');
    return rows.map(({ id }) => String(id));
  };
  const inDatabase = async (sql: string) => {
    const { Client } = await import('pg');
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  };
  /** Every answer was true: what was accepted is there once, and nothing is there that was refused. */
  const expectKept = async ({ accepted, refused, faults }: Sent) => {
    const ids = await stored();
    expect(faults).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.toSorted()).toEqual(accepted.toSorted());
    expect(refused.filter((id) => ids.includes(id))).toEqual([]);
  };
  const sendUntil = (sent: Sent, stop: AbortSignal, senders = 16) =>
    Promise.all(
      Array.from({ length: senders }, async () => {
        while (!stop.aborted) {
          if (await sent.send(ledger, wake())) continue;
          await pause(20);
        }
      }),
    );

  beforeEach(async () => {
    database = await suite.server.database();
    const provider = postgresLedger({ url: database.url, connections: 4, search: false });
    ledger = await provider.open(new SystemClock());
  });
  afterEach(async () => {
    await ledger.maintenance.close();
    await database[Symbol.asyncDispose]();
  });

  it('keeps every accepted event when the server dies under load, and goes on when it is back', async () => {
    const sent = new Sent();
    const stop = new AbortController();
    const sending = sendUntil(sent, stop.signal);
    await eventually('events come', () => sent.accepted.length > 200);
    await suite.server.stop('immediate');
    const before = sent.accepted.length;
    await eventually('senders are refused', () => sent.refused.length > 16);
    await suite.server.resume();
    await eventually('events come again', () => sent.accepted.length > before + 100);
    stop.abort();
    await sending;
    await expectKept(sent);
    const { pending } = await ledger.sessions.context(MAIN, {
      maxEvents: 1e6,
      maxBytes: 1e9,
      maxHistoryCharacters: 0,
    });
    expect(pending).toHaveLength(sent.accepted.length);
  });

  it('writes nothing of an event whose transaction could not begin', async () => {
    await using proxy = await CuttingProxy.start(suite.server);
    const url = proxy.url(database.name);
    const past = await postgresLedger({ url, search: false }).open(new SystemClock());
    proxy.spoil('BEGIN');
    await expect(past.intake.accept(wake(), LIMITS)).rejects.toThrow();
    expect(await stored()).toEqual([]);
    expect(await past.intake.accept(wake(), LIMITS)).toMatchObject({ outcome: 'accepted' });
    await past.maintenance.close();
  });

  it('asks for an event again whose connection was cut, before it is refused', async () => {
    const sent = new Sent();
    const stop = new AbortController();
    const sending = sendUntil(sent, stop.signal);
    for (let cut = 0; cut < 30; cut += 1) {
      const { length } = sent.accepted;
      await suite.server.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1`,
        [database.name],
      );
      await eventually('events come again', () => sent.accepted.length > length + 20);
    }
    stop.abort();
    await sending;
    await expectKept(sent);
  });

  it('does work that was claimed when the connection was cut, without counting a crash', async () => {
    const stop = new AbortController();
    const count = 40;
    const ends: number[] = [];
    for (let n = 0; n < count; n += 1) await ledger.intake.accept(agent(`s${n}`), LIMITS);
    // Now and then, so that work gets on: every claim of that moment is cut.
    const cutting = (async () => {
      for (let cut = 0; cut < 15 && ends.length < count; cut += 1) {
        await suite.server.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = $1 AND query LIKE '%claim%'`,
          [database.name],
        );
        await pause(20);
      }
    })();
    while (ends.length < count && !stop.signal.aborted) {
      try {
        for (const lease of await ledger.work.claim('turn', 1, stop.signal)) {
          expect(lease.crashes).toBe(0);
          await eventually('its end is written', () =>
            ledger.work.commit(lease, { type: 'done' }, []).catch(() => false),
          );
          ends.push(lease.workId);
        }
      } catch (error) {
        expect(error).toBeInstanceOf(LedgerUnavailable);
        await pause(5);
      }
    }
    stop.abort();
    await cutting;
    expect(new Set(ends).size).toBe(count);
    expect(await inDatabase('SELECT 1 FROM hooks.work')).toEqual([]);
  });

  it('keeps work under a key of any length', async () => {
    const { signal } = new AbortController();
    const key = `chan_1 ${Array.from({ length: 5000 }, (_, n) => (n * 7919).toString(36)).join('')}`;
    const given = agent('a');
    const job = { v: 1, agentId: 'main', isPeriodic: false } as const;
    const work = { lane: 'delivery', kind: 'heartbeat', dueAt: 0, job } as const;
    await ledger.intake.accept(given, LIMITS);
    const [run] = await ledger.work.claim('turn', 1, signal);
    const changes = [key, key, `${key}x`].map(
      (each) => ({ type: 'work', work: { ...work, key: each } }) as const,
    );
    expect(await ledger.work.commit(run!, { type: 'done' }, changes)).toBe(true);
    const leases = await ledger.work.claim('delivery', 9, signal);
    expect(leases).toHaveLength(2);
    expect(await ledger.work.commit(leases[0]!, { type: 'done' }, [])).toBe(true);
    expect(await ledger.work.claim('delivery', 9, signal)).toHaveLength(1);
  });

  it('refuses what the database cancels, and stores nothing of it', async () => {
    await suite.server.query(`ALTER DATABASE ${database.name} SET statement_timeout = '200ms'`);
    await suite.server.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1`,
      [database.name],
    );
    const { Client } = await import('pg');
    const locker = new Client({ connectionString: database.url });
    await locker.connect();
    await locker.query('BEGIN; LOCK TABLE hooks.events');
    const sent = new Sent();
    await eventually('it is refused', async () => {
      await sent.send(ledger, wake());
      return sent.refused.length > 0;
    });
    await locker.query('ROLLBACK');
    await locker.end();
    await eventually('it is accepted', () => sent.send(ledger, wake()));
    await expectKept(sent);
  });

  it('accepts while all connections for other things are in use, and says so of those', async () => {
    const { Client } = await import('pg');
    const locker = new Client({ connectionString: database.url });
    await locker.connect();
    await locker.query('BEGIN; LOCK TABLE hooks.turns');
    const context = () =>
      ledger.sessions.context(MAIN, { maxEvents: 1, maxBytes: 1, maxHistoryCharacters: 1 });
    const busy = Array.from({ length: 12 }, () =>
      context().then(
        () => null,
        (error) => error,
      ),
    );
    const sent = new Sent();
    expect(await sent.send(ledger, wake())).toBe(true);
    const errors = (await Promise.race([Promise.any(busy), busy[11]!])) as unknown;
    expect(errors).toBeInstanceOf(LedgerUnavailable);
    await locker.query('ROLLBACK');
    await locker.end();
    await Promise.all(busy);
    await expectKept(sent);
  });
});
