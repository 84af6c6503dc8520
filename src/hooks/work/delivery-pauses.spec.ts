import { WorkRoom, deliveryLease, settled } from '../../../test/support/work-room.ts';
import { DeliveryError } from '../ports/index.ts';
import type { DeliveryFailure } from '../ports/index.ts';
import { WorkLoop } from './work-loop.ts';

function twoChannels(): WorkRoom {
  const { channel } = new WorkRoom();
  const other = new WorkRoom().channel;
  const room = new WorkRoom({}, { chan_1: { provider: channel }, chan_2: { provider: other } });
  return Object.assign(room, { channel });
}

function refuse(room: WorkRoom, kind: DeliveryFailure, retryAfterMs?: number): void {
  room.channel.answer = () => Promise.reject(new DeliveryError('slowly', kind, retryAfterMs));
}

function send(room: WorkRoom, to = '+49', channel: 'chan_1' | 'chan_2' = 'chan_1') {
  return room.delivery.perform(deliveryLease({ to, channel }), room.stop.signal);
}

describe('DeliveryStep: a rate limit', () => {
  it('makes the whole channel rest as long as the platform asks, and no other', async () => {
    const room = twoChannels();
    refuse(room, 'rate-limited', 7000);
    await send(room, '+1');
    const { end, changes } = await send(room, '+2');
    expect(room.channel.messages).toHaveLength(1);
    expect(end).toEqual({ type: 'retry', at: room.clock.now() + 7000, interrupted: true });
    expect(changes).toEqual([]);
    expect((await send(room, '+3', 'chan_2')).end).toEqual({ type: 'done' });
  });

  it('goes on when the time is over', async () => {
    const room = twoChannels();
    refuse(room, 'rate-limited', 7000);
    await send(room);
    room.clock.advance(7000);
    room.channel.answer = async () => ({});
    expect((await send(room, '+2')).end).toEqual({ type: 'done' });
  });

  it('without a time it rests longer each time, up to a minute, until a message is taken', async () => {
    const room = twoChannels();
    refuse(room, 'rate-limited');
    const rests: number[] = [];
    for (let n = 0; n < 8; n += 1) {
      await send(room);
      const until = room.health.pausedUntil('chan_1') ?? 0;
      rests.push((until - room.clock.now()) / 1000);
      room.clock.advance(until - room.clock.now());
    }
    expect(rests).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    room.channel.answer = async () => ({});
    await send(room);
    refuse(room, 'rate-limited');
    await send(room);
    expect(room.health.pausedUntil('chan_1')).toBe(room.clock.now() + 1000);
  });

  it('rests an hour at most: then one message finds out', async () => {
    const room = twoChannels();
    refuse(room, 'rate-limited', 86_400_000);
    await send(room);
    expect(room.health.pausedUntil('chan_1')).toBe(room.clock.now() + 3_600_000);
  });

  it.each([1e9, Number.POSITIVE_INFINITY])(
    'asked for %d ms, the message, too, finds out after an hour',
    async (wait) => {
      const room = twoChannels();
      refuse(room, 'rate-limited', wait);
      const { end } = await send(room);
      expect(end).toEqual({ type: 'retry', at: room.clock.now() + 3_600_000 });
    },
  );

  it.each([-5000, Number.NaN])('%d ms are no time: it rests as without one', async (wait) => {
    const room = twoChannels();
    refuse(room, 'rate-limited', wait);
    const { end } = await send(room);
    expect(room.health.pausedUntil('chan_1')).toBe(room.clock.now() + 1000);
    const at = end.type === 'retry' ? end.at - room.clock.now() : Number.NaN;
    expect(at).toBeGreaterThan(0);
    expect(at).toBeLessThanOrEqual(1000);
  });

  it.each(['retryable', 'permanent', 'auth', 'unknown'] as const)(
    '%s of one recipient delays no other',
    async (kind) => {
      const room = twoChannels();
      refuse(room, kind, 60_000);
      await send(room, '+1');
      room.channel.answer = async () => ({});
      expect((await send(room, '+2')).end).toEqual({ type: 'done' });
    },
  );
});

describe('DeliveryStep: two channels of one account', () => {
  it('rest together, whichever of them was limited', async () => {
    const { channel } = new WorkRoom();
    const room = new WorkRoom({}, { chan_1: { provider: channel }, chan_2: { provider: channel } });
    Object.assign(room, { channel });
    refuse(room, 'rate-limited', 7000);
    await send(room, '+1', 'chan_2');
    const { end } = await send(room, '+2', 'chan_1');
    expect(end).toEqual({ type: 'retry', at: room.clock.now() + 7000, interrupted: true });
    expect(room.channel.messages).toHaveLength(1);
    expect(room.health.pausedUntil('chan_2')).toBe(room.health.pausedUntil('chan_1'));
    expect(room.health.lastError('chan_1')).toBeNull();
  });
});

describe('DeliveryStep: how long it is tried (channels.retryHours)', () => {
  it.each([
    [1, 2, 'dead'],
    [48, 25, 'retry'],
    [undefined, 25, 'dead'],
  ] as const)('retryHours %s, failing after %i h: %s', async (retryHours, hours, type) => {
    const { channel } = new WorkRoom();
    channel.answer = () => Promise.reject(new DeliveryError('down', 'retryable'));
    const room = new WorkRoom({}, { retryHours, chan_1: { provider: channel } });
    room.clock.advance(hours * 3_600_000);
    expect((await send(room)).end.type).toBe(type);
  });
});

describe('DeliveryStep: a recipient that cannot be one', () => {
  it('is final without a request, and the reason says what was expected', async () => {
    const room = twoChannels();
    Object.assign(room.channel, { provider: 'whatsapp' });
    room.channel.expectedInsteadOf = () => 'a phone number';
    const { end, changes } = await send(room, `C01\n${'x'.repeat(100)}`);
    expect(end).toEqual({ type: 'dead' });
    const error = `"C01 ${'x'.repeat(56)}" is no recipient of whatsapp; expected a phone number`;
    expect(changes[0]).toMatchObject({ status: 'dead', error });
    expect(room.channel.messages).toEqual([]);
  });
});

describe('WorkLoop: a channel that rests', () => {
  it('is left out of claims until then, so that what waits for it costs nothing', async () => {
    const room = new WorkRoom();
    const { run, heartbeat, delivery, work, settings, clock } = room;
    const loop = new WorkLoop(run, heartbeat, delivery, work, settings, clock);
    refuse(room, 'rate-limited', 7000);
    loop.start();
    work.give(deliveryLease());
    await settled();
    const claim = work.claims.find(({ lane }) => lane === 'delivery');
    const resting = { chan_1: clock.now() + 7000 };
    expect(claim?.limits?.()).toEqual({ perChannel: 8, resting });
    clock.advance(7000);
    expect(claim?.limits?.().resting).toEqual({});
    await loop.stop(0);
  });
});
