import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sqliteLedger } from '../../src/adapters/sqlite/index.ts';
import type { Ledger } from '../../src/hooks/ports/ledger.ts';
import { ManualClock } from '../support/clocks.ts';
import { LIMITS, MAIN, key, wake } from './ledger/events.ts';

const FIXTURE = join(import.meta.dirname, '../fixtures/ledger-version-1.sql');
/** Of the fixture's events, by their numbers. */
const id = (n: number) => `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`;

/**
 * The fixture is what version 1 (78dfe3f) wrote for five requests, its process killed during the fourth: 1 a wake with an
 * idempotency key, whose heartbeat waits; 2 a run that succeeded, whose reply was cut into three parts and one sent; 3 a
 * dead run; 4 a run whose agent can act, under way; 5 a run behind it.
 */
describe('a ledger that version 1 wrote', () => {
  let dir: string;
  let ledger: Ledger;
  let clock: ManualClock;
  const { signal } = new AbortController();

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ledger-'));
    const db = new DatabaseSync(join(dir, 'ledger.db'));
    db.exec(await readFile(FIXTURE, 'utf8'));
    db.close();
    clock = new ManualClock();
    ledger = await sqliteLedger({ dir }).open(clock);
  });
  afterEach(async () => {
    await ledger.maintenance.close();
    await rm(dir, { recursive: true });
  });

  it('gives its work with its jobs, in order, and knows what was interrupted', async () => {
    const [turn] = await ledger.work.claim('turn', 9, signal);
    expect(turn).toMatchObject({ kind: 'run', eventId: id(4), attempt: 2, crashes: 1 });
    expect(turn).toMatchObject({ mayHaveActed: true, job: { v: 1, message: 'message 4' } });
    await ledger.work.commit(turn!, { type: 'done' }, []);
    const [next] = await ledger.work.claim('turn', 9, signal);
    expect(next).toMatchObject({ eventId: id(5), job: { message: 'message 5' } });
    clock.advance(60_000);
    const [heartbeat] = await ledger.work.claim('turn', 9, signal);
    expect(heartbeat).toMatchObject({ kind: 'heartbeat', key: MAIN, job: { agentId: 'main' } });
  });

  it('sends what is left of a reply', async () => {
    const [lease] = await ledger.work.claim('delivery', 9, signal);
    const part = { text: 'two', place: 2, count: 3 };
    expect(lease).toMatchObject({ part, job: { deliveryId: 'delivery-2', to: '42', text: '' } });
    await ledger.work.commit(lease!, { type: 'continue' }, []);
    const [last] = await ledger.work.claim('delivery', 9, signal);
    expect(last).toMatchObject({ part: { text: 'three', place: 3 } });
  });

  it('does a dead run anew', async () => {
    expect(await ledger.admin.retry(id(3))).toBe(1);
    const leases = await ledger.work.claim('turn', 9, signal);
    expect(leases).toContainEqual(
      expect.objectContaining({ eventId: id(3), job: expect.objectContaining({ name: 'Hook' }) }),
    );
  });

  it('knows its events, sessions and idempotency keys', async () => {
    const { events } = await ledger.events.list({ limit: 9 });
    expect(events.map((event) => [event.id, event.status])).toEqual([
      [id(5), 'accepted'],
      [id(4), 'running'],
      [id(3), 'failed'],
      [id(2), 'running'],
      [id(1), 'running'],
    ]);
    expect(await ledger.events.get(id(1))).toMatchObject({
      console: ['a line'],
      heartbeat: 'requested',
      warnings: ['a warning'],
      request: { path: '/hooks/wake', payload: { text: 'hello' } },
    });
    expect(await ledger.events.get(id(2))).toMatchObject({
      runs: [{ status: 'succeeded', reply: 'one two three', usage: { outputTokens: 2 } }],
      deliveries: [{ status: 'pending', to: '42' }],
    });
    expect(await ledger.events.session(MAIN)).toMatchObject({
      lastRoute: { channel: 'chan_1', to: '42' },
      pendingSystemEvents: [{ text: 'hello' }],
    });
    const known = key('k', 'd', clock.now() + 1000);
    expect(await ledger.intake.accept(wake({ keys: [known] }), LIMITS)).toMatchObject({
      outcome: 'replayed',
      receipt: { eventId: id(1), actions: [{ kind: 'wake', mode: 'now' }] },
    });
  });
});
