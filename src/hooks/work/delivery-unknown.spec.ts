import { WorkRoom, deliveryLease, settled } from '../../../test/support/work-room.ts';
import { DeliveryError } from '../ports/index.ts';
import type { ChannelBinding } from '../ports/index.ts';
import type { StepEnd } from './step.ts';

/** A room with one channel. */
function roomWith(over: Partial<ChannelBinding> = {}, knowsKeys = false): WorkRoom {
  const { channel } = new WorkRoom();
  Object.assign(channel, { knowsKeys });
  const room = new WorkRoom({}, { chan_1: { provider: channel, to: '+1', ...over } });
  return Object.assign(room, { channel });
}

function perform(room: WorkRoom, over: { crashes?: number } = {}): Promise<StepEnd> {
  return room.delivery.perform(deliveryLease({}, over), room.stop.signal);
}

function lost(room: WorkRoom): WorkRoom {
  room.channel.answer = () => Promise.reject(new DeliveryError('no answer', 'unknown'));
  return room;
}

/** Stops the service while a message is being sent. */
async function stopped(room: WorkRoom): Promise<StepEnd> {
  room.channel.answer = () => new Promise(() => {});
  const step = perform(room);
  await settled();
  room.stop.abort();
  return step;
}

const UNKNOWN = { status: 'unknown', attempt: { outcome: 'unknown' } };

describe('DeliveryStep: nobody can tell whether it arrived', () => {
  it('by default it is sent again, and the attempt says so', async () => {
    const { end, changes } = await perform(lost(roomWith()));
    expect(end.type).toBe('retry');
    expect(changes).toMatchObject([{ error: 'no answer', attempt: { outcome: 'unknown' } }]);
    expect(changes[0]).not.toHaveProperty('status');
  });

  it('onUnknown: stop ends it as unknown', async () => {
    const { end, changes } = await perform(lost(roomWith({ onUnknown: 'stop' })));
    expect(end).toEqual({ type: 'dead' });
    expect(changes[0]).toMatchObject(UNKNOWN);
  });

  it('a platform that knows keys is asked again, whatever onUnknown says', async () => {
    const { end } = await perform(lost(roomWith({ onUnknown: 'stop' }, true)));
    expect(end.type).toBe('retry');
  });

  it('still unknown after the last attempt: it ends as unknown, not as dead', async () => {
    const room = lost(roomWith());
    room.clock.advance(24 * 3_600_000);
    expect((await perform(room)).changes[0]).toMatchObject(UNKNOWN);
  });
});

describe('DeliveryStep: a crash or a stop between sending and recording', () => {
  it.each([
    ['retry', false, 1],
    ['stop', true, 1],
    ['stop', false, 0],
  ] as const)('onUnknown %s, keys known %s: sent %i times', async (onUnknown, knowsKeys, times) => {
    const room = roomWith({ onUnknown }, knowsKeys);
    const { end, changes } = await perform(room, { crashes: 1 });
    expect(room.channel.messages).toHaveLength(times);
    expect(end).toEqual(times === 1 ? { type: 'done' } : { type: 'dead' });
    const [update] = changes;
    expect(update).toMatchObject(times === 1 ? { status: 'delivered' } : UNKNOWN);
  });

  it('stopped while sending, onUnknown: retry is begun again by the next start', async () => {
    expect((await stopped(roomWith())).end).toMatchObject({ type: 'retry', interrupted: true });
  });

  it('stopped while sending, onUnknown: stop ends it as unknown', async () => {
    const { end, changes } = await stopped(roomWith({ onUnknown: 'stop' }));
    expect(end).toEqual({ type: 'dead' });
    expect(changes[0]).toMatchObject(UNKNOWN);
  });

  it('stopped before sending nothing is unknown', async () => {
    const room = roomWith({ onUnknown: 'stop' });
    room.stop.abort();
    const { end, changes } = await perform(room);
    expect(end).toMatchObject({ type: 'retry', interrupted: true });
    expect(changes).toEqual([]);
    expect(room.channel.messages).toEqual([]);
  });
});
