import { DeliveryError } from '../ports/index.ts';
import type { ChannelBinding } from '../ports/index.ts';
import { deliveryLease } from '../../../test/support/leases.ts';
import { WorkUnderTest, listKinds, only, settled } from '../../../test/support/work-under-test.ts';
import type { Commit } from '../../../test/support/work-under-test.ts';

let work: WorkUnderTest;

async function start(over: Partial<ChannelBinding> = {}): Promise<void> {
  await work?.close();
  const channels = ({ channel }: WorkUnderTest) => ({
    chan_1: { provider: channel, to: '+1', ...over },
  });
  work = await WorkUnderTest.start({ channels });
}

beforeEach(() => start());
afterEach(() => work.close());

function perform(...lease: Parameters<typeof deliveryLease>): Promise<Commit> {
  return work.perform(deliveryLease(...lease));
}

function fail(...given: ConstructorParameters<typeof DeliveryError>): void {
  work.channel.answer = () => Promise.reject(new DeliveryError(...given));
}

function stopped(): Promise<Commit> {
  work.channel.answer = () => new Promise(() => {});
  return work.stopDuring(deliveryLease());
}

const LATER = { summaryIfUndelivered: 'Hook CI: the reply', wakeMode: 'now' } as const;

describe('DeliveryStep: delivered (behaviour §5, §12)', () => {
  it('sends to the recipient with a key that is the same for every attempt', async () => {
    await perform();
    await perform({}, { attempt: 2 });
    const message = { to: '+49', text: 'the reply', idempotencyKey: 'delivery-1' };
    expect(work.channel.messages).toEqual([message, message]);
  });

  it('records the message id and remembers the route', async () => {
    const { outcome, changes } = await perform();
    expect(outcome).toEqual({ type: 'done' });
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

  it('is well-formed, whoever made it', async () => {
    await perform({ text: 'half \ud83d a letter' });
    expect(work.channel.messages).toMatchObject([{ text: 'half \ufffd a letter' }]);
  });

  describe('where the platform says that the recipient is elsewhere', () => {
    const sentTo = () => work.channel.messages.map(({ to }) => to);
    const gone = (instead: string) =>
      new DeliveryError('the topic is gone', 'permanent', undefined, '400', instead);
    function leads(ways: Readonly<Record<string, string>>): void {
      work.channel.answer = ({ to }) => {
        const instead = ways[to];
        return instead === undefined
          ? Promise.resolve({ messageId: '1' })
          : Promise.reject(gone(instead));
      };
    }

    it('goes there at once, and its story says so', async () => {
      leads({ '+49/7': '+49' });
      const { outcome, changes } = await perform({ to: '+49/7' });
      expect(outcome).toEqual({ type: 'done' });
      expect(sentTo()).toEqual(['+49/7', '+49']);
      const error = 'the topic is gone; it went to +49';
      expect(changes).toMatchObject([
        {
          status: 'delivered',
          error: null,
          messageId: '1',
          attempt: { outcome: 'delivered', error },
        },
        // The next reply asks again: it may be back.
        { type: 'route', to: '+49/7' },
      ]);
    });

    it('follows a group that moved and lacks the topic, and no further', async () => {
      leads({ '+1/7': '+2/7', '+2/7': '+2' });
      expect((await perform({ to: '+1/7' })).outcome).toEqual({ type: 'done' });
      leads({ '+3': '+4', '+4': '+3' });
      expect((await perform({ to: '+3' })).outcome).toEqual({ type: 'dead' });
      expect(sentTo()).toEqual(['+1/7', '+2/7', '+2', '+3', '+4', '+3']);
    });

    it('goes to nobody that is no recipient there', async () => {
      leads({ '+49': 'elsewhere' });
      work.channel.expectedInsteadOf = (to) => (to.startsWith('+') ? null : 'a number');
      const { outcome, changes } = await perform();
      expect(outcome).toEqual({ type: 'dead' });
      expect(changes[0]).toMatchObject({ error: expect.stringContaining('is no recipient of') });
      expect(sentTo()).toEqual(['+49']);
    });
  });

  it('is accepted where the platform took it and may still refuse it unheard (behaviour §13)', async () => {
    work.channel.onlyAccepts = true;
    const { outcome, changes } = await perform(LATER);
    expect(outcome).toEqual({ type: 'done' });
    const attempt = { outcome: 'accepted' };
    expect(changes[0]).toMatchObject({ status: 'accepted', messageId: '1', error: null, attempt });
    expect(listKinds(changes)).toEqual(['delivery-update', 'route', 'work:heartbeat']);
  });

  it('remembers no route that content made', async () => {
    const { changes } = await perform({ becomesLastRoute: false });
    expect(listKinds(changes)).toEqual(['delivery-update']);
  });

  it('makes the heartbeat due that waits for it', async () => {
    const [heartbeat] = only((await perform({ wakeMode: 'now' })).changes, 'work');
    expect(heartbeat?.work).toMatchObject({ kind: 'heartbeat', dueAt: work.clock.now() + 250 });
  });
});

describe('DeliveryStep: classification of failures (behaviour §5)', () => {
  it.each(['permanent', 'auth'] as const)('%s is final', async (kind) => {
    fail('blocked by the recipient', kind);
    const { outcome, changes } = await perform();
    expect(outcome).toEqual({ type: 'dead' });
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
      fail('too many', kind, 7000);
      const { outcome, changes } = await perform();
      expect(outcome).toEqual({ type: 'retry', at: work.clock.now() + 7000 });
      expect(changes).toMatchObject([
        {
          type: 'delivery-update',
          error: 'too many',
          attempt: { outcome: 'retry', nextAt: work.clock.now() + 7000 },
        },
      ]);
      expect(changes[0]).not.toHaveProperty('status');
    },
  );

  it('any other error of a channel is retryable, and its text is not shown', async () => {
    work.channel.answer = () => Promise.reject(new TypeError('token 123 in https://api'));
    const { outcome, changes } = await perform();
    expect(outcome.type).toBe('retry');
    expect(JSON.stringify(changes)).not.toContain('123');
  });

  it('no answer within 30 s is unknown, even from a channel that ignores its signal', async () => {
    work.channel.answer = () => new Promise(() => {});
    const step = perform();
    await settled();
    work.clock.advance(30_000);
    const { outcome, changes } = await step;
    expect(outcome.type).toBe('retry');
    const error = 'no answer within 30 s; it may have arrived';
    expect(changes).toMatchObject([{ error, attempt: { outcome: 'unknown' } }]);
  });

  it('no answer within the time that the channel itself asks for is unknown', async () => {
    work.channel.timeoutMs = 150_000;
    work.channel.answer = () => new Promise(() => {});
    const step = perform();
    await settled();
    work.clock.advance(30_000);
    await settled();
    work.clock.advance(120_000);
    const error = 'no answer within 150 s; it may have arrived';
    expect((await step).changes).toMatchObject([{ error, attempt: { outcome: 'unknown' } }]);
  });

  it('a stop ends the step, even from a channel that ignores its signal, and the record says so', async () => {
    const { outcome, changes } = await stopped();
    expect(outcome).toEqual({ type: 'retry', at: work.clock.now(), interrupted: true });
    expect(changes).toMatchObject([{ type: 'delivery-update', attempt: { outcome: 'unknown' } }]);
  });

  it('a message during which the service died three times in a row is not sent again', async () => {
    const { outcome, changes } = await perform(LATER, { attempt: 4, crashes: 5 });
    expect(work.channel.messages).toEqual([]);
    expect(outcome).toEqual({ type: 'dead' });
    const error = 'the service died 5 times in a row during this delivery';
    expect(only(changes, 'delivery-update')).toMatchObject([{ status: 'unknown', error }]);
    expect(only(changes, 'system-event').map(({ text }) => text)).toEqual([
      'Hook CI: the reply',
      `Hook CI (delivery): ${error}`,
    ]);
  });

  it('a channel without a provider is final and names what to configure', async () => {
    const { outcome, changes } = await perform({ channel: 'chan_3' });
    expect(outcome).toEqual({ type: 'dead' });
    expect(changes[0]).toMatchObject({
      error: 'chan_3 has no provider; configure channels.chan_3',
    });
  });

  it('no recipient is final and says so, and the one configured since is used', async () => {
    await perform({ to: null });
    expect(work.channel.messages).toMatchObject([{ to: '+1' }]);
    await start({ to: undefined });
    const { outcome, changes } = await perform({ to: null });
    expect(outcome).toEqual({ type: 'dead' });
    expect(changes[0]).toMatchObject({ error: expect.stringContaining('no recipient') });
  });
});

describe('DeliveryStep: a delivery that ended badly (behaviour §5)', () => {
  it('posts Hook <name> (delivery): <reason>, untrusted, into the main session', async () => {
    fail('blocked', 'permanent');
    const { changes } = await perform();
    expect(listKinds(changes)).toEqual([
      'delivery-update',
      'bad-end',
      'work:notice',
      'system-event',
    ]);
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
    fail('blocked', 'permanent');
    const { changes } = await perform(LATER);
    expect(listKinds(changes)).toEqual([
      'delivery-update',
      'bad-end',
      'work:notice',
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

  it('makes the heartbeat due that waits for it, and shows it why', async () => {
    fail('blocked', 'permanent');
    const { changes } = await perform({ wakeMode: 'now' });
    expect(only(changes, 'system-event')).toMatchObject([{ asksHeartbeat: true }]);
    const asked = only(changes, 'work').filter((change) => change.work.kind === 'heartbeat');
    expect(asked[0]?.work).toMatchObject({ dueAt: work.clock.now() + 250 });
  });

  it('of a heartbeat names no event', async () => {
    fail('blocked', 'permanent');
    const { changes } = await perform({
      eventId: null,
      name: 'Heartbeat',
    });
    expect(only(changes, 'system-event')[0]?.eventId).toBeUndefined();
  });

  it('posts nothing while it is tried again', async () => {
    fail('down', 'retryable');
    const { changes } = await perform(LATER);
    expect(listKinds(changes)).toEqual(['delivery-update']);
  });
});

const UNKNOWN = { status: 'unknown', attempt: { outcome: 'unknown' } };

describe('DeliveryStep: whether it arrived cannot be known', () => {
  it('by default it is sent again, and the attempt says so', async () => {
    fail('no answer', 'unknown');
    const { outcome, changes } = await perform();
    expect(outcome.type).toBe('retry');
    expect(changes).toMatchObject([{ error: 'no answer', attempt: { outcome: 'unknown' } }]);
    expect(changes[0]).not.toHaveProperty('status');
  });

  it('onUnknown: stop ends it as unknown', async () => {
    await start({ onUnknown: 'stop' });
    fail('no answer', 'unknown');
    const { outcome, changes } = await perform();
    expect(outcome).toEqual({ type: 'dead' });
    expect(changes[0]).toMatchObject(UNKNOWN);
  });

  it('a platform that knows keys is asked again, whatever onUnknown says', async () => {
    await start({ onUnknown: 'stop' });
    Object.assign(work.channel, { knowsKeys: true });
    fail('no answer', 'unknown');
    const { outcome } = await perform();
    expect(outcome.type).toBe('retry');
  });

  it('still unknown after the last attempt: it ends as unknown, not as dead', async () => {
    fail('no answer', 'unknown');
    work.clock.advance(24 * 3_600_000);
    expect((await perform()).changes[0]).toMatchObject(UNKNOWN);
  });
});

describe('DeliveryStep: a crash or a stop between sending and recording', () => {
  it.each([
    ['retry', false, 1],
    ['stop', true, 1],
    ['stop', false, 0],
  ] as const)('onUnknown %s, keys known %s: sent %i times', async (onUnknown, knowsKeys, times) => {
    await start({ onUnknown });
    Object.assign(work.channel, { knowsKeys });
    const { outcome, changes } = await perform({}, { crashes: 1 });
    expect(work.channel.messages).toHaveLength(times);
    expect(outcome).toEqual(times === 1 ? { type: 'done' } : { type: 'dead' });
    const [update] = changes;
    expect(update).toMatchObject(times === 1 ? { status: 'delivered' } : UNKNOWN);
  });

  it('stopped while sending, onUnknown: stop ends it as unknown', async () => {
    await start({ onUnknown: 'stop' });
    const { outcome, changes } = await stopped();
    expect(outcome).toEqual({ type: 'dead' });
    expect(changes[0]).toMatchObject(UNKNOWN);
  });

  it('stopped before sending nothing is unknown', async () => {
    await start({ onUnknown: 'stop' });
    const { outcome, changes } = await work.stopBefore(deliveryLease());
    expect(outcome).toMatchObject({ type: 'retry', interrupted: true });
    expect(changes).toEqual([]);
    expect(work.channel.messages).toEqual([]);
  });
});

describe('DeliveryStep: quiet hours (behaviour §16)', () => {
  const quietHours = { start: '22:00', end: '07:00', timezone: 'UTC' };

  it('what may have been sent before a crash is not held and sent twice', async () => {
    await start({ quietHours, onUnknown: 'stop' });
    const { outcome, changes } = await perform({}, { attempt: 2, crashes: 1 });
    expect(outcome).toEqual({ type: 'dead' });
    expect(changes[0]).toMatchObject({ status: 'unknown' });
    expect(work.channel.messages).toEqual([]);
  });
});

describe('DeliveryStep: signs of life (behaviour §7)', () => {
  const acknowledges = { text: '', acknowledges: true } as const;
  let asked: unknown[];
  let refusal: DeliveryError | undefined;

  beforeEach(() => {
    asked = [];
    refusal = undefined;
    work.channel.acknowledge = async (at) => {
      asked.push(at);
      if (refusal !== undefined) throw refusal;
    };
  });

  it('are shown by the channel, and leave nothing', async () => {
    expect(await perform(acknowledges)).toEqual({ outcome: { type: 'done' }, changes: [] });
    expect(asked).toEqual([{ to: '+49', idempotencyKey: 'delivery-1' }]);
    expect(work.channel.messages).toEqual([]);
  });

  it.each(['retryable', 'unknown', 'rate-limited'] as const)(
    'are tried again for a minute after a failure that is %s',
    async (kind) => {
      refusal = new DeliveryError('away', kind);
      expect(await perform(acknowledges)).toMatchObject({
        outcome: { type: 'retry' },
        changes: [],
      });
      const late = { since: work.clock.now() - 60_001 };
      expect((await perform(acknowledges, late)).outcome).toEqual({ type: 'done' });
      expect(asked).toHaveLength(1);
    },
  );

  it.each(['permanent', 'auth'] as const)('are not tried again where that is %s', async (kind) => {
    refusal = new DeliveryError('no', kind);
    expect(await perform(acknowledges)).toEqual({ outcome: { type: 'done' }, changes: [] });
  });

  it('are nobody’s trouble when they are given up', async () => {
    const { outcome, changes } = await perform(acknowledges, { crashes: 5 });
    expect([outcome, changes]).toEqual([{ type: 'done' }, []]);
    expect(asked).toEqual([]);
  });
});

describe('DeliveryStep: notes that an earlier build queued', () => {
  const noted = (note: object) => ({ note });

  it.each(['working', 'failed', 'silent'])('say no more that a run is %s', async (says) => {
    const job = { text: 'Working on it…', ...noted({ id: 'note-1', says }) };
    expect(await perform(job)).toEqual({ outcome: { type: 'done' }, changes: [] });
    expect(work.channel.messages).toEqual([]);
  });

  it('stay beside the answer, which is a message of its own', async () => {
    const { outcome, changes } = await perform(noted({ id: 'note-1' }));
    expect(outcome).toEqual({ type: 'done' });
    expect(changes[0]).toMatchObject({ id: 'delivery-1', status: 'delivered', messageId: '1' });
    expect(work.channel.messages).toMatchObject([{ text: 'the reply', replaces: undefined }]);
  });
});
