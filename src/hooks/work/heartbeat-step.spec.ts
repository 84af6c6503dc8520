import { Logger } from '@nestjs/common';
import { AgentError } from '../ports/index.ts';
import {
  WorkRoom,
  heartbeatLease,
  kindsOf,
  only,
  settled,
  systemEvent,
} from '../../../test/support/work-room.ts';

beforeAll(() => Logger.overrideLogger(false));
afterAll(() => Logger.overrideLogger(['log', 'error', 'warn']));

function waiting(given: ConstructorParameters<typeof WorkRoom>[0] = {}): WorkRoom {
  const room = new WorkRoom(given);
  room.conversations.pending = [systemEvent(4, 'disk full'), systemEvent(5, 'disk fine')];
  return room;
}

function perform(room: WorkRoom, ...lease: Parameters<typeof heartbeatLease>) {
  return room.heartbeat.perform(heartbeatLease(...lease), room.stop.signal);
}

/** A turn that the stop of the service cuts off. */
async function stopped(room: WorkRoom) {
  room.runner.reply = () => new Promise<string>(() => {});
  const step = perform(room);
  await settled();
  room.stop.abort();
  return step;
}

const OFF = { agents: { defaults: { heartbeat: { every: '0m' } } } };

describe('HeartbeatStep: a turn on the main session (behaviour §12)', () => {
  it('asks the heartbeat prompt with every pending event, fenced, and the history', async () => {
    const room = waiting({ agents: { defaults: { heartbeat: { prompt: 'Look.' } } } });
    room.conversations.history = [{ role: 'assistant', text: 'earlier' }];
    await perform(room);
    expect(room.runner.turns).toMatchObject([
      {
        id: 'heartbeat-2',
        kind: 'heartbeat',
        sessionKey: 'agent:main:main',
        history: [{ text: 'earlier' }],
        contract: { trust: 'untrusted', allowedTools: [], mayDeliverTo: { channel: 'last' } },
      },
    ]);
    expect(room.runner.turns[0]?.prompt).toMatch(
      /^Look\.\n\nSECURITY NOTICE[^]*disk full[^]*disk fine/u,
    );
  });

  it('consumes the events, keeps the conversation, and schedules the next', async () => {
    const { end, changes } = await perform(waiting());
    expect(end).toEqual({ type: 'done' });
    expect(kindsOf(changes)).toEqual(['consume', 'turn', 'work:heartbeat']);
    expect(only(changes, 'consume')).toEqual([
      { type: 'consume', session: 'agent:main:main', through: 5 },
    ]);
    expect(only(changes, 'turn')).toMatchObject([
      { replace: false, prompt: expect.stringContaining('disk full'), reply: 'the reply' },
    ]);
  });

  it('names the model behind an alias to the runner', async () => {
    const room = waiting({
      agents: { defaults: { model: 'fast' } },
      models: { aliases: { fast: 'local/llama3' } },
    });
    await perform(room);
    expect(room.runner.turns[0]?.model).toBe('local/llama3');
  });

  it('asks for another one when more events wait than it was shown', async () => {
    const room = waiting();
    room.conversations.hasMore = true;
    const { changes } = await perform(room);
    expect(only(changes, 'work').map(({ work }) => work)).toMatchObject([
      { order: { isPeriodic: false }, dueAt: room.clock.now() + 250, once: true },
      { order: { isPeriodic: true } },
    ]);
  });

  it('somebody else has shown the events already: no turn', async () => {
    const room = new WorkRoom();
    const { end, changes } = await perform(room);
    expect([end, kindsOf(changes)]).toEqual([{ type: 'done' }, ['work:heartbeat']]);
    expect(room.journal).toEqual([]);
  });

  it('a periodic one takes its turn without events, too', async () => {
    const room = new WorkRoom();
    await perform(room, true);
    expect(room.runner.turns[0]).toMatchObject({
      contract: { trust: 'trusted', allowedTools: 'all' },
      prompt: expect.not.stringContaining('SECURITY'),
    });
  });
});

describe('HeartbeatStep: an agent that is no longer configured', () => {
  it('takes no turn of another agent, keeps the events and schedules none', async () => {
    const room = waiting({ agents: { list: [{ id: 'other' }] } });
    const { end, changes } = await perform(room);
    expect([end, kindsOf(changes)]).toEqual([{ type: 'done' }, ['heartbeat-failed']]);
    expect(room.runner.turns).toEqual([]);
  });
});

describe('HeartbeatStep: a step that breaks again and again', () => {
  it('leaves every event waiting, says so, and schedules the next', () => {
    const { end, changes } = waiting().heartbeat.giveUp(heartbeatLease());
    expect([end, kindsOf(changes)]).toEqual([
      { type: 'done' },
      ['heartbeat-failed', 'work:heartbeat'],
    ]);
  });
});

describe('HeartbeatStep: a long conversation', () => {
  it.each([
    [{}, 200_000],
    [{ historyTokens: 10 }, 40],
  ])('asks of it what %j allows, at 4 characters a token', async (defaults, characters) => {
    const room = waiting({ agents: { defaults } });
    await perform(room);
    expect(room.conversations.limits).toMatchObject({ maxHistoryCharacters: characters });
  });
});

describe('HeartbeatStep: a session that has heard foreign text', () => {
  it('makes a later turn untrusted though nothing foreign waits', async () => {
    const room = new WorkRoom();
    room.conversations.isUntrusted = true;
    const { changes } = await perform(room, true);
    expect(room.runner.turns).toMatchObject([{ contract: { trust: 'untrusted' } }]);
    expect(only(changes, 'turn')).toMatchObject([{ isUntrusted: true }]);
  });

  it('stays trusted while nothing foreign came', async () => {
    const { changes } = await perform(new WorkRoom(), true);
    expect(only(changes, 'turn')).toMatchObject([{ isUntrusted: false }]);
  });
});

describe('HeartbeatStep: its reply (behaviour §12)', () => {
  it('goes to the last route', async () => {
    const room = waiting();
    room.conversations.last = { channel: 'chan_1', to: '+7' };
    const { changes } = await perform(room);
    const order = only(changes, 'work')[0]?.work;
    expect(order).toMatchObject({
      kind: 'delivery',
      key: 'chan_1 +7',
      order: { text: 'the reply', eventId: null, becomesLastRoute: false, wakeMode: 'none' },
    });
  });

  it.each([
    ['is an acknowledgement', 'HEARTBEAT_OK', { channel: 'chan_1', to: '+7' }],
    ['is empty', '', { channel: 'chan_1', to: '+7' }],
    ['has no last route', 'news', null],
    ['has a last route whose channel is gone', 'news', { channel: 'chan_2', to: '+7' }],
  ] as const)('stays at home when it %s', async (_, reply, last) => {
    const room = waiting();
    room.runner.reply = () => reply;
    room.conversations.last = last;
    expect(kindsOf((await perform(room)).changes)).toEqual(['consume', 'turn', 'work:heartbeat']);
  });
});

describe('HeartbeatStep: agents.defaults.heartbeat.channel and to', () => {
  const to = (heartbeat: object) => {
    const room = waiting({ agents: { defaults: { heartbeat } } });
    room.conversations.last = { channel: 'chan_1', to: '+7' };
    room.conversations.byChannel = { chan_1: '+7' };
    return room;
  };
  const orderOf = async (room: WorkRoom) =>
    only((await perform(room)).changes, 'work')[0]?.work.order;

  it.each([
    [
      { channel: 'chan_2', to: '42' },
      { channel: 'chan_2', to: '42' },
    ],
    [{ channel: 'chan_1' }, { channel: 'chan_1', to: '+7' }],
    [{ to: '42' }, { channel: 'chan_1', to: '42' }],
  ] as const)('%j: the reply goes to %j', async (heartbeat, address) => {
    const room = to(heartbeat);
    expect(await orderOf(room)).toMatchObject({ ...address, becomesLastRoute: false });
  });

  it('are what the contract says', async () => {
    const room = to({ channel: 'chan_2', to: '42' });
    await perform(room);
    expect(room.runner.turns[0]?.contract.mayDeliverTo).toEqual({ channel: 'chan_2', to: '42' });
  });

  it('a named channel needs no last route', async () => {
    const room = to({ channel: 'chan_2', to: '42' });
    room.conversations.last = null;
    expect(await orderOf(room)).toMatchObject({ channel: 'chan_2', to: '42' });
  });

  it('a recipient alone is not spoken to before there is a last route', async () => {
    const room = to({ to: '42' });
    room.conversations.last = null;
    expect(kindsOf((await perform(room)).changes)).toEqual(['consume', 'turn', 'work:heartbeat']);
  });
});

describe('HeartbeatStep: events are consumed only when the turn succeeded (behaviour §12)', () => {
  it('a retryable failure consumes nothing and tries again', async () => {
    const room = waiting();
    room.runner.reply = () => Promise.reject(new AgentError('overloaded', 'retryable', 5000));
    expect(await perform(room)).toEqual({
      end: { type: 'retry', at: room.clock.now() + 5000 },
      changes: [],
    });
  });

  it.each([
    ['a permanent failure', 'permanent', 0],
    ['the third retryable failure', 'retryable', 2],
  ] as const)('%s keeps the events, says so, and schedules the next', async (_, kind, failures) => {
    const room = waiting();
    room.runner.reply = () => Promise.reject(new AgentError('no', kind));
    const { end, changes } = await perform(room, false, { failures });
    expect(end).toEqual({ type: 'done' });
    expect(kindsOf(changes)).toEqual(['heartbeat-failed', 'work:heartbeat']);
  });

  it.each([
    ['once, where its runner may have acted', true, 1],
    ['twice, wherever', false, 2],
  ])(
    'a heartbeat that was interrupted %s, keeps the events',
    async (_, mayHaveActed, interruptions) => {
      const room = waiting();
      const lease = { attempt: 4, interruptions, mayHaveActed };
      const { end, changes } = await perform(room, true, lease);
      expect(room.runner.turns).toEqual([]);
      expect(end).toEqual({ type: 'done' });
      expect(kindsOf(changes)).toEqual(['heartbeat-failed', 'work:heartbeat']);
    },
  );

  it('a timeout keeps the events', async () => {
    const room = waiting();
    room.runner.reply = () => new Promise<string>(() => {});
    const step = perform(room);
    await settled();
    room.clock.advance(600_000);
    expect(kindsOf((await step).changes)).toEqual(['heartbeat-failed', 'work:heartbeat']);
  });

  it('a stop keeps the events and begins again at the next start', async () => {
    const room = waiting();
    const end = { type: 'retry', at: room.clock.now(), interrupted: true };
    expect(await stopped(room)).toEqual({ end, changes: [] });
  });

  it('a stop keeps the events and does not begin again what may have acted', async () => {
    const room = waiting();
    room.runner.isSafe = false;
    const { end, changes } = await stopped(room);
    expect([end, kindsOf(changes)]).toEqual([
      { type: 'done' },
      ['heartbeat-failed', 'work:heartbeat'],
    ]);
  });

  it('a stop before the agent was asked costs nothing, whoever the agent is', async () => {
    const room = waiting();
    room.runner.isSafe = false;
    room.stop.abort();
    expect(await perform(room)).toEqual({ end: { type: 'release' }, changes: [] });
    expect(room.runner.turns).toEqual([]);
  });
});

describe('HeartbeatStep: active hours (behaviour §12: they limit periodic heartbeats only)', () => {
  const activeHours = { start: '08:00', end: '18:00', timezone: 'UTC' };
  const limited = { agents: { defaults: { heartbeat: { activeHours } } } };

  it('a periodic one at midnight takes no turn and schedules the next', async () => {
    const room = waiting(limited);
    expect(kindsOf((await perform(room, true)).changes)).toEqual(['work:heartbeat']);
    expect(room.journal).toEqual([]);
  });

  it('an immediate one at midnight comes', async () => {
    const room = waiting(limited);
    await perform(room);
    expect(room.journal).toEqual(['heartbeat agent:main:main']);
  });

  it('a periodic one at eight comes', async () => {
    const room = waiting(limited);
    room.clock.advance(8 * 3_600_000);
    await perform(room, true);
    expect(room.journal).toEqual(['heartbeat agent:main:main']);
  });
});

describe('HeartbeatStep: periodic heartbeats off (behaviour §12)', () => {
  it('a periodic one that still waits does nothing and schedules none', async () => {
    const room = waiting(OFF);
    expect(await perform(room, true)).toEqual({ end: { type: 'done' }, changes: [] });
    expect(room.journal).toEqual([]);
  });

  it('an immediate one still comes', async () => {
    const room = waiting(OFF);
    expect(kindsOf((await perform(room)).changes)).toEqual(['consume', 'turn']);
  });
});
