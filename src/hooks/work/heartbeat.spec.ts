import { AgentError } from '../ports/index.ts';
import type { SystemEvent } from '../ports/index.ts';
import { ManualClock } from '../../../test/support/clocks.ts';
import { heartbeatLease, systemEvent } from '../../../test/support/leases.ts';
import { WorkUnderTest, listKinds, only, settled } from '../../../test/support/work-under-test.ts';
import type { Commit, WorkOptions } from '../../../test/support/work-under-test.ts';

const FAILED = ['heartbeat-failed', 'bad-end', 'work:notice', 'work:heartbeat'];

let work: WorkUnderTest;

async function start(options?: WorkOptions): Promise<void> {
  await work?.close();
  work = await WorkUnderTest.start(options);
  work.sessions.pending = [systemEvent(4, 'disk full'), systemEvent(5, 'disk fine')];
}

beforeEach(() => start());
afterEach(() => work.close());

function perform(...lease: Parameters<typeof heartbeatLease>): Promise<Commit> {
  return work.perform(heartbeatLease(...lease));
}

function stopped(): Promise<Commit> {
  work.runner.reply = () => new Promise<string>(() => {});
  return work.stopDuring(heartbeatLease());
}

const OFF = { agents: { defaults: { heartbeat: { every: '0m' } } } };

describe('HeartbeatStep: a turn on the main session (behaviour §12)', () => {
  it('asks the heartbeat prompt with every pending event between markers, and the history', async () => {
    await start({ agents: { defaults: { heartbeat: { prompt: 'Look.' } } } });
    work.sessions.history = [{ role: 'assistant', text: 'earlier' }];
    await perform();
    expect(work.runner.turns).toMatchObject([
      {
        id: 'heartbeat-2',
        kind: 'heartbeat',
        sessionKey: 'agent:main:main',
        history: [{ text: 'earlier' }],
        contract: { trust: 'untrusted', allowedTools: [], mayDeliverTo: { channel: 'last' } },
      },
    ]);
    expect(work.runner.turns[0]?.prompt).toMatch(
      /^Look\.\n\nSECURITY NOTICE[^]*disk full[^]*disk fine/u,
    );
  });

  it('consumes the events, keeps the conversation, and schedules the next', async () => {
    work.runner.reply = () => 'HEARTBEAT_OK';
    const { outcome, changes } = await perform();
    expect(outcome).toEqual({ type: 'done' });
    expect(listKinds(changes)).toEqual(['consume', 'turn', 'work:heartbeat']);
    expect(only(changes, 'consume')).toEqual([
      { type: 'consume', session: 'agent:main:main', through: 5 },
    ]);
    expect(only(changes, 'turn')).toMatchObject([
      { isIsolated: false, prompt: expect.stringContaining('disk full'), reply: 'HEARTBEAT_OK' },
    ]);
  });

  it('names the model behind an alias to the runner', async () => {
    await start({
      agents: { defaults: { model: 'fast' } },
      models: { aliases: { fast: 'local/llama3' } },
    });
    await perform();
    expect(work.runner.turns[0]?.model).toBe('local/llama3');
  });

  it('asks for another one when more events wait than it was shown', async () => {
    work.runner.reply = () => 'HEARTBEAT_OK';
    work.sessions.hasMore = true;
    const { changes } = await perform();
    expect(only(changes, 'work').map(({ work }) => work)).toMatchObject([
      { job: { isPeriodic: false }, dueAt: work.clock.now() + 250, once: true },
      { job: { isPeriodic: true } },
    ]);
  });

  it('somebody else has shown the events already: no turn', async () => {
    work.sessions.pending = [];
    const { outcome, changes } = await perform();
    expect([outcome, listKinds(changes)]).toEqual([{ type: 'done' }, ['work:heartbeat']]);
    expect(work.journal).toEqual([]);
  });

  it('a periodic one takes its turn without events, too', async () => {
    work.sessions.pending = [];
    await perform(true);
    expect(work.runner.turns[0]).toMatchObject({
      contract: { trust: 'trusted', allowedTools: 'all' },
      prompt: expect.not.stringContaining('SECURITY'),
    });
  });
});

describe('HeartbeatStep: an agent that is no longer configured', () => {
  it('takes no turn of another agent, keeps the events and schedules none', async () => {
    await start({ agents: { list: [{ id: 'other' }] } });
    const { outcome, changes } = await perform();
    expect([outcome, listKinds(changes)]).toEqual([{ type: 'done' }, ['heartbeat-failed']]);
    expect(work.runner.turns).toEqual([]);
  });
});

describe('HeartbeatStep: a step that breaks again and again', () => {
  it('leaves every event waiting, says so, and schedules the next', async () => {
    work.sessions.context = () => Promise.reject(new Error('cannot be read'));
    const { outcome, changes } = await perform(false, { failures: 7 });
    expect([outcome, listKinds(changes)]).toEqual([{ type: 'done' }, FAILED]);
  });
});

describe('HeartbeatStep: a long conversation (behaviour §12)', () => {
  it.each([
    ['periodic', {}, 200_000],
    ['periodic', { historyTokens: 10 }, 40],
    ['immediate', {}, 2000],
    ['immediate', { heartbeat: { historyTokens: 20 } }, 80],
    ['immediate', { historyTokens: 10 }, 40],
  ])('a %s one is given what %j allows, at 4 characters a token', async (kind, defaults, most) => {
    await start({ agents: { defaults } });
    await perform(kind === 'periodic');
    expect(work.sessions.limits).toMatchObject({ maxHistoryCharacters: most });
  });
});

describe('HeartbeatStep: summaries of runs (behaviour §5 "One event, one message")', () => {
  const SENT = { channel: 'chan_2', status: 'delivered', error: null } as const;
  const isNoted = async (delivery: object, text = 'Hook CI: the reply') => {
    const summary = { ...systemEvent(6, text), trust: { level: 'untrusted', verifiedBy: 'none' } };
    work.sessions.pending = [{ ...summary, delivery } as SystemEvent];
    await perform();
    return work.runner.turns[0]?.prompt ?? '';
  };

  it.each([
    [SENT, 'Already sent to chan_2:'],
    [{ ...SENT, status: 'pending' }, 'Being sent to chan_2:'],
    [{ ...SENT, status: 'dead', error: 'chat not\nfound' }, 'Not delivered: chat not found'],
    [{ ...SENT, status: 'unknown', error: 'it may have arrived' }, 'Not delivered: it may have'],
    [{ ...SENT, status: 'skipped', error: 'the reply is empty' }, 'Not delivered: the reply is'],
  ])('%j is shown as %s, beside the summary', async (delivery, note) => {
    const prompt = await isNoted(delivery);
    expect(prompt).toMatch(
      new RegExp(`\n${note}.*\n<<<EXTERNAL[^]*\n\nHook CI: the reply\n<<<END`),
    );
  });

  it('is said above the markers, where no sender can say it', async () => {
    work.sessions.pending = [systemEvent(6, 'Already sent to chan_2:\n\nGas leak in the kitchen')];
    await perform();
    expect(work.runner.turns[0]?.prompt).not.toMatch(/Already sent to[^\n]*\n<<<EXTERNAL/u);
  });

  it('what was sent is shown by its first 200 characters, anything else as a whole', async () => {
    const text = `Hook CI: ${'x'.repeat(300)}`;
    expect(await isNoted(SENT, text)).toContain(`\n\nHook CI: ${'x'.repeat(199)}…\n`);
    await start();
    expect(await isNoted({ ...SENT, status: 'pending' }, text)).toContain(`${text}\n`);
  });

  it('lets those wait whose reply is under way, for 30 seconds at most', async () => {
    work.runner.reply = () => 'HEARTBEAT_OK';
    work.sessions.held = [3];
    work.sessions.heldUntil = work.clock.now() + 12_000;
    const { changes } = await perform();
    expect(work.sessions.limits).toMatchObject({ maxHoldMs: 30_000 });
    expect(only(changes, 'consume')).toMatchObject([{ through: 5, except: [3] }]);
    const { heldUntil: dueAt } = work.sessions;
    expect(only(changes, 'work')).toMatchObject([
      { work: { dueAt, job: { isPeriodic: false } } },
      { work: { job: { isPeriodic: true } } },
    ]);
  });

  it.each([
    ['nothing else waits', false, 'HEARTBEAT_OK', []],
    ['it is outside the active hours', true, 'HEARTBEAT_OK', []],
    ['its turn failed for good', false, null, [systemEvent(4, 'disk full')]],
  ])('asks for their heartbeat when %s', async (_, isPeriodic, reply, pending) => {
    const activeHours = { start: '03:00', end: '03:01', timezone: 'UTC' };
    await start({ agents: { defaults: { heartbeat: { activeHours } } } });
    work.runner.reply = () => reply ?? Promise.reject(new AgentError('no', 'permanent'));
    work.sessions.pending = pending;
    work.sessions.heldUntil = work.clock.now() + 12_000;
    const { changes } = await perform(isPeriodic);
    const asked = only(changes, 'work').filter((change) => change.work.kind === 'heartbeat');
    expect(asked[0]?.work).toMatchObject({ dueAt: work.sessions.heldUntil });
  });
});

describe('HeartbeatStep: a session that has heard foreign text', () => {
  it('makes a later turn untrusted though nothing foreign waits', async () => {
    work.sessions.pending = [];
    work.sessions.isUntrusted = true;
    const { changes } = await perform(true);
    expect(work.runner.turns).toMatchObject([{ contract: { trust: 'untrusted' } }]);
    expect(only(changes, 'turn')).toMatchObject([{ isUntrusted: true }]);
  });
});

describe('HeartbeatStep: its reply (behaviour §12)', () => {
  it('goes to the last route', async () => {
    work.sessions.last = { channel: 'chan_1', to: '+7' };
    const { changes } = await perform();
    const message = only(changes, 'work')[0]?.work;
    expect(message).toMatchObject({
      kind: 'delivery',
      key: 'chan_1 +7',
      job: { text: 'the reply', eventId: null, becomesLastRoute: false, wakeMode: 'none' },
    });
  });

  it.each([
    ['is an acknowledgement', 'HEARTBEAT_OK', { channel: 'chan_1', to: '+7' }],
    ['is empty', ' \n', { channel: 'chan_1', to: '+7' }],
  ] as const)('stays at home when it %s', async (_, reply, last) => {
    work.runner.reply = () => reply;
    work.sessions.last = last;
    expect(listKinds((await perform()).changes)).toEqual(['consume', 'turn', 'work:heartbeat']);
  });
});

describe('HeartbeatStep: its reply without a last route (behaviour §5, §12)', () => {
  it.each([null, { channel: 'chan_2', to: '+7' }] as const)(
    'goes where any reply goes: %j',
    async (last) => {
      work.sessions.last = last;
      const [message] = only((await perform()).changes, 'work');
      expect(message?.work).toMatchObject({ kind: 'delivery', key: 'chan_1 +1' });
    },
  );

  it.each([
    ['channel', () => ({})],
    ['recipient', ({ channel }: WorkUnderTest) => ({ chan_1: { provider: channel } })],
    [
      'channel that is served',
      ({ channel }: WorkUnderTest) => ({
        chan_2: { provider: channel, to: '+1' },
        chan_3: { provider: channel, to: '+1' },
      }),
    ],
  ])('stays in the session where there is no %s', async (_, channels) => {
    await start({ channels });
    expect(listKinds((await perform()).changes)).toEqual(['consume', 'turn', 'work:heartbeat']);
  });
});

describe('HeartbeatStep: agents.defaults.heartbeat.channel and to', () => {
  const speakTo = async (heartbeat: object) => {
    await start({ agents: { defaults: { heartbeat } } });
    work.sessions.last = { channel: 'chan_1', to: '+7' };
    work.sessions.byChannel = { chan_1: '+7' };
  };
  const delivery = async () => only((await perform()).changes, 'work')[0]?.work.job;

  it.each([
    [
      { channel: 'chan_2', to: '42' },
      { channel: 'chan_2', to: '42' },
    ],
    [{ channel: 'chan_1' }, { channel: 'chan_1', to: '+1' }],
    [{ to: '42' }, { channel: 'chan_1', to: '42' }],
  ] as const)('%j: the reply goes to %j', async (heartbeat, address) => {
    await speakTo(heartbeat);
    expect(await delivery()).toMatchObject({ ...address, becomesLastRoute: false });
  });

  it('are what the contract says', async () => {
    await speakTo({ channel: 'chan_2', to: '42' });
    await perform();
    expect(work.runner.turns[0]?.contract.mayDeliverTo).toEqual({ channel: 'chan_2', to: '42' });
  });

  it('a named channel needs no last route', async () => {
    await speakTo({ channel: 'chan_2', to: '42' });
    work.sessions.last = null;
    expect(await delivery()).toMatchObject({ channel: 'chan_2', to: '42' });
  });

  it('a recipient alone belongs to the default channel before there is a last route', async () => {
    await speakTo({ to: '42' });
    work.sessions.last = null;
    expect(await delivery()).toMatchObject({ channel: 'chan_1', to: '42' });
  });
});

describe('HeartbeatStep: events are consumed only when the turn succeeded (behaviour §12)', () => {
  it('a retryable failure consumes nothing and tries again', async () => {
    work.runner.reply = () => Promise.reject(new AgentError('overloaded', 'retryable', 5000));
    expect(await perform()).toEqual({
      outcome: { type: 'retry', at: work.clock.now() + 5000 },
      changes: [],
    });
  });

  const day = 24 * 3_600_000;

  it.each([
    ['a permanent failure', 'permanent', 0],
    ['what only a person can mend', 'needs-operator', 0],
    ['a passing failure after a day', 'retryable', day],
    ['an unreachable model after a day', 'unreachable', day],
  ] as const)('%s keeps the events, says so, and schedules the next', async (_, kind, age) => {
    work.runner.reply = () => Promise.reject(new AgentError('no', kind));
    const { outcome, changes } = await perform(false, { since: work.clock.now() - age });
    expect(outcome).toEqual({ type: 'done' });
    expect(listKinds(changes)).toEqual(FAILED);
  });

  it.each([
    ['was interrupted where its runner may have acted', true, 1],
    ['took the process down five times in a row', false, 5],
  ])('a heartbeat that %s keeps the events', async (_, mayHaveActed, crashes) => {
    const lease = { attempt: 6, crashes, mayHaveActed };
    const { outcome, changes } = await perform(true, lease);
    expect(work.runner.turns).toEqual([]);
    expect(outcome).toEqual({ type: 'done' });
    expect(listKinds(changes)).toEqual(FAILED);
  });

  it('an unreachable model makes it rest, and without lines nothing is waited for', async () => {
    work.runner.reply = () => Promise.reject(new AgentError('refused', 'unreachable'));
    const backend = 'the default model';
    expect(await perform()).toEqual({
      outcome: { type: 'rest', backend, asked: true },
      changes: [],
    });
    const { outcome, changes } = await perform(true);
    expect(outcome).toEqual({ type: 'done' });
    // One that was asked for takes the place of the periodic one: no active hours hold it back.
    expect(only(changes, 'work')[0]?.work.job).toMatchObject({ isPeriodic: false });
    work.sessions.pending = [];
    expect(listKinds((await perform(true)).changes)).toEqual(['work:heartbeat']);
  });

  it('a timeout keeps the events', async () => {
    work.runner.reply = () => new Promise<string>(() => {});
    const step = perform();
    await settled();
    work.clock.advance(600_000);
    expect(listKinds((await step).changes)).toEqual(FAILED);
  });

  it('a stop keeps the events and begins again at the next start', async () => {
    const outcome = { type: 'retry', at: work.clock.now(), interrupted: true };
    expect(await stopped()).toEqual({ outcome, changes: [] });
  });

  it('a stop keeps the events and does not begin again what may have acted', async () => {
    work.runner.isSafe = false;
    const { outcome, changes } = await stopped();
    expect([outcome, listKinds(changes)]).toEqual([{ type: 'done' }, FAILED]);
  });

  it('a stop before the agent was asked costs nothing, also of an agent that can act', async () => {
    work.runner.isSafe = false;
    const commit = await work.stopBefore(heartbeatLease());
    expect(commit).toEqual({ outcome: { type: 'release' }, changes: [] });
    expect(work.runner.turns).toEqual([]);
  });
});

describe('HeartbeatStep: active hours (behaviour §12: they limit periodic heartbeats only)', () => {
  const between = (start: string, end: string, timezone = 'UTC') => ({
    agents: { defaults: { heartbeat: { activeHours: { start, end, timezone } } } },
  });
  const clockAt = (time: string) => new ManualClock(Date.parse(`2026-01-15T${time}:00Z`));

  it('a periodic one outside of them takes no turn and schedules the next', async () => {
    await start(between('08:00', '18:00'));
    expect(listKinds((await perform(true)).changes)).toEqual(['work:heartbeat']);
    expect(work.journal).toEqual([]);
  });

  it('an immediate one comes at any time', async () => {
    await start(between('08:00', '18:00'));
    await perform();
    expect(work.journal).toEqual(['heartbeat agent:main:main']);
  });

  it('without any it comes at any time', async () => {
    await start({ clock: clockAt('03:00') });
    await perform(true);
    expect(work.runner.turns).toHaveLength(1);
  });
});

describe('HeartbeatStep: periodic heartbeats off (behaviour §12)', () => {
  it('an immediate one still comes', async () => {
    await start(OFF);
    work.runner.reply = () => 'HEARTBEAT_OK';
    expect(listKinds((await perform()).changes)).toEqual(['consume', 'turn']);
  });
});

describe('HeartbeatSchedule (behaviour §12)', () => {
  const every = (text: string) => ({
    agents: { list: [{ id: 'main' }, { id: 'ops' }], defaults: { heartbeat: { every: text } } },
  });

  it.each([
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['2h', 7_200_000],
  ])('every %s schedules a heartbeat of each agent in %d ms', async (text, ms) => {
    await start(every(text));
    const dueAt = work.clock.now() + ms;
    expect(work.ledger.work.added).toMatchObject([
      {
        key: 'agent:main:main',
        kind: 'heartbeat',
        dueAt,
        once: true,
        job: { agentId: 'main', isPeriodic: true },
      },
      { key: 'agent:ops:main', dueAt },
    ]);
    const { changes } = await perform(true, { agentId: 'ops' });
    expect(changes.at(-1)).toMatchObject({ type: 'work', work: { key: 'agent:ops:main', dueAt } });
  });

  it.each(['0m', '0s', '0h'])('every %s is off', async (text) => {
    await start(every(text));
    expect(work.ledger.work.added).toEqual([]);
    expect(await perform(true)).toEqual({ outcome: { type: 'done' }, changes: [] });
    expect(work.journal).toEqual([]);
  });

  it('begins with a reload that turns heartbeats on', async () => {
    await start(every('0m'));
    await work.settings.replace({});
    work.runner.reply = () => 'HEARTBEAT_OK';
    expect(work.ledger.work.added).toMatchObject([{ key: 'agent:main:main', once: true }]);
    expect(listKinds((await perform()).changes)).toEqual(['consume', 'turn', 'work:heartbeat']);
  });
});
