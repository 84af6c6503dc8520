import { WorkRoom, deliveryLease, kindsOf, only } from '../../../test/support/work-room.ts';
import { DeliveryError } from '../ports/index.ts';
import type { ChannelBinding, MessageOrder } from '../ports/index.ts';
import type { StepEnd } from './step.ts';

const PARTS = ['one', 'two', 'three'];

/** A room whose channel sends every text in three parts. */
function threeParts(over: Partial<ChannelBinding> = {}): WorkRoom {
  const room = new WorkRoom();
  const bound = new WorkRoom({}, { chan_1: { provider: room.channel, to: '+1', ...over } });
  room.channel.parts = () => PARTS;
  return Object.assign(bound, { channel: room.channel });
}

function perform(room: WorkRoom, order: Partial<MessageOrder> = {}, crashes = 0): Promise<StepEnd> {
  return room.delivery.perform(deliveryLease(order, { crashes }), room.stop.signal);
}

/** What a step left to do. */
function rest({ end }: StepEnd): MessageOrder {
  if (end.type !== 'continue') throw new Error(`it did not go on: ${end.type}`);
  return end.order as MessageOrder;
}

describe('DeliveryStep: a reply in parts', () => {
  it('sends one part at a time and makes durable what is left before the next', async () => {
    const room = threeParts();
    const first = await perform(room);
    expect(rest(first)).toMatchObject({ parts: PARTS, partsSent: 1 });
    expect(first.changes).toMatchObject([{ type: 'delivery-update', messageId: '1' }]);
    const second = await perform(room, rest(first));
    expect(rest(second)).toMatchObject({ partsSent: 2 });
    expect(second.changes).toEqual([]);
    const last = await perform(room, rest(second));
    expect(last.end).toEqual({ type: 'done' });
    expect(kindsOf(last.changes)).toEqual(['delivery-update', 'route']);
    expect(only(last.changes, 'delivery-update')[0]?.messageId).toBeUndefined();
    expect(room.channel.messages.map(({ text }) => text)).toEqual(PARTS);
  });

  it('gives each part a key of its own, the same for every attempt', async () => {
    const room = threeParts();
    await perform(room);
    await perform(room, { parts: PARTS, partsSent: 1 });
    await perform(room, { parts: PARTS, partsSent: 1 }, 1);
    const keys = room.channel.messages.map(({ idempotencyKey }) => idempotencyKey);
    expect(keys).toEqual(['delivery-1:1', 'delivery-1:2', 'delivery-1:2']);
  });

  it('goes on with the part that failed, as it was cut then', async () => {
    const room = threeParts();
    room.channel.answer = () => Promise.reject(new DeliveryError('down', 'retryable'));
    const order = rest(await perform(threeParts()));
    expect((await perform(room, order)).end.type).toBe('retry');
    room.channel.parts = () => ['cut otherwise'];
    room.channel.answer = async () => ({});
    await perform(room, order);
    expect(room.channel.messages.map(({ text }) => text)).toEqual(['two', 'two']);
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
