import { DeliveryError } from '../ports/index.ts';
import {
  WorkRoom,
  deliveryLease,
  kindsOf,
  only,
  settled,
} from '../../../test/support/work-room.ts';

function perform(room: WorkRoom, ...lease: Parameters<typeof deliveryLease>) {
  return room.delivery.perform(deliveryLease(...lease), room.stop.signal);
}

function failing(...given: ConstructorParameters<typeof DeliveryError>): WorkRoom {
  const room = new WorkRoom();
  room.channel.answer = () => Promise.reject(new DeliveryError(...given));
  return room;
}

const LATER = { summaryIfUndelivered: 'Hook CI: the reply', wakeMode: 'now' } as const;

describe('DeliveryStep: delivered (behaviour §5, §12)', () => {
  it('sends to the recipient with a key that is the same for every attempt', async () => {
    const room = new WorkRoom();
    await perform(room);
    await perform(room, {}, { attempt: 2 });
    const message = { to: '+49', text: 'the reply', idempotencyKey: 'delivery-1' };
    expect(room.channel.messages).toEqual([message, message]);
  });

  it('tells the message id and remembers the route', async () => {
    const { end, changes } = await perform(new WorkRoom());
    expect(end).toEqual({ type: 'done' });
    expect(changes).toMatchObject([
      {
        type: 'delivery-update',
        id: 'delivery-1',
        status: 'delivered',
        error: null,
        messageId: '1',
        attempt: { attempt: 1, outcome: 'delivered' },
      },
      { type: 'route', session: 'agent:main:main', channel: 'chan_1', to: '+49' },
    ]);
  });

  it('remembers no route that content made', async () => {
    const { changes } = await perform(new WorkRoom(), { becomesLastRoute: false });
    expect(kindsOf(changes)).toEqual(['delivery-update']);
  });

  it('unless-delivered: posts no summary and asks the heartbeat that waited', async () => {
    const { changes } = await perform(new WorkRoom(), LATER);
    expect(kindsOf(changes)).toEqual(['delivery-update', 'route', 'work:heartbeat']);
  });
});

describe('DeliveryStep: classification of failures (behaviour §5)', () => {
  it.each(['permanent', 'auth'] as const)('%s is final', async (kind) => {
    const { end, changes } = await perform(failing('blocked by the recipient', kind));
    expect(end).toEqual({ type: 'dead' });
    expect(changes[0]).toMatchObject({
      type: 'delivery-update',
      status: 'dead',
      error: 'blocked by the recipient',
      attempt: { outcome: 'failed' },
    });
  });

  it.each(['retryable', 'rate-limited'] as const)(
    '%s is tried again, not before the platform says',
    async (kind) => {
      const room = failing('too many', kind, 7000);
      const { end, changes } = await perform(room);
      expect(end).toEqual({ type: 'retry', at: room.clock.now() + 7000 });
      expect(changes).toMatchObject([
        { type: 'delivery-update', error: 'too many', attempt: { outcome: 'retry' } },
      ]);
      expect(changes[0]).not.toHaveProperty('status');
    },
  );

  it('any other error of a channel is retryable, and its text is not shown', async () => {
    const room = new WorkRoom();
    room.channel.answer = () => Promise.reject(new TypeError('token 123 in https://api'));
    const { end, changes } = await perform(room);
    expect(end.type).toBe('retry');
    expect(JSON.stringify(changes)).not.toContain('123');
  });

  it('a retryable failure is final after a day', async () => {
    const room = failing('down', 'retryable');
    room.clock.advance(24 * 3_600_000);
    expect((await perform(room, {}, { failures: 49 })).end).toEqual({ type: 'dead' });
  });

  it('no answer within 30 s is unknown, even from a channel that ignores its signal', async () => {
    const room = new WorkRoom();
    room.channel.answer = () => new Promise(() => {});
    const step = perform(room);
    await settled();
    room.clock.advance(30_000);
    const { end, changes } = await step;
    expect(end.type).toBe('retry');
    const error = 'no answer within 30 s; it may have arrived';
    expect(changes).toMatchObject([{ error, attempt: { outcome: 'unknown' } }]);
  });

  it('a stop ends the step, even from a channel that ignores its signal, and the story says so', async () => {
    const room = new WorkRoom();
    room.channel.answer = () => new Promise(() => {});
    const step = perform(room);
    await settled();
    room.stop.abort();
    const { end, changes } = await step;
    expect(end).toEqual({ type: 'retry', at: room.clock.now(), interrupted: true });
    expect(changes).toMatchObject([{ type: 'delivery-update', attempt: { outcome: 'unknown' } }]);
  });

  it('a message during which the service died three times in a row is not sent again', async () => {
    const room = new WorkRoom();
    const { end, changes } = await perform(room, LATER, { attempt: 4, crashes: 5 });
    expect(room.channel.messages).toEqual([]);
    expect(end).toEqual({ type: 'dead' });
    const error = 'the service died 5 times during this delivery';
    expect(only(changes, 'delivery-update')).toMatchObject([{ status: 'unknown', error }]);
    expect(only(changes, 'system-event').map(({ text }) => text)).toEqual([
      'Hook CI: the reply',
      `Hook CI (delivery): ${error}`,
    ]);
  });

  it('a channel without a provider is final and names what to configure', async () => {
    const { end, changes } = await perform(new WorkRoom(), { channel: 'chan_3' });
    expect(end).toEqual({ type: 'dead' });
    expect(changes[0]).toMatchObject({
      error: 'chan_3 has no provider; configure channels.chan_3',
    });
  });

  it('no recipient is final and says so, and the one configured since is used', async () => {
    const room = new WorkRoom();
    await perform(room, { to: null });
    expect(room.channel.messages).toMatchObject([{ to: '+1' }]);
    const bare = new WorkRoom({}, { chan_1: { provider: room.channel } });
    const { end, changes } = await perform(bare, { to: null });
    expect(end).toEqual({ type: 'dead' });
    expect(changes[0]).toMatchObject({ error: expect.stringContaining('no recipient') });
  });
});

describe('DeliveryStep: a delivery that ended badly (behaviour §5)', () => {
  it('posts Hook <name> (delivery): <reason>, untrusted, into the main session', async () => {
    const { changes } = await perform(failing('blocked', 'permanent'));
    expect(kindsOf(changes)).toEqual(['delivery-update', 'system-event']);
    expect(only(changes, 'system-event')).toMatchObject([
      {
        session: 'agent:main:main',
        text: 'Hook CI (delivery): blocked',
        trust: { level: 'untrusted', verifiedBy: 'none' },
        eventId: 'event-1',
      },
    ]);
  });

  it('unless-delivered: posts the summary that waited first, then asks the heartbeat', async () => {
    const { changes } = await perform(failing('blocked', 'permanent'), LATER);
    expect(kindsOf(changes)).toEqual([
      'delivery-update',
      'run-update',
      'system-event',
      'system-event',
      'work:heartbeat',
    ]);
    expect(only(changes, 'run-update')).toMatchObject([
      { id: 'run-1', summary: 'Hook CI: the reply' },
    ]);
    expect(only(changes, 'system-event').map(({ text }) => text)).toEqual([
      'Hook CI: the reply',
      'Hook CI (delivery): blocked',
    ]);
  });

  it('of a heartbeat names no event', async () => {
    const { changes } = await perform(failing('blocked', 'permanent'), {
      eventId: null,
      name: 'Heartbeat',
    });
    expect(only(changes, 'system-event')[0]?.eventId).toBeUndefined();
  });

  it('posts nothing while it is tried again', async () => {
    const { changes } = await perform(failing('down', 'retryable'), LATER);
    expect(kindsOf(changes)).toEqual(['delivery-update']);
  });
});
