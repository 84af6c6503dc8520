import { WorkRoom, deliveryLease } from '../../../test/support/work-room.ts';
import { DeliveryError } from '../ports/index.ts';
import { ChannelOperations } from './channel-operations.ts';

function operated() {
  const { channel } = new WorkRoom();
  Object.assign(channel, { provider: 'whatsapp' });
  const room = new WorkRoom(
    {},
    { chan_1: { provider: channel, to: '+1' }, chan_8: { provider: channel } },
  );
  const operations = new ChannelOperations(room.registry, room.health, room.clock);
  return { room, channel, operations };
}

const NOW = '2026-01-01T00:00:00.000Z';

describe('ChannelOperations.list', () => {
  it('lists what is configured; before the first message nothing is known', () => {
    const nothing = { pausedUntil: null, lastSuccessAt: null, lastError: null };
    expect(operated().operations.list()).toEqual([
      { id: 'chan_1', provider: 'whatsapp', state: 'untried', ...nothing },
      { id: 'chan_8', provider: 'whatsapp', state: 'untried', ...nothing },
    ]);
  });

  it('tells the last success and the last error of deliveries', async () => {
    const { room, channel, operations } = operated();
    const send = () => room.delivery.perform(deliveryLease(), room.stop.signal);
    await send();
    expect(operations.list()[0]).toMatchObject({ state: 'working', lastSuccessAt: NOW });
    room.clock.advance(1000);
    channel.answer = () => Promise.reject(new DeliveryError('bad token', 'auth'));
    await send();
    expect(operations.list()[0]).toMatchObject({
      state: 'failing',
      lastError: { at: '2026-01-01T00:00:01.000Z', kind: 'auth', message: 'bad token' },
    });
    expect(operations.list()[1]?.state).toBe('untried');
  });

  it.each([
    ['rate-limited', 'paused', '2026-01-01T00:00:05.000Z'],
    ['retryable', 'failing', null],
    ['permanent', 'working', null],
  ] as const)('%s: %s', async (kind, state, pausedUntil) => {
    const { room, channel, operations } = operated();
    channel.answer = () => Promise.reject(new DeliveryError('no', kind, 5000));
    await room.delivery.perform(deliveryLease(), room.stop.signal);
    expect(operations.list()[0]).toMatchObject({ state, pausedUntil });
  });
});

describe('ChannelOperations.test', () => {
  it('sends past the outbox to whom it is told, else to the channel’s own recipient', async () => {
    const { channel, operations } = operated();
    expect(await operations.test('chan_1', '+49')).toEqual({ messageId: '1' });
    await operations.test('chan_1', undefined);
    expect(channel.messages.map(({ to }) => to)).toEqual(['+49', '+1']);
    expect(channel.messages[0]?.text).toContain('test message');
  });

  it('knows no channel that is not configured', async () => {
    expect(await operated().operations.test('chan_2', '+49')).toBeNull();
    expect(await operated().operations.test('toString', '+49')).toBeNull();
  });

  it('rejects with why it was not sent, and remembers it', async () => {
    const { channel, operations } = operated();
    await expect(operations.test('chan_8', undefined)).rejects.toThrow('no recipient');
    channel.answer = () => Promise.reject(new DeliveryError('bad token', 'auth'));
    await expect(operations.test('chan_8', '19:x')).rejects.toThrow('bad token');
    expect(operations.list()[1]).toMatchObject({ state: 'failing' });
  });
});
