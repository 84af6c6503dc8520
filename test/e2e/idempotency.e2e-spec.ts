import { OperatorRequests } from '../../src/index.ts';
import { ManualClock } from '../support/clocks.ts';
import { Hooks } from '../support/hooks.ts';

let hooks: Hooks;

beforeEach(async () => {
  hooks = await Hooks.start();
});
afterEach(() => hooks.close());

const KEY = { 'idempotency-key': 'k-1' };

describe('Idempotency-Key', () => {
  it('gives the first answer again and runs once', async () => {
    const body = { message: 'once', unknown: 1 };
    const first = await hooks.ask('/agent', body, KEY);
    const again = await hooks.post('/agent', body, KEY);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect({ ...((await again.json()) as object), status: again.status }).toEqual(first);
    await hooks.ended(first['eventId']);
    expect(hooks.journal.filter((line) => line.startsWith('run'))).toHaveLength(1);
    expect(await hooks.stored()).toBe(1);
  });

  it('holds for two at the same moment', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => hooks.ask('/wake', { text: 'x' }, KEY)),
    );
    expect(new Set(answers.map(({ eventId }) => eventId)).size).toBe(1);
    expect(await hooks.stored()).toBe(1);
  });

  it('answers 422 for the same key with another body and stores nothing more', async () => {
    await hooks.ask('/wake', { text: 'x' }, KEY);
    expect(await hooks.ask('/wake', { text: 'y' }, KEY)).toMatchObject({
      status: 422,
      code: 'idempotency_conflict',
    });
    expect(await hooks.stored()).toBe(1);
  });

  it('of a sender never meets the dedupeKey that a mapping makes of another payload', async () => {
    await hooks.close();
    hooks = await Hooks.start({
      mappings: [{ id: 'shop', messageTemplate: '{{ text }}', dedupeKey: '{{ id }}' }],
    });
    await hooks.ask('/shop', { text: 'first event' }, KEY);
    const second = await hooks.ask('/shop', { id: 'k-1', text: 'second event' });
    expect((await hooks.ended(second['eventId'])).runs).toHaveLength(1);
    expect(await hooks.stored()).toBe(2);
  });

  it('counts per hook path', async () => {
    await hooks.ask('/wake', { text: 'x' }, KEY);
    expect(await hooks.ask('/agent', { message: 'x' }, KEY)).toMatchObject({ status: 200 });
    expect(await hooks.stored()).toBe(2);
  });

  it('is read from x-gateway-idempotency-key and from the payload, the header first', async () => {
    const other = { 'x-gateway-idempotency-key': 'k-2' };
    const first = await hooks.ask('/agent', { message: 'x', idempotencyKey: 'k-3' }, other);
    expect(await hooks.ask('/agent', { message: 'x', idempotencyKey: 'k-3' }, other)).toEqual(
      first,
    );
    const byPayload = await hooks.ask('/agent', { message: 'x', idempotencyKey: 'k-3' });
    expect(byPayload['eventId']).not.toBe(first['eventId']);
  });

  it('does not spend a key on a refused request', async () => {
    expect(await hooks.ask('/agent', { message: '' }, KEY)).toMatchObject({ status: 400 });
    expect(await hooks.ask('/agent', { message: 'x' }, KEY)).toMatchObject({ status: 200 });
  });

  it('refuses a key over 256 characters and stores nothing', async () => {
    const long = { 'idempotency-key': 'k'.repeat(257) };
    expect(await hooks.ask('/wake', { text: 'x' }, long)).toMatchObject({
      status: 400,
      code: 'invalid_idempotency_key',
    });
    expect(await hooks.stored()).toBe(0);
  });
});

describe('a replay of an event whose key ran since (issue 11.4)', () => {
  const replay = async (eventId: unknown) => {
    const replayed = await hooks.app.get(OperatorRequests).replay(String(eventId));
    if (replayed.outcome !== 'replayed') throw new Error(replayed.outcome);
    return replayed.answer.body as Record<string, unknown>;
  };

  it('says so, and as which event', async () => {
    await hooks.close();
    const clock = new ManualClock();
    hooks = await Hooks.start({ clock });
    const wake = { text: 'x', mode: 'next-heartbeat' };
    const first = await hooks.ask('/wake', wake, KEY);
    expect(await replay(first['eventId'])).not.toHaveProperty('warnings');
    // Ids are made by the machine's own clock, keys expire by the service's.
    clock.advance(73 * 3_600_000);
    const second = await hooks.ask('/wake', wake, KEY);
    expect(second['eventId']).not.toBe(first['eventId']);
    expect(await replay(first['eventId'])).toMatchObject({
      warnings: [expect.stringContaining(`ran since as event ${String(second['eventId'])}`)],
    });
    expect(await replay(second['eventId'])).not.toHaveProperty('warnings');
  });
});
