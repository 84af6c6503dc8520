import { LedgerAdmin, OperatorRequests, Sessions } from '../../src/hooks/index.ts';
import type { EventDetails, HooksModuleOptions } from '../../src/hooks/index.ts';
import { ManualClock } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks } from '../support/hooks.ts';
import { LastingMemory } from '../support/lasting-memory.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

type Budget = NonNullable<HooksModuleOptions['budgets']>[number];
type Defaults = NonNullable<NonNullable<HooksModuleOptions['agents']>['defaults']>;

const TOKENS = ['crm', 'shop'].map((id) => ({
  id,
  token: `the-secret-of-the-sender-${id}`,
  hooks: ['*'],
}));
const MAPPINGS: NonNullable<HooksModuleOptions['mappings']> = [
  { id: 'tickets', messageTemplate: '{{ text }}', wakeMode: 'next-heartbeat', deliver: false },
  { id: 'orders', messageTemplate: '{{ text }}', wakeMode: 'next-heartbeat', deliver: false },
];

describe('budgets (behaviour.md §16)', () => {
  let memory: LastingMemory;
  let hooks: Hooks;
  let clock: ManualClock;

  beforeEach(() => {
    memory = new LastingMemory();
    clock = new ManualClock();
  });
  afterEach(async () => {
    await hooks.close();
    memory.close();
  });

  async function start(
    budgets: readonly Budget[],
    defaults: Defaults = {},
    more: Partial<HooksModuleOptions> = {},
  ): Promise<void> {
    hooks = await Hooks.start({
      agents: { defaults: { heartbeat: { every: '0m' }, ...defaults } },
      clock,
      ledger: { open: () => memory.open(clock) },
      tokens: TOKENS,
      defaultSessionKey: undefined,
      mappings: MAPPINGS,
      shutdownSeconds: 0,
      budgets: [...budgets],
      ...more,
    });
    uses(600, 400);
  }

  const uses = (inputTokens: number, outputTokens: number): void => {
    hooks.runner.extras = { usage: { inputTokens, outputTokens } };
  };
  const send = async (hook = 'tickets', from?: number): Promise<string> => {
    const headers =
      from === undefined ? undefined : { authorization: `Bearer ${TOKENS[from]!.token}` };
    const { status, eventId } = await hooks.ask(`/${hook}`, { text: 'Look at it' }, headers);
    expect(status).toBe(200);
    return String(eventId);
  };
  const stands = (eventId: string, status: string): Promise<EventDetails> =>
    eventually(`the run is ${status}`, async () => {
      const details = await hooks.details(eventId);
      return details.runs[0]?.status === status && details;
    });
  const ends = async (hook?: string, from?: number) => stands(await send(hook, from), 'succeeded');
  const errorOf = ({ runs }: EventDetails) => runs[0]?.error;

  it('of tokens hold what comes once they are used up, which one turn at most has passed', async () => {
    await start([{ of: 'tokens', most: 1500, per: '1d' }]);
    await ends();
    await ends();
    const held = await send();
    const details = await stands(held, 'waiting');
    expect(details.status).toBe('waiting');
    expect(errorOf(details)).toMatch(
      /^the budget of 1,500 tokens in 1d is used up; tried at \d\d:\d\d UTC$/,
    );
    expect(await hooks.app.get(LedgerAdmin).waiting()).toMatchObject([
      { kind: 'run', hook: 'tickets', cause: 'budget', count: 1 },
    ]);
    expect(hooks.runner.turns).toHaveLength(2);
    expect(await hooks.app.get(LedgerAdmin).usage({ by: 'agent', days: 1 })).toMatchObject([
      { kind: 'run', turns: 2, uncounted: 0 },
    ]);
    clock.advance(DAY);
    await stands(held, 'succeeded');
  });

  it('wait for a turn under way that may use the rest, and go on with its end', async () => {
    await start([{ of: 'tokens', most: 20_000, per: '1d' }]);
    const replies: (() => void)[] = [];
    hooks.runner.reply = () => new Promise((resolve) => replies.push(() => resolve('done')));
    const first = await send();
    await eventually('its agent is asked', () => replies.length === 1);
    const second = await send();
    expect(errorOf(await stands(second, 'waiting'))).toContain(
      'turns under way have reserved what is left of the budget of 20,000 tokens in 1d',
    );
    replies[0]!();
    await stands(first, 'succeeded');
    await eventually('the other agent is asked', () => replies.length === 2);
    replies[1]!();
    await stands(second, 'succeeded');
  });

  it('are those of a hook, an agent, a sender or of runs', async () => {
    await start([
      { of: 'tokens', most: 500, per: '1d', scope: 'hook:tickets' },
      { of: 'runs', most: 1, per: '1h', scope: 'sender:crm' },
    ]);
    await ends('tickets', 1);
    expect(errorOf(await stands(await send('tickets', 1), 'waiting'))).toContain(
      'the budget of 500 tokens in 1d for hook:tickets is used up',
    );
    await ends('orders', 0);
    expect(errorOf(await stands(await send('orders', 0), 'waiting'))).toContain(
      'the budget of 1 runs in 1h for sender:crm is used up',
    );
    await ends('orders', 1);
  });

  it('of an agent hold its heartbeats, too, and what waits there stays', async () => {
    await start([{ of: 'tokens', most: 500, per: '1d', scope: 'agent:main' }]);
    await ends();
    await hooks.ask('/wake', { text: 'The disk is full', mode: 'now' });
    clock.advance(1000);
    await eventually('the heartbeat waits', async () =>
      (await hooks.app.get(LedgerAdmin).waiting()).some(
        ({ kind, cause }) => kind === 'heartbeat' && cause === 'budget',
      ),
    );
    const { pending } = await hooks.app.get(Sessions).context('agent:main:main', {
      maxEvents: 9,
      maxBytes: 9999,
      maxHistoryCharacters: 0,
    });
    expect(pending.map(({ text }) => text)).toContain('The disk is full');
    clock.advance(DAY);
    await eventually('it is asked', () =>
      hooks.runner.turns.some(({ kind }) => kind === 'heartbeat'),
    );
  });

  it('of cost count tokens by their price', async () => {
    const models = {
      providers: { lab: { type: 'openai-compatible' as const, baseUrl: 'http://127.0.0.1:9/v1' } },
      prices: { 'lab/*': { input: 100, output: 1000 } },
    };
    const budget: Budget = { of: 'cost', most: 0.5, per: '31d' };
    await start([budget], { model: 'lab/one' }, { models });
    // 600 × $100 and 400 × $1,000 for a million: $0.46.
    await ends();
    await ends();
    expect(errorOf(await stands(await send(), 'waiting'))).toContain(
      'the budget of $0.5 in 31d is used up',
    );
  });

  it('leave a backend that could not be asked uncounted', async () => {
    await start([{ of: 'tokens', most: 1500, per: '1d' }]);
    const { AgentError } = await import('../../src/hooks/index.ts');
    let failures = 3;
    hooks.runner.reply = () => {
      failures -= 1;
      if (failures >= 0) throw new AgentError('it answered 429', 'rate-limited', 1000);
      return 'done';
    };
    const sent = await send();
    await eventually('it is answered', async () => {
      clock.advance(60_000);
      return (await hooks.details(sent)).runs[0]?.status === 'succeeded';
    });
    await ends();
    await stands(await send(), 'waiting');
  });

  it('refuse what comes once they are used up: 503 with Retry-After, and nothing is stored', async () => {
    const scope = 'hook:tickets';
    await start([{ of: 'tokens', most: 1000, per: '1h', scope, then: 'refuse' }]);
    const key = { 'idempotency-key': 'ticket-1' };
    const first = await hooks.ask('/tickets', { text: 'a' }, key);
    await stands(String(first['eventId']), 'succeeded');
    clock.advance(HOUR / 2);
    const refused = await hooks.post('/tickets', { text: 'b' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1800']);
    expect(await refused.json()).toEqual({
      ok: false,
      code: 'budget_used_up',
      error: expect.stringContaining('is used up'),
    });
    expect(await hooks.stored()).toBe(1);
    // A repeat is answered as the first time, and others go on.
    expect(await hooks.ask('/tickets', { text: 'a' }, key)).toMatchObject({ status: 200 });
    await ends('orders');
    clock.advance(HOUR / 2);
    await ends();
  });

  it('that refuse concern no agent of which they count nothing', async () => {
    const list = [
      { id: 'main' },
      { id: 'program', runner: { type: 'command' as const, command: 'cat' } },
    ];
    const programs = { id: 'builds', messageTemplate: '{{ text }}', agentId: 'program' };
    await start(
      [
        { of: 'tokens', most: 1000, per: '1h', then: 'refuse' },
        { of: 'runs', most: 2, per: '1h', scope: 'agent:program', then: 'refuse' },
      ],
      {},
      {
        agents: { defaults: { heartbeat: { every: '0m' } }, list },
        mappings: [...MAPPINGS, { ...programs, deliver: false, wakeMode: 'next-heartbeat' }],
      },
    );
    await ends();
    expect((await hooks.post('/tickets', { text: 'b' })).status).toBe(503);
    await ends('builds');
    await ends('builds');
    expect((await hooks.post('/builds', { text: 'b' })).status).toBe(503);
    expect(await hooks.stored()).toBe(3);
  });

  it('are told in previews of what they count, with what is left and what would happen', async () => {
    const scope = 'hook:tickets';
    await start([
      { of: 'tokens', most: 500_000, per: '1d' },
      { of: 'tokens', most: 1500, per: '1h', scope, then: 'refuse' },
      { of: 'runs', most: 2, per: '1h', scope: 'agent:main' },
      { of: 'runs', most: 9, per: '1h', scope: 'sender:nobody' },
    ]);
    const previewed = async (hook: string, payload: object) =>
      (await hooks.app.get(OperatorRequests).preview({ hook, payload })).rules;
    const untouched = [
      'of the budget of 500,000 tokens in 1d 0 is used, 500,000 left',
      'of the budget of 2 runs in 1h for agent:main 0 is used, 2 left',
    ];
    expect(await previewed('orders', { text: 'a' })).toEqual(untouched);
    expect(await previewed('agent', { message: 'a' })).toEqual(untouched);
    expect(await previewed('wake', { text: 'a' })).toEqual([]);
    await ends();
    await ends();
    expect(await previewed('tickets', { text: 'a' })).toEqual([
      'of the budget of 500,000 tokens in 1d 2,000 is used, 498,000 left',
      'the budget of 1,500 tokens in 1h for hook:tickets is used up (2,000): it is refused (503 budget_used_up) until 2026-01-01 01:00 UTC',
      'the budget of 2 runs in 1h for agent:main is used up (2): its run waits until 2026-01-01 01:00 UTC',
    ]);
    expect(await hooks.stored()).toBe(2);
  });

  describe('a turn that is cut off', () => {
    const all: Budget = { of: 'tokens', most: 2_000_000, per: '1d' };
    const own: Budget = { ...all, scope: 'sender:crm' };
    const cutOff = async (timeoutSeconds: number | undefined, defaults: Defaults) => {
      await start([all, own], { maxOutputTokens: 100, ...defaults });
      hooks.runner.reply = (_turn, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('cut off')));
        });
      const message = 'x'.repeat(200_000);
      const asked = hooks.ask(
        '/agent',
        { message, timeoutSeconds, deliver: false, wakeMode: 'next-heartbeat' },
        { authorization: `Bearer ${TOKENS[0]!.token}` },
      );
      const sent = String((await asked).eventId);
      await eventually('its agent is asked', () => hooks.runner.turns.length === 1);
      clock.advance(5000);
      await stands(sent, 'timed-out');
      const meters = ['*', 'sender:crm'].map((scope) => {
        return { name: `tokens ${scope} 1d`, most: 2_000_000, perMs: DAY };
      });
      return (await hooks.app.get(LedgerAdmin).budgets(meters)).map(({ used }) => used);
    };

    it('by what its sender wished counts as likely for all, and for the sender in full', async () => {
      const [ofAll, ofSender] = await cutOff(0.05, {});
      expect(ofSender).toBeGreaterThan(200_000);
      expect(ofAll).toBe(Math.ceil((ofSender! - 100) / 4) + 100);
    });

    it.each([undefined, 1, 5])(
      'by the time of the agent counts in full (its sender wished %p s)',
      async (seconds) => {
        const [ofAll, ofSender] = await cutOff(seconds, { timeoutSeconds: 1 });
        expect(ofAll).toBeGreaterThan(200_000);
        expect(ofAll).toBe(ofSender);
      },
    );
  });

  it('tell the operator once, when little is left', async () => {
    await start([{ of: 'tokens', most: 5000, per: '1d' }]);
    for (let n = 0; n < 3; n += 1) await ends();
    expect(hooks.chan1.messages).toEqual([]);
    await ends();
    await ends();
    await stands(await send(), 'waiting');
    await eventually('the operator is told', () => hooks.chan1.messages.length > 0);
    expect(hooks.chan1.messages.map(({ text }) => text)).toEqual([
      '80 % of the budget of 5,000 tokens in 1d is used; once it is used up, runs wait until there is room.',
    ]);
  });
});

describe('what an event costs (behaviour.md §16.14)', () => {
  let hooks: Hooks;
  afterEach(() => hooks.close());

  const start = async (defaults: HooksModuleOptions['defaults']): Promise<void> => {
    hooks = await Hooks.start({
      defaults,
      mappings: [{ id: 'tickets', messageTemplate: '{{ text }}' }],
    });
  };
  const previewed = async (hook: string, payload: object) => {
    const { actions } = await hooks.app.get(OperatorRequests).preview({ hook, payload });
    return actions.map(({ wakeMode, costs }) => ({ wakeMode, costs }));
  };
  const twice = { wakeMode: 'now', costs: expect.stringMatching(/^two model calls: /) };
  const once = { wakeMode: 'next-heartbeat', costs: undefined };

  it('is two model calls where a reply is sent and looked at once more', async () => {
    await start({});
    expect(await previewed('tickets', { text: 'a' })).toEqual([twice]);
    expect(await previewed('agent', { message: 'a' })).toEqual([twice]);
    expect(await previewed('agent', { message: 'a', deliver: false })).toEqual([
      { wakeMode: 'now', costs: undefined },
    ]);
    expect(await previewed('agent', { message: 'a', wakeMode: 'next-heartbeat' })).toEqual([once]);
  });

  it('is one by hooks.defaults.wakeMode, unless the request says otherwise', async () => {
    await start({ wakeMode: 'next-heartbeat' });
    expect(await previewed('tickets', { text: 'a' })).toEqual([once]);
    expect(await previewed('agent', { message: 'a', wakeMode: 'now' })).toEqual([twice]);
    const { eventId } = await hooks.ask('/agent', { message: 'a' });
    expect(await hooks.ended(eventId)).toMatchObject({ heartbeat: 'none' });
    expect(hooks.runner.turns.map(({ kind }) => kind)).toEqual(['run']);
  });
});
