import { runLease, systemEvent } from '../../../test/support/leases.ts';
import { WorkUnderTest, only } from '../../../test/support/work-under-test.ts';
import type { ChannelBindings, DeliveryTarget } from '../ports/index.ts';

let work: WorkUnderTest;

/** Starts with these channels, by default one on `chan_1`. */
async function start(channels?: (work: WorkUnderTest) => ChannelBindings): Promise<void> {
  await work?.close();
  work = await WorkUnderTest.start({ ...(channels !== undefined && { channels }) });
}

beforeEach(() => start());
afterEach(() => work.close());

/** What becomes of the reply to a run that is to be delivered there. */
async function replyTo(deliver: DeliveryTarget) {
  const { changes } = await work.perform(runLease({ deliver }));
  const message = only(changes, 'work').find(({ work: { kind } }) => kind === 'delivery')?.work;
  return { message, job: message?.job, delivery: only(changes, 'delivery')[0] };
}

describe('Outbox (behaviour §5, §12)', () => {
  it('channels of one account are one line per recipient', async () => {
    await start(({ channel, otherChannel }) => ({
      chan_2: { provider: channel },
      chan_3: { provider: otherChannel },
      chan_5: { provider: channel },
    }));
    const keyOf = async (channel: 'chan_2' | 'chan_3' | 'chan_5') =>
      (await replyTo({ channel, to: '+49', toFrom: 'named' })).message?.key;
    expect(await keyOf('chan_5')).toBe('chan_2 +49');
    expect(await keyOf('chan_2')).toBe('chan_2 +49');
    expect(await keyOf('chan_3')).toBe('chan_3 +49');
  });

  it('queues the message by channel and recipient and records the delivery as pending', async () => {
    const { message, job, delivery } = await replyTo({
      channel: 'chan_1',
      to: '+49',
      toFrom: 'named',
    });
    expect(message).toMatchObject({
      lane: 'delivery',
      key: 'chan_1 +49',
      ref: delivery?.id,
      eventId: 'event-1',
    });
    expect(job).toMatchObject({
      deliveryId: delivery?.id,
      text: 'the reply',
      runId: 'run-1',
      agentId: 'main',
      name: 'CI',
    });
    expect(delivery).toMatchObject({
      runId: 'run-1',
      channel: 'chan_1',
      to: '+49',
      status: 'pending',
    });
  });

  it.each([
    ['named', true],
    ['content', false],
  ] as const)(
    'a recipient from %s becomes the last route: %s',
    async (toFrom, becomesLastRoute) => {
      const { job } = await replyTo({ channel: 'chan_1', to: '+49', toFrom });
      expect(job).toMatchObject({ becomesLastRoute });
    },
  );

  it('carries whether the mapping allows links', async () => {
    const to = { channel: 'chan_1', to: '+49', toFrom: 'named' } as const;
    expect((await replyTo({ ...to, allowLinks: true })).job).toMatchObject({
      allowLinks: true,
    });
    expect((await replyTo(to)).job).not.toHaveProperty('allowLinks');
  });

  it('a trusted run that was shown a foreign line in its session gives an untrusted reply', async () => {
    work.sessions.pending = [systemEvent(1, 'a foreign line')];
    const job = {
      deliver: { channel: 'chan_1', toFrom: 'named' },
      trust: { level: 'trusted', verifiedBy: 'token' },
    } as const;
    for (const [sessionMode, level] of [
      ['persistent', 'untrusted'],
      ['isolated', 'trusted'],
    ] as const) {
      const session = 'agent:main:main';
      const { changes } = await work.perform(runLease({ ...job, sessionMode, session }));
      const [message] = only(changes, 'work').filter(({ work }) => work.kind === 'delivery');
      expect(message?.work.job).toMatchObject({ trust: { level } });
    }
  });

  it('is skipped when no channel is configured anywhere', async () => {
    await start(() => ({}));
    const { message, delivery } = await replyTo({ channel: 'last', toFrom: 'named' });
    expect(message).toBeUndefined();
    const error = 'no channel is configured';
    expect(delivery).toMatchObject({ status: 'skipped', error, to: null });
  });

  it('a named channel without a provider is left to the delivery, which says why it fails', async () => {
    await start(() => ({}));
    const { message } = await replyTo({ channel: 'chan_4', to: 'x', toFrom: 'named' });
    expect(message?.key).toBe('chan_4 x');
  });
});

/** Where the reply to a run goes. */
async function find(deliver: Partial<DeliveryTarget> = {}) {
  const { delivery } = await replyTo({ channel: 'last', toFrom: 'named', ...deliver });
  return { channel: delivery?.channel, to: delivery?.to };
}

/** Starts with two channels and a main session that has spoken before. */
async function startRouted(): Promise<void> {
  await start(({ channel, otherChannel }) => ({
    chan_1: { provider: channel, to: '+1' },
    chan_2: { provider: otherChannel },
  }));
  work.sessions.last = { channel: 'chan_2', to: 'chat-9' };
  work.sessions.byChannel = { chan_1: '+7', chan_3: 'c3' };
}

describe('Outbox: channel (spec "Mapping entry" 3, behaviour §12)', () => {
  it('last is the channel of the last route', async () => {
    await startRouted();
    expect(await find()).toEqual({ channel: 'chan_2', to: 'chat-9' });
  });

  it('last without a last route is chan_1', async () => {
    expect(await find()).toEqual({ channel: 'chan_1', to: '+1' });
  });

  it('a named channel stays, whether or not it has a provider', async () => {
    await startRouted();
    const address = { channel: 'chan_4', to: 'x' } as const;
    expect(await find(address)).toEqual(address);
  });

  it('one that was named stays where none is configured, without a recipient', async () => {
    await start(() => ({}));
    expect(await find({ channel: 'chan_1' })).toEqual({ channel: 'chan_1', to: null });
  });
});

describe('Outbox: recipient, the first that is known (behaviour §5)', () => {
  it('the one that was given', async () => {
    await startRouted();
    expect(await find({ channel: 'chan_1', to: '+49' })).toMatchObject({ to: '+49' });
  });

  it('else the last recipient of that channel in the main session', async () => {
    await startRouted();
    expect(await find({ channel: 'chan_1' })).toMatchObject({ to: '+7' });
  });

  it('else channels.<id>.to, even when the last route is of that channel', async () => {
    work.sessions.last = { channel: 'chan_1', to: '+9' };
    expect(await find()).toMatchObject({ to: '+1' });
  });

  it('else the recipient of the last route, for last only', async () => {
    await startRouted();
    expect(await find()).toMatchObject({ to: 'chat-9' });
    expect(await find({ channel: 'chan_2' })).toMatchObject({ to: null });
  });
});

describe('Outbox: acknowledgements (spec field deliver, behaviour §5)', () => {
  const x = (count: number): string => 'x'.repeat(count);

  it.each([
    ['HEARTBEAT_OK', true],
    [' \nHEARTBEAT_OK\n', true],
    ['HEARTBEAT_OK all quiet', true],
    ['all quiet. HEARTBEAT_OK', true],
    [`HEARTBEAT_OK ${x(300)}`, true],
    [`${x(300)} HEARTBEAT_OK`, true],
    [`HEARTBEAT_OK ${x(301)}`, false],
    [`${x(301)} HEARTBEAT_OK`, false],
    ['I say HEARTBEAT_OK because', false],
    ['heartbeat_ok', false],
    ['HEARTBEAT_OKAY', false],
    ['NO_HEARTBEAT_OK', false],
    ['the disk is full', false],
  ])('%j is one: %s', async (reply, isOne) => {
    work.runner.reply = () => reply;
    const { delivery } = await replyTo({ channel: 'last', toFrom: 'named' });
    const skipped = { status: 'skipped', error: 'the reply is a heartbeat acknowledgement' };
    expect(delivery).toMatchObject(isOne ? skipped : { status: 'pending' });
  });

  it('an empty reply is none', async () => {
    work.runner.reply = () => '';
    const { delivery } = await replyTo({ channel: 'last', toFrom: 'named' });
    expect(delivery).toMatchObject({ status: 'skipped', error: 'the reply is empty' });
  });

  it('are measured by agents.defaults.heartbeat.ackMaxChars', async () => {
    await work.settings.replace({ agents: { defaults: { heartbeat: { ackMaxChars: 1 } } } });
    for (const [reply, status] of [
      ['HEARTBEAT_OK ab', 'pending'],
      ['HEARTBEAT_OK a', 'skipped'],
    ] as const) {
      work.runner.reply = () => reply;
      const { delivery } = await replyTo({ channel: 'last', toFrom: 'named' });
      expect(delivery).toMatchObject({ status });
    }
  });
});
