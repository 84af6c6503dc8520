import { heartbeatLease, runLease, systemEvent } from '../../../test/support/leases.ts';
import { WorkUnderTest, only } from '../../../test/support/work-under-test.ts';
import type { ChannelBindings, ChannelId, DeliveryTarget } from '../ports/index.ts';

let work: WorkUnderTest;

async function start(channels?: (work: WorkUnderTest) => ChannelBindings): Promise<void> {
  await work?.close();
  work = await WorkUnderTest.start({ ...(channels !== undefined && { channels }) });
}

beforeEach(() => start());
afterEach(() => work.close());

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
      (await replyTo({ channel, to: '+49', toFrom: 'mapping' })).message?.key;
    expect(await keyOf('chan_5')).toBe('chan_2 +49');
    expect(await keyOf('chan_2')).toBe('chan_2 +49');
    expect(await keyOf('chan_3')).toBe('chan_3 +49');
  });

  it('queues the message by channel and recipient and records the delivery as pending', async () => {
    const { message, job, delivery } = await replyTo({
      channel: 'chan_1',
      to: '+49',
      toFrom: 'mapping',
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
    [{ to: '+49', toFrom: 'mapping' }, true],
    [{ to: '+49', toFrom: 'request' }, false],
    [{ to: '+49', toFrom: 'content' }, false],
    [{}, true],
    // The channel's own recipient, on a channel that somebody chose.
    [{ toFrom: 'mapping' }, true],
    [{ toFrom: 'request' }, false],
    [{ toFrom: 'content' }, false],
  ] as const)('to %j: where it arrives the session has spoken: %s', async (to, isRoute) => {
    const { job } = await replyTo({ channel: 'chan_1', ...to });
    expect(job).toMatchObject({ becomesLastRoute: isRoute });
  });

  it('what the session remembers itself is noted no second time', async () => {
    await startRouted();
    expect((await replyTo({ channel: 'last' })).job).toMatchObject({
      to: 'chat-9',
      becomesLastRoute: false,
    });
  });

  it('carries whether the mapping allows links', async () => {
    const to = { channel: 'chan_1', to: '+49', toFrom: 'mapping' } as const;
    expect((await replyTo({ ...to, allowLinks: true })).job).toMatchObject({
      allowLinks: true,
    });
    expect((await replyTo(to)).job).not.toHaveProperty('allowLinks');
  });

  it('a trusted run that was shown a foreign line in its session gives an untrusted reply', async () => {
    work.sessions.pending = [systemEvent(1, 'a foreign line')];
    const job = {
      deliver: { channel: 'chan_1' },
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
    const { message, delivery } = await replyTo({ channel: 'last' });
    expect(message).toBeUndefined();
    const error = 'no channel is configured';
    expect(delivery).toMatchObject({ status: 'skipped', error, to: null });
  });

  it('a named channel without a provider is left to the delivery, which says why it fails', async () => {
    await start(() => ({}));
    const { message } = await replyTo({ channel: 'chan_4', to: 'x', toFrom: 'mapping' });
    expect(message?.key).toBe('chan_4 x');
  });
});

async function find(deliver: Partial<DeliveryTarget> = {}) {
  const { delivery } = await replyTo({ channel: 'last', ...deliver });
  return { channel: delivery?.channel, to: delivery?.to };
}

async function startRouted(): Promise<void> {
  await start(({ channel, otherChannel }) => ({
    chan_1: { provider: channel, to: '+1' },
    chan_2: { provider: otherChannel },
  }));
  work.sessions.last = { channel: 'chan_2', to: 'chat-9' };
  work.sessions.byChannel = { chan_1: '+7', chan_3: 'c3' };
}

describe('Outbox: channel (spec "Mapping entry" 3, behaviour §5)', () => {
  const serve =
    (...served: readonly ChannelId[]) =>
    ({ channel: provider }: WorkUnderTest): ChannelBindings =>
      Object.fromEntries(served.map((id) => [id, { provider, to: `to-${id}` }]));

  it('last is the channel of the last route', async () => {
    await startRouted();
    expect(await find()).toEqual({ channel: 'chan_2', to: 'chat-9' });
  });

  it('last without a last route is the only channel there is', async () => {
    await start(serve('chan_2'));
    expect(await find()).toEqual({ channel: 'chan_2', to: 'to-chan_2' });
  });

  it('of several it is chan_1, whether or not that is served', async () => {
    await start(serve('chan_1', 'chan_2'));
    expect(await find()).toEqual({ channel: 'chan_1', to: 'to-chan_1' });
    await start(serve('chan_2', 'chan_3'));
    expect(await find()).toEqual({ channel: 'chan_1', to: null });
  });

  it('or what channels.default says', async () => {
    await start((it) => ({ ...serve('chan_2', 'chan_3')(it), default: 'chan_3' }));
    expect(await find()).toEqual({ channel: 'chan_3', to: 'to-chan_3' });
  });

  it('a last route through a channel that is gone is none', async () => {
    await start(serve('chan_2'));
    work.sessions.last = { channel: 'chan_1', to: '+7' };
    expect(await find()).toEqual({ channel: 'chan_2', to: 'to-chan_2' });
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

  it('else channels.<id>.to, whomever the channel spoke to last', async () => {
    await startRouted();
    expect(await find({ channel: 'chan_1' })).toMatchObject({ to: '+1' });
    work.sessions.last = { channel: 'chan_1', to: '+9' };
    expect(await find()).toMatchObject({ to: '+1' });
  });

  it('else the last recipient of that channel in the main session', async () => {
    await startRouted();
    work.sessions.byChannel = { chan_2: 'chat-8' };
    expect(await find()).toMatchObject({ to: 'chat-8' });
    expect(await find({ channel: 'chan_2' })).toMatchObject({ to: 'chat-8' });
  });

  it('else the recipient of the last route, for last only', async () => {
    await startRouted();
    expect(await find()).toMatchObject({ to: 'chat-9' });
    expect(await find({ channel: 'chan_2' })).toMatchObject({ to: null });
  });
});

describe('Outbox: acknowledgements (spec field deliver, behaviour §5)', () => {
  it.each([
    'HEARTBEAT_OK',
    ' \nHEARTBEAT_OK\n',
    'HEARTBEAT_OK.',
    '**HEARTBEAT_OK**.',
    '**HEARTBEAT_OK.**',
    '__HEARTBEAT_OK__',
    '`HEARTBEAT_OK`',
    '```\nHEARTBEAT_OK\n```',
    '<b>HEARTBEAT_OK</b>&nbsp;',
    '# HEARTBEAT_OK',
    '"HEARTBEAT_OK"',
    'HEARTBEAT_OK 👍🏽',
    'HEARTBEAT_OK\n\nHEARTBEAT_OK',
    'heartbeat_ok',
    'HEARTBEAT OK',
    'HEARTBEAT-OK.',
    'HEARTBEAT\\_OK',
    'HEARTBEAT_OK<|im_end|>',
    '{"status":"HEARTBEAT_OK"}',
    '```json\n{"status": "HEARTBEAT_OK", "alerts": [], "note": null}\n```',
    '<think>nothing new</think>HEARTBEAT_OK',
  ])('%j is one', async (reply) => {
    work.runner.reply = () => reply;
    const { delivery, message } = await replyTo({ channel: 'last' });
    const error = 'the reply is a heartbeat acknowledgement';
    expect(delivery).toMatchObject({ status: 'skipped', error });
    expect(message).toBeUndefined();
  });

  it.each([
    ['Disk is 97% full on db1, act. HEARTBEAT_OK', 'Disk is 97% full on db1, act.'],
    ['HEARTBEAT_OK The database is on fire.', 'The database is on fire.'],
    ['HEARTBEAT_OK: all quiet', 'all quiet'],
    ['all quiet — HEARTBEAT_OK!', 'all quiet'],
    ['**HEARTBEAT_OK** all quiet', 'all quiet'],
    ['**HEARTBEAT_OK all quiet**', '**all quiet**'],
    ['**all quiet HEARTBEAT_OK**', '**all quiet**'],
    ['HEARTBEAT_OK **All** quiet', '**All** quiet'],
    ['All **quiet** HEARTBEAT_OK', 'All **quiet**'],
    ['HEARTBEAT_OK\n- one\n- two', '- one\n- two'],
    ['HEARTBEAT_OK -5°C outside', '-5°C outside'],
    ['HEARTBEAT_OK. One more. HEARTBEAT_OK', 'One more.'],
    [`HEARTBEAT_OK ${'x'.repeat(400)}`, 'x'.repeat(400)],
    ['HEARTBEAT OK: all quiet', 'all quiet'],
  ])('%j is delivered as %j', async (reply, text) => {
    work.runner.reply = () => reply;
    expect((await replyTo({ channel: 'last' })).job).toMatchObject({ text });
  });

  it.each([
    'I say HEARTBEAT_OK because',
    'Heartbeat OK for db1',
    'heartbeat ok',
    '{"status":"HEARTBEAT_OK","disk":97}',
    '{"status":"HEARTBEAT_OK","note":"the disk is full"}',
    `{"status":"HEARTBEAT_OK","rows":[${'"",'.repeat(400)}""]}`,
    '{"note":"","alerts":[]}',
    'HEARTBEAT_OKAY',
    'HEARTBEAT_OK_2 is set',
    'NO_HEARTBEAT_OK',
    ' the disk is full\n',
    '👍',
    '***',
  ])('%j holds none, and is delivered as it is', async (text) => {
    work.runner.reply = () => text;
    expect((await replyTo({ channel: 'last' })).job).toMatchObject({ text });
  });

  it('an empty reply is none', async () => {
    work.runner.reply = () => '';
    const { delivery } = await replyTo({ channel: 'last' });
    expect(delivery).toMatchObject({ status: 'skipped', error: 'the reply is empty' });
  });

  it('of heartbeats may say more, up to agents.defaults.heartbeat.ackMaxChars', async () => {
    await work.settings.replace({ agents: { defaults: { heartbeat: { ackMaxChars: 1 } } } });
    work.sessions.pending = [systemEvent(1, 'disk full')];
    for (const [reply, count] of [
      ['HEARTBEAT_OK ab', 1],
      ['HEARTBEAT_OK a', 0],
    ] as const) {
      work.runner.reply = () => reply;
      const { changes } = await work.perform(heartbeatLease());
      const messages = only(changes, 'work').filter(({ work: { lane } }) => lane === 'delivery');
      expect(messages).toHaveLength(count);
      expect((await replyTo({ channel: 'last' })).delivery).toMatchObject({ status: 'pending' });
    }
  });
});
