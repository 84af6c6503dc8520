import { AgentError } from '../ports/index.ts';
import {
  WorkRoom,
  kindsOf,
  only,
  runLease,
  settled,
  systemEvent,
} from '../../../test/support/work-room.ts';
import { Unrepeatable } from './interruption.ts';

const UNLESS = { summary: 'unless-delivered' } as const;

function perform(room: WorkRoom, ...lease: Parameters<typeof runLease>) {
  return room.run.perform(runLease(...lease), room.stop.signal);
}

function failing(error: Error): () => never {
  return () => {
    throw error;
  };
}

describe('RunStep: the order of effects (behaviour §5, spec "POST /hooks/agent")', () => {
  it('is run, transcript, summary, heartbeat, delivery, in one commit', async () => {
    const { end, changes } = await perform(new WorkRoom());
    expect(end).toEqual({ type: 'done' });
    expect(kindsOf(changes)).toEqual([
      'run-update',
      'turn',
      'system-event',
      'work:heartbeat',
      'delivery',
      'work:delivery',
    ]);
  });

  it('tells the run, the summary and its trust', async () => {
    const { changes } = await perform(new WorkRoom());
    expect(only(changes, 'run-update')).toMatchObject([
      {
        id: 'run-1',
        status: 'succeeded',
        reply: 'the reply',
        error: null,
        summary: 'Hook CI: the reply',
      },
    ]);
    expect(only(changes, 'system-event')).toMatchObject([
      {
        session: 'agent:main:main',
        text: 'Hook CI: the reply',
        asksHeartbeat: true,
        eventId: 'event-1',
        trust: { level: 'untrusted', verifiedBy: 'none' },
      },
    ]);
  });

  it('posts into the main session of the agent that ran', async () => {
    const room = new WorkRoom({ agents: { list: [{ id: 'main' }, { id: 'ops' }] } });
    const { changes } = await perform(room, { agentId: 'ops', session: 'agent:ops:hook:x' });
    expect(only(changes, 'system-event')).toMatchObject([{ session: 'agent:ops:main' }]);
    expect(only(changes, 'work')[0]?.work).toMatchObject({
      key: 'agent:ops:main',
      kind: 'heartbeat',
    });
  });

  it('of an agent that is no longer there fails, and no other agent is asked', async () => {
    const room = new WorkRoom();
    const { end, changes } = await perform(room, { agentId: 'ops', session: 'agent:ops:hook:x' });
    expect(room.runner.turns).toEqual([]);
    expect(end).toEqual({ type: 'dead' });
    expect(only(changes, 'run-update')).toMatchObject([
      { status: 'failed', error: expect.stringContaining('agent "ops" is no longer') },
    ]);
    expect(kindsOf(changes)).not.toContain('delivery');
  });

  it('labels the summary of a trusted hook untrusted, too', async () => {
    const { changes } = await perform(new WorkRoom(), {
      trust: { level: 'trusted', verifiedBy: 'token', mapping: 'm' },
    });
    expect(only(changes, 'system-event')[0]?.trust).toEqual({
      level: 'untrusted',
      verifiedBy: 'none',
      mapping: 'm',
    });
  });

  it('asks no heartbeat for wakeMode next-heartbeat', async () => {
    const { changes } = await perform(new WorkRoom(), {
      wakeMode: 'next-heartbeat',
      deliver: null,
    });
    expect(kindsOf(changes)).toEqual(['run-update', 'turn', 'system-event']);
    expect(only(changes, 'system-event')[0]?.asksHeartbeat).toBe(false);
  });

  it('delivers nothing when deliver is false', async () => {
    const { changes } = await perform(new WorkRoom(), { deliver: null });
    expect(kindsOf(changes)).toEqual(['run-update', 'turn', 'system-event', 'work:heartbeat']);
  });

  it.each([
    ['HEARTBEAT_OK nothing to do', 'the reply is a heartbeat acknowledgement'],
    [' \n', 'the reply is empty'],
  ])('skips the delivery of %j and says why', async (reply, error) => {
    const room = new WorkRoom();
    room.runner.reply = () => reply;
    const { changes } = await perform(room);
    expect(only(changes, 'delivery')).toMatchObject([{ status: 'skipped', error }]);
    expect(kindsOf(changes)).not.toContain('work:delivery');
    expect(kindsOf(changes)).toContain('system-event');
  });
});

describe('RunStep: hooks.summary unless-delivered (behaviour §5)', () => {
  it('leaves summary and heartbeat to the delivery', async () => {
    const { changes } = await perform(new WorkRoom(UNLESS));
    expect(kindsOf(changes)).toEqual(['run-update', 'turn', 'delivery', 'work:delivery']);
    expect(only(changes, 'run-update')[0]).not.toHaveProperty('summary');
    expect(only(changes, 'work')[0]?.work.order).toMatchObject({
      summaryIfUndelivered: 'Hook CI: the reply',
      wakeMode: 'now',
    });
  });

  it('posts at once when nothing is on its way', async () => {
    const room = new WorkRoom(UNLESS);
    room.runner.reply = () => 'HEARTBEAT_OK';
    const { changes } = await perform(room);
    expect(kindsOf(changes)).toEqual([
      'run-update',
      'turn',
      'system-event',
      'work:heartbeat',
      'delivery',
    ]);
  });

  it('posts at once when the run failed', async () => {
    const room = new WorkRoom(UNLESS);
    room.runner.reply = failing(new AgentError('no such model', 'permanent'));
    const { changes } = await perform(room);
    expect(kindsOf(changes)).toEqual(['run-update', 'system-event', 'work:heartbeat']);
  });

  it('never loses the summary to a reload in the middle of the step', async () => {
    const room = new WorkRoom();
    room.conversations.routes = async () => {
      await room.settings.replace(UNLESS);
      return { last: null, byChannel: {} };
    };
    expect(kindsOf((await perform(room)).changes)).toContain('system-event');
  });

  it('with always the delivery carries neither summary nor heartbeat', async () => {
    const { changes } = await perform(new WorkRoom());
    const order = only(changes, 'work').at(-1)?.work.order;
    expect(order).toMatchObject({ wakeMode: 'none' });
    expect(order).not.toHaveProperty('summaryIfUndelivered');
  });
});

describe('RunStep: failure, timeout, interruption, retry (behaviour §5, §13)', () => {
  it('a permanent failure posts its reason, delivers nothing and can be retried by an operator', async () => {
    const room = new WorkRoom();
    room.runner.reply = failing(new AgentError('no such model', 'permanent'));
    const { end, changes } = await perform(room);
    expect(end).toEqual({ type: 'dead' });
    expect(kindsOf(changes)).toEqual(['run-update', 'system-event', 'work:heartbeat']);
    expect(only(changes, 'run-update')[0]).toMatchObject({
      status: 'failed',
      error: 'no such model',
      note: { outcome: 'failed', attempt: 1 },
    });
    expect(only(changes, 'system-event')[0]?.text).toBe('Hook CI (error): no such model');
  });

  it('any other error of a runner counts as permanent', async () => {
    const room = new WorkRoom();
    room.runner.reply = failing(new TypeError('oops'));
    expect((await perform(room)).end).toEqual({ type: 'dead' });
  });

  it('a retryable failure goes back into the queue without any effect', async () => {
    const room = new WorkRoom();
    room.runner.reply = failing(new AgentError('overloaded', 'retryable', 60_000));
    const { end, changes } = await perform(room);
    expect(end).toEqual({ type: 'retry', at: room.clock.now() + 60_000 });
    expect(changes).toMatchObject([
      {
        type: 'run-update',
        status: 'queued',
        error: 'overloaded',
        note: { outcome: 'retry', attempt: 1 },
      },
    ]);
  });

  it('the last attempt of a retryable failure is a failure', async () => {
    const room = new WorkRoom();
    room.runner.reply = failing(new AgentError('overloaded', 'retryable'));
    const { end, changes } = await perform(room, {}, { attempt: 9, failures: 5 });
    expect(end).toEqual({ type: 'dead' });
    expect(kindsOf(changes)).toContain('system-event');
  });

  it('interruptions do not use up the attempts', async () => {
    const room = new WorkRoom();
    room.runner.reply = failing(new AgentError('overloaded', 'retryable'));
    expect((await perform(room, {}, { attempt: 9, failures: 4 })).end.type).toBe('retry');
  });

  it('times out from the start of the run, even when the runner ignores its signal', async () => {
    const room = new WorkRoom();
    room.runner.reply = () => new Promise<string>(() => {});
    const step = perform(room, { timeoutSeconds: 0.5 });
    await settled();
    room.clock.advance(500);
    const { end, changes } = await step;
    expect(end).toEqual({ type: 'dead' });
    expect(only(changes, 'run-update')[0]).toMatchObject({ status: 'timed-out' });
    expect(only(changes, 'system-event')[0]?.text).toBe('Hook CI (timeout): no reply within 0.5 s');
  });
});

/** A run that the stop of the service cuts off. */
async function stopped(room: WorkRoom, ...lease: Parameters<typeof runLease>) {
  room.runner.reply = () => new Promise<string>(() => {});
  const step = perform(room, ...lease);
  await settled();
  room.stop.abort();
  return step;
}

describe('RunStep: a stop (issue 4.9)', () => {
  it('leaves a run that cannot have acted to the next start, and the story says so', async () => {
    const room = new WorkRoom();
    const { end, changes } = await stopped(room);
    expect(end).toEqual({ type: 'retry', at: room.clock.now(), interrupted: true });
    const error = 'the service stopped during the run';
    expect(changes).toMatchObject([
      { type: 'run-update', status: 'queued', note: { outcome: 'interrupted', error } },
    ]);
  });

  it.each([
    [
      'may have acted',
      false,
      0,
      'the run was interrupted; it may have acted, so it is not begun again',
    ],
    ['was begun again before', true, 1, 'the run was interrupted 2 times; it is not begun again'],
  ])('ends a run that %s, and delivers nothing', async (_, isSafe, interruptions, error) => {
    const room = new WorkRoom();
    room.runner.isSafe = isSafe;
    const { end, changes } = await stopped(room, {}, { interruptions });
    expect(end).toEqual({ type: 'dead' });
    expect(kindsOf(changes)).toEqual(['run-update', 'system-event', 'work:heartbeat']);
    expect(only(changes, 'run-update')).toMatchObject([
      { status: 'interrupted', error, note: { outcome: 'interrupted' } },
    ]);
    expect(only(changes, 'system-event')).toMatchObject([{ text: `Hook CI (error): ${error}` }]);
  });

  it('tells the tool calls of a run that may have acted', async () => {
    const room = new WorkRoom();
    room.runner.isSafe = false;
    room.runner.toolCalls = [
      { tool: 'a_b', input: '{}', outcome: 'succeeded', result: 'x', ms: 3 },
    ];
    const { changes } = await stopped(room);
    const { toolCalls } = room.runner;
    expect(only(changes, 'run-update')).toMatchObject([{ status: 'interrupted', toolCalls }]);
  });

  it('before the agent was asked gives the run back with its place, whoever the agent is', async () => {
    const room = new WorkRoom();
    room.runner.isSafe = false;
    room.stop.abort();
    const { end, changes } = await perform(room);
    expect(end).toEqual({ type: 'release' });
    const note = { outcome: 'interrupted', error: 'the service stopped before the run' };
    expect(changes).toMatchObject([{ type: 'run-update', status: 'queued', note }]);
    expect(room.runner.turns).toEqual([]);
  });
});

describe('RunStep: a run whose process died (issue 4.9)', () => {
  it.each([true, false])('is begun again once if it cannot have acted', async (isSafe) => {
    const room = new WorkRoom();
    // What its agent can do by now makes no difference.
    room.runner.isSafe = isSafe;
    const { end } = await perform(room, {}, { attempt: 2, interruptions: 1 });
    expect(end).toEqual({ type: 'done' });
  });

  it.each([
    [
      'may have acted',
      true,
      1,
      'the run was interrupted; it may have acted, so it is not begun again',
    ],
    ['was begun again before', false, 2, 'the run was interrupted 2 times; it is not begun again'],
  ])('is not begun again when it %s', async (_, mayHaveActed, interruptions, error) => {
    const room = new WorkRoom();
    const { end, changes } = await perform(room, {}, { attempt: 3, interruptions, mayHaveActed });
    expect(room.runner.turns).toEqual([]);
    expect(end).toEqual({ type: 'dead' });
    expect(kindsOf(changes)).toEqual(['run-update', 'system-event', 'work:heartbeat']);
    expect(only(changes, 'run-update')).toMatchObject([{ status: 'interrupted', error }]);
    expect(only(changes, 'system-event')).toMatchObject([{ text: `Hook CI (error): ${error}` }]);
  });

  it('posts that summary with unless-delivered, too', async () => {
    const room = new WorkRoom(UNLESS);
    const { changes } = await perform(room, {}, { interruptions: 1, mayHaveActed: true });
    expect(kindsOf(changes)).toEqual(['run-update', 'system-event', 'work:heartbeat']);
  });

  it('is noted before the agent is asked if it can act, or if its runner cannot say', async () => {
    for (const mayRepeat of [() => false, () => raise(new Error('no idea'))]) {
      const room = new WorkRoom();
      room.runner.mayRepeat = mayRepeat;
      await perform(room);
      expect(room.work.acting).toEqual([runLease().workId]);
    }
  });
});

describe('RunStep: what breaks after the agent has answered', () => {
  const broken = () => {
    const room = new WorkRoom();
    room.conversations.routes = () => Promise.reject(new Error('no routes'));
    return room;
  };

  it('is tried again where the agent may be asked twice', async () => {
    await expect(perform(broken())).rejects.toThrow('no routes');
  });

  it('is not tried again where it may not', async () => {
    const room = broken();
    room.runner.isSafe = false;
    await expect(perform(room)).rejects.toThrow(Unrepeatable);
  });
});

describe('RunStep: the story of the run (issue 4.1, 4.8)', () => {
  const toolCall = { tool: 'a_b', input: '{}', outcome: 'succeeded', result: 'x', ms: 3 } as const;

  it('is told usage, warnings, tool calls and the contract', async () => {
    const room = new WorkRoom();
    const usage = { inputTokens: 3, outputTokens: 4 };
    room.runner.extras = { usage, warnings: ['no thinking'] };
    room.runner.toolCalls = [toolCall];
    const { changes } = await perform(room, { deliver: null });
    expect(only(changes, 'run-update')).toMatchObject([
      {
        usage,
        warnings: ['no thinking'],
        toolCalls: [toolCall],
        contract: {
          trust: 'untrusted',
          verifiedBy: 'token',
          allowedTools: [],
          mayDeliverTo: null,
        },
      },
    ]);
  });

  it('keeps the first 2,000 characters of what went into a tool and came out', async () => {
    const room = new WorkRoom();
    const long = 'x'.repeat(3000);
    room.runner.toolCalls = [{ ...toolCall, input: long, result: long }];
    const { changes } = await perform(room);
    const told = only(changes, 'run-update')[0]?.toolCalls?.[0];
    expect([told?.input.length, told?.result.length]).toEqual([2000, 2000]);
  });

  it.each([
    ['fails', { outcome: 'failed' }, new AgentError('no', 'permanent')],
    ['is to be tried again', { outcome: 'retry' }, new AgentError('-', 'retryable')],
  ])('is told the tool calls of a run that %s', async (_, note, error) => {
    const room = new WorkRoom();
    room.runner.reply = failing(error);
    room.runner.toolCalls = [{ ...toolCall, result: 'x'.repeat(3000) }];
    const { changes } = await perform(room);
    const toolCalls = [{ ...toolCall, result: 'x'.repeat(2000) }];
    expect(only(changes, 'run-update')).toMatchObject([{ note, toolCalls }]);
  });

  it.each([
    ['fails', { outcome: 'failed' }, new AgentError('no', 'permanent')],
    ['has to be tried again', { outcome: 'retry' }, new AgentError('later', 'retryable')],
  ])('has the contract of a run that %s', async (_, note, error) => {
    const room = new WorkRoom();
    room.runner.reply = failing(error);
    const { changes } = await perform(room);
    const contract = { mayDeliverTo: { channel: 'last' } };
    expect(only(changes, 'run-update')).toMatchObject([{ note, contract }]);
  });
});

describe('RunStep: what the agent sees (behaviour §6, §9)', () => {
  it('is the fenced message, the model and thinking of the order, and no history', async () => {
    const room = new WorkRoom();
    await perform(room, { instructions: 'Sort.', model: 'local/a', thinking: 'low' });
    expect(room.runner.turns).toMatchObject([
      {
        id: 'run-1',
        kind: 'run',
        sessionKey: 'agent:main:hook:x',
        history: [],
        model: 'local/a',
        thinking: 'low',
      },
    ]);
    expect(room.runner.turns[0]?.prompt).toMatch(
      /^Sort\.\n\nSECURITY NOTICE[^]*>>>[^]*the build broke\n<<<END_/u,
    );
  });

  it('is the bare message when the operator vouches for it', async () => {
    const room = new WorkRoom();
    await perform(room, { trust: { level: 'trusted', verifiedBy: 'token' } });
    expect(room.runner.turns[0]?.prompt).toMatch(/^the build broke\n\nReceived: /u);
  });

  it('isolated: begins the transcript anew and reads nothing', async () => {
    const room = new WorkRoom();
    const { changes } = await perform(room);
    expect(room.conversations.read).toEqual([]);
    expect(only(changes, 'turn')).toMatchObject([
      { session: 'agent:main:hook:x', replace: true, isUntrusted: true },
    ]);
  });

  it('isolated on main: reads, writes and consumes nothing there but the summary', async () => {
    const room = new WorkRoom();
    room.conversations.pending = [systemEvent(7, 'disk full')];
    const { changes } = await perform(room, { session: 'agent:main:main', deliver: null });
    expect(room.conversations.read).toEqual([]);
    expect(kindsOf(changes)).toEqual(['run-update', 'system-event', 'work:heartbeat']);
  });

  it('persistent: continues the conversation and consumes the events it showed', async () => {
    const room = new WorkRoom();
    room.conversations.history = [{ role: 'user', text: 'earlier' }];
    room.conversations.pending = [systemEvent(6, 'disk full'), systemEvent(7, 'disk fine')];
    const { changes } = await perform(room, {
      session: 'agent:main:main',
      sessionMode: 'persistent',
    });
    expect(room.runner.turns[0]).toMatchObject({
      history: [{ text: 'earlier' }],
      prompt: expect.stringContaining('disk full'),
    });
    expect(only(changes, 'turn')).toMatchObject([{ replace: false }]);
    expect(only(changes, 'consume')).toEqual([
      { type: 'consume', session: 'agent:main:main', through: 7 },
    ]);
  });

  it('persistent and trusted: is untrusted all the same when it is shown a foreign line', async () => {
    const room = new WorkRoom();
    room.conversations.pending = [systemEvent(4, 'from outside')];
    const trust = { level: 'trusted', verifiedBy: 'token' } as const;
    await perform(room, { sessionMode: 'persistent', trust });
    expect(room.runner.turns).toMatchObject([
      { contract: { trust: 'untrusted', verifiedBy: 'token', allowedTools: [] } },
    ]);
  });

  it('persistent and trusted: is untrusted in a session that has heard foreign text before', async () => {
    const room = new WorkRoom();
    room.conversations.isUntrusted = true;
    const trust = { level: 'trusted', verifiedBy: 'token' } as const;
    const { changes } = await perform(room, { sessionMode: 'persistent', trust });
    expect(room.runner.turns).toMatchObject([{ contract: { trust: 'untrusted' } }]);
    expect(only(changes, 'turn')).toMatchObject([{ isUntrusted: true }]);
  });

  it('isolated and trusted: is trusted whatever the session has heard', async () => {
    const room = new WorkRoom();
    room.conversations.isUntrusted = true;
    const { changes } = await perform(room, { trust: { level: 'trusted', verifiedBy: 'token' } });
    expect(room.runner.turns).toMatchObject([{ contract: { trust: 'trusted' } }]);
    expect(only(changes, 'turn')).toMatchObject([{ isUntrusted: false }]);
  });

  it('persistent and failed: consumes and writes nothing', async () => {
    const room = new WorkRoom();
    room.conversations.pending = [systemEvent(7, 'disk full')];
    room.runner.reply = failing(new AgentError('no', 'permanent'));
    const { changes } = await perform(room, { sessionMode: 'persistent' });
    expect(kindsOf(changes)).toEqual(['run-update', 'system-event', 'work:heartbeat']);
  });
});

describe("RunStep: the runner's own session (behaviour §6)", () => {
  const persistent = { sessionMode: 'persistent' } as const;
  const first = async (given: ConstructorParameters<typeof WorkRoom>[0] = {}) => {
    const room = new WorkRoom(given);
    room.runner.extras = { runnerSession: 'abc' };
    const { changes } = await perform(room, persistent);
    return only(changes, 'turn')[0]?.runnerSession ?? null;
  };

  it('is kept and given back in the next turn', async () => {
    const room = new WorkRoom();
    room.conversations.runnerSession = await first();
    await perform(room, persistent);
    expect(room.runner.turns[0]?.runnerSession).toBe('abc');
  });

  it('is gone when a turn returns none', async () => {
    const room = new WorkRoom();
    room.conversations.runnerSession = await first();
    const { changes } = await perform(room, persistent);
    expect(only(changes, 'turn')[0]?.runnerSession).toBeUndefined();
  });

  it('is not given to another runner than the one it came from', async () => {
    const room = new WorkRoom();
    room.conversations.runnerSession = await first({
      agents: { list: [{ id: 'main', workspace: '/elsewhere' }] },
    });
    await perform(room, persistent);
    expect(room.runner.turns[0]?.runnerSession).toBeUndefined();
  });

  it('is neither given to an isolated run nor kept of it', async () => {
    const room = new WorkRoom();
    room.conversations.runnerSession = await first();
    room.runner.extras = { runnerSession: 'abc' };
    const { changes } = await perform(room);
    expect(room.runner.turns[0]?.runnerSession).toBeUndefined();
    expect(only(changes, 'turn')[0]?.runnerSession).toBeUndefined();
  });
});

function raise(error: Error): never {
  throw error;
}
