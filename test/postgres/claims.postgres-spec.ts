import { hash } from 'node:crypto';
import { Client } from 'pg';
import { postgresLedger } from '../../src/ledger/postgres/index.ts';
import { SystemClock } from '../../src/hooks/ports/clock.ts';
import type { Ledger } from '../../src/hooks/ports/ledger.ts';
import type { ClaimLimits, Lease } from '../../src/hooks/ports/work-ledger.ts';
import { LIMITS, agent, delivery } from '../contracts/ledger/events.ts';
import { eventually } from '../support/eventually.ts';
import type { TestDatabase } from '../support/postgres-server.ts';
import { ask } from './ask.ts';
import { PostgresSuite } from './suite.ts';

class Listener implements AsyncDisposable {
  readonly lanes: unknown[] = [];

  private constructor(private readonly client: Client) {}

  static async on(url: string): Promise<Listener> {
    const listener = new Listener(new Client({ connectionString: url }));
    const { client, lanes } = listener;
    client.on('notification', ({ payload = '' }) => {
      lanes.push(...(JSON.parse(payload).lanes ?? []));
    });
    await client.connect();
    await client.query(`LISTEN hooks_${hash('sha256', 'hooks').slice(0, 16)}`);
    return listener;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.end();
  }
}

describe('Claims', () => {
  const suite = PostgresSuite.inThisFile({
    settings: {
      shared_preload_libraries: 'auto_explain',
      'auto_explain.log_min_duration': '0',
      'auto_explain.log_nested_statements': 'on',
    },
  });
  const { signal } = new AbortController();
  let database: TestDatabase;
  let one: Ledger;
  let other: Ledger;
  beforeEach(async () => {
    database = await suite.server.database();
    const provider = postgresLedger({ url: database.url, search: false });
    [one, other] = await Promise.all([
      provider.open(new SystemClock()),
      provider.open(new SystemClock()),
    ]);
    // Each has the connections that it needs, so that nobody is late for want of one.
    const asking = [one, one, one, other, other, other].map(({ admin }) => admin.counts());
    await Promise.all(asking);
  });
  afterEach(async () => {
    await Promise.all([one, other].map(({ maintenance }) => maintenance.close()));
    await database[Symbol.asyncDispose]();
  });

  const accept = async (...sessions: readonly string[]) => {
    for (const session of sessions) await one.intake.accept(agent(session), LIMITS);
  };
  const claim = (max: number, limits: ClaimLimits = {}, ledger = one) =>
    ledger.work.claim('turn', max, signal, () => limits);
  const end = (lease: Lease) => one.work.commit(lease, { type: 'done' }, []);
  const plansOf = async (act: () => Promise<unknown>) => {
    const from = suite.server.log.length;
    await act();
    return suite.server.log.slice(from);
  };
  const claimsIn = (log: string) => log.match(/Query Text: SELECT "hooks"\.claim_/gu)?.length ?? 0;
  const claimsDuring = async (act: () => Promise<unknown>) => claimsIn(await plansOf(act));

  it('read nothing of what goes on waiting, though planned while nothing waited', async () => {
    await accept('first');
    await ask(database.url, 'ANALYZE');
    const [first] = await claim(1);
    await end(first!);
    for (let n = 0; n < 200; n += 1) await accept(`waits ${n}`);
    const plans = await plansOf(() => claim(1));
    expect(plans).toContain('Query Text: SELECT "hooks".claim_');
    expect(plans.match(/(?:using|Index Scan on) (?:work_waiting|events_by_status)/gu)).toBeNull();
  });

  it('that found less than they asked for wait: a place that becomes free costs one', async () => {
    const limits = { maxRuns: 1 };
    await accept('a', 'b', 'c');
    const [first] = await claim(2, limits);
    const asked = await claimsDuring(async () => {
      const next = claim(1, limits);
      // There and back, so that it could have looked before.
      await one.admin.counts();
      await end(first!);
      expect(await next).toMatchObject([{ key: 'agent:main:b' }]);
    });
    expect(asked).toBe(1);
    // Other limits are another question.
    expect(await claim(1, { maxRuns: 2 })).toMatchObject([{ key: 'agent:main:c' }]);
  });

  it('that found as much as they asked for leave the rest to the next', async () => {
    await accept('a', 'b');
    expect(await claim(1)).toMatchObject([{ key: 'agent:main:a' }]);
    expect(await claim(1)).toMatchObject([{ key: 'agent:main:b' }]);
  });

  it('of other instances are not told of a place that became free here', async () => {
    await using listener = await Listener.on(database.url);
    await accept('a');
    const [run] = await claim(1);
    await one.work.commit(run!, { type: 'done' }, delivery(run!.eventId!));
    await eventually('of the delivery is told', () => listener.lanes.includes('delivery'));
    const [sent] = await one.work.claim('delivery', 1, signal);
    const before = listener.lanes.length;
    const waiting = claim(1, {}, other);
    await end(sent!);
    await accept('b');
    expect(await waiting).toMatchObject([{ key: 'agent:main:b' }]);
    // Whoever claims may find it before others are told.
    const told = () => listener.lanes.slice(before);
    await eventually('of the run is told', () => told().includes('turn'));
    expect(new Set(told())).toEqual(new Set(['turn']));
  });

  it('of other instances are told where the runs of all are counted', async () => {
    const limits = { maxRunsTotal: 1 };
    await accept('a', 'b');
    const [lease] = await claim(1, limits);
    const waiting = claim(1, limits, other);
    await end(lease!);
    expect(await waiting).toMatchObject([{ key: 'agent:main:b' }]);
  });

  it('look when a lease was lost, whose place is free', async () => {
    const limits = { maxRuns: 1 };
    await accept('a', 'b');
    const [lost] = await claim(2, limits);
    await ask(
      database.url,
      `UPDATE hooks.work SET instance = gen_random_uuid() WHERE id = ${lost!.workId}`,
    );
    const next = claim(1, limits);
    expect(await end(lost!)).toBe(false);
    expect(await next).toMatchObject([{ key: 'agent:main:b' }]);
  });
});
