import { WorkRoom, deliveryLease, kindsOf, only } from '../../../test/support/work-room.ts';
import { DeliveryError } from '../ports/index.ts';
import type { ChannelBinding, DeliveryLease, MessageOrder, WorkPart } from '../ports/index.ts';
import type { StepEnd } from './step.ts';

const PARTS = ['one', 'two', 'three'];

/** A room whose channel sends every text in three parts. */
function threeParts(over: Partial<ChannelBinding> = {}): WorkRoom {
  const room = new WorkRoom();
  const bound = new WorkRoom({}, { chan_1: { provider: room.channel, to: '+1', ...over } });
  room.channel.parts = () => PARTS;
  return Object.assign(bound, { channel: room.channel });
}

function perform(
  room: WorkRoom,
  order: Partial<MessageOrder> = {},
  over: Partial<DeliveryLease> = {},
): Promise<StepEnd> {
  return room.delivery.perform(deliveryLease(order, over), room.stop.signal);
}

/** One of {@link PARTS} as a lease brings it, by its place. */
function part(place: number): WorkPart {
  return { text: PARTS[place - 1] ?? '', place, count: PARTS.length };
}

/** Sends one part of a reply that was cut. */
function performPart(room: WorkRoom, place: number, crashes = 0): Promise<StepEnd> {
  return perform(room, { text: '' }, { part: part(place), crashes });
}

describe('DeliveryStep: a reply in parts', () => {
  it('is cut before anything is sent, and its text is not kept twice', async () => {
    const room = threeParts();
    const { end, changes } = await perform(room);
    expect(end).toMatchObject({ type: 'cut', parts: PARTS, order: { text: '' } });
    expect(changes).toEqual([]);
    expect(room.channel.messages).toEqual([]);
  });

  it('is cut after a crash whatever onUnknown says: before that nothing was sent', async () => {
    const { end } = await perform(threeParts({ onUnknown: 'stop' }), {}, { crashes: 1 });
    expect(end.type).toBe('cut');
    expect((await performPart(threeParts({ onUnknown: 'stop' }), 1, 1)).end.type).toBe('dead');
  });

  it('goes one part at a time, as it was cut then, and is known by the first', async () => {
    const room = threeParts();
    room.channel.parts = () => ['cut otherwise'];
    const first = await performPart(room, 1);
    expect(first.end).toEqual({ type: 'continue' });
    expect(first.changes).toMatchObject([{ type: 'delivery-update', messageId: '1' }]);
    expect(await performPart(room, 2)).toEqual({ end: { type: 'continue' }, changes: [] });
    const last = await performPart(room, 3);
    expect(last.end).toEqual({ type: 'done' });
    expect(kindsOf(last.changes)).toEqual(['delivery-update', 'route']);
    expect(only(last.changes, 'delivery-update')[0]?.messageId).toBeUndefined();
    expect(room.channel.messages.map(({ text }) => text)).toEqual(PARTS);
  });

  it('gives each part a key of its own, the same for every attempt', async () => {
    const room = threeParts();
    await performPart(room, 1);
    await performPart(room, 2);
    await performPart(room, 2, 1);
    const keys = room.channel.messages.map(({ idempotencyKey }) => idempotencyKey);
    expect(keys).toEqual(['delivery-1:1', 'delivery-1:2', 'delivery-1:2']);
  });

  it('a part that fails is tried again', async () => {
    const room = threeParts();
    room.channel.answer = () => Promise.reject(new DeliveryError('down', 'retryable'));
    expect((await performPart(room, 2)).end.type).toBe('retry');
  });

  it('a text without anything to show is final', async () => {
    const room = threeParts();
    room.channel.parts = () => [];
    const { end, changes } = await perform(room);
    expect(end).toEqual({ type: 'dead' });
    expect(changes[0]).toMatchObject({ error: 'there is no text to send' });
  });
});

describe('DeliveryStep: links of an untrusted reply (issue 5, text)', () => {
  const text = 'See [this](https://evil.com/?d=1)';
  it.each([
    ['untrusted', undefined, 'See this (hxxps://evil[.]com/?d=1)'],
    ['untrusted', true, text],
    ['trusted', undefined, text],
  ] as const)('%s, allowLinks %s: %j', async (level, allowLinks, shown) => {
    const room = new WorkRoom();
    await perform(room, { text, allowLinks, trust: { level, verifiedBy: 'token' } });
    expect(room.channel.messages[0]?.text).toBe(shown);
  });
});

describe('DeliveryStep: the id of a message', () => {
  it('is kept to 200 characters, however long the platform makes it', async () => {
    const room = new WorkRoom();
    room.channel.answer = async () => ({ messageId: 'x'.repeat(1_000_000) });
    const { changes } = await perform(room);
    expect(only(changes, 'delivery-update')[0]?.messageId).toBe('x'.repeat(200));
  });
});
