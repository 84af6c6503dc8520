import { HooksSettings, LedgerAdmin, Sessions } from '../../src/hooks/index.ts';
import type { Decision, EventDetails, HooksModuleOptions } from '../../src/hooks/index.ts';
import { ManualClock } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks } from '../support/hooks.ts';

type Approve = NonNullable<
  NonNullable<NonNullable<HooksModuleOptions['agents']>['defaults']>['approve']
>;

const HOUR = 3_600_000;

describe('what a person decides about a run (behaviour.md §15)', () => {
  let hooks: Hooks;
  let clock: ManualClock;

  async function start(approve: Approve, more: Partial<HooksModuleOptions> = {}): Promise<void> {
    clock = new ManualClock();
    const agents = { defaults: { heartbeat: { every: '0m' }, approve } };
    hooks = await Hooks.start({ agents, clock, ...more });
  }
  afterEach(() => hooks.close());

  /** The clock stands still, and with it each heartbeat that would gather others. */
  const NO_HEARTBEAT = { wakeMode: 'next-heartbeat' } as const;

  async function asked(body: object = {}): Promise<EventDetails> {
    const customer = { channel: 'chan_2', to: 'a customer' };
    const given = { message: 'what was asked', ...NO_HEARTBEAT, ...customer, ...body };
    const { eventId } = await hooks.ask('/agent', given);
    return waits(eventId);
  }
  const waits = (eventId: unknown, times = 1): Promise<EventDetails> =>
    eventually('the run waits', async () => {
      const details = await hooks.details(eventId);
      const waited = details.runs[0]?.waits.length === times;
      return details.status === 'waiting' && waited && details;
    });
  const waitOf = ({ runs: [run] }: EventDetails): string => run?.waits.at(-1)?.id ?? '';
  const decide = (event: EventDetails, decision: Partial<Decision> = {}) =>
    hooks.app
      .get(LedgerAdmin)
      .decide(waitOf(event), { verdict: 'approved', by: 'ana', at: clock.now(), ...decision });
  const questions = (count = 1) =>
    eventually('the operator is asked', () => {
      const texts = hooks.chan1.messages.map(({ text }) => text);
      return texts.length === count && texts;
    });
  const turns = (): number => hooks.runner.turns.filter(({ kind }) => kind === 'run').length;

  describe('before its reply is delivered', () => {
    it('shows what would be sent and to whom, and neither sends nor tells anything before', async () => {
      await start('reply');
      const event = await asked();
      const [question] = await questions();
      expect(question).toContain('the reply');
      expect(question).toContain('chan_2, recipient `a customer`');
      expect(question).toContain(waitOf(event));
      expect(hooks.chan1.messages[0]?.to).toBe('+1');
      expect(hooks.chan2.messages).toEqual([]);
      expect(event).toMatchObject({ deliveries: [], summary: null });
      expect(event.runs).toMatchObject([{ status: 'waiting', reply: 'the reply' }]);
    });

    it('sends the words of who approved it in its place, and keeps both', async () => {
      await start('reply');
      const event = await asked();
      await decide(event, { text: 'better words' });
      const { runs, summary } = await hooks.ended(event.id);
      expect(hooks.chan2.messages.map(({ text }) => text)).toEqual(['better words']);
      expect(summary).toBe('Hook: better words');
      expect(runs).toMatchObject([
        { reply: 'the reply', waits: [{ decision: { text: 'better words', by: 'ana' } }] },
      ]);
    });

    it('sends nothing that is denied, and tells the agent by whom and why', async () => {
      await start('reply');
      const event = await asked();
      await decide(event, { verdict: 'denied', reason: 'too harsh' });
      const { status, deliveries, summary } = await hooks.ended(event.id);
      expect(status).toBe('done');
      expect(deliveries).toMatchObject([
        { channel: 'chan_2', status: 'skipped', error: 'denied by ana: too harsh' },
      ]);
      expect(summary).toBe('Hook (denied): denied by ana: too harsh');
      expect(hooks.chan2.messages).toEqual([]);
    });

    it('asks again when it would go elsewhere by then', async () => {
      await start('reply');
      const event = await asked({ channel: 'last', to: undefined });
      expect(event.runs[0]?.waits[0]?.recipient).toEqual({ channel: 'chan_1', to: '+1' });
      const route = { channel: 'chan_2', to: 'somebody else' } as const;
      await hooks.app.get(Sessions).noteRoute('agent:main:main', route);
      await decide(event);
      const again = await waits(event.id, 2);
      expect(again.runs[0]?.waits[1]?.recipient).toEqual(route);
      expect(hooks.chan2.messages).toEqual([]);
      await decide(again);
      await hooks.ended(event.id);
      expect(hooks.chan2.messages.map(({ to }) => to)).toEqual(['somebody else']);
      expect(turns()).toBe(1);
    });

    it('asks about no reply that goes nowhere', async () => {
      await start('reply');
      const { eventId } = await hooks.ask('/agent', {
        message: 'quietly',
        deliver: false,
        ...NO_HEARTBEAT,
      });
      expect((await hooks.ended(eventId)).runs).toMatchObject([{ status: 'succeeded', waits: [] }]);
    });

    it('asks where foreign text was shown, and only there, if that is what the mapping says', async () => {
      const approve = { reply: 'when-untrusted' } as const;
      const foreign = {
        id: 'foreign',
        approve,
        channel: 'chan_2',
        to: 'x',
        ...NO_HEARTBEAT,
      } as const;
      const own = { ...foreign, id: 'own', allowUnsafeExternalContent: true };
      await start(false, { mappings: [foreign, own] });
      const trusted = await hooks.ask('/own', { text: 'a' });
      expect((await hooks.ended(trusted['eventId'])).deliveries).toHaveLength(1);
      const untrusted = await hooks.ask('/foreign', { text: 'a' });
      await waits(untrusted['eventId']);
      expect(hooks.chan2.messages).toHaveLength(1);
    });
  });

  describe('before it begins', () => {
    it('shows what it is asked, and asks no agent before', async () => {
      await start('run');
      const event = await asked();
      const [question] = await questions();
      expect(question).toContain('what was asked');
      expect(question).toContain('agent main');
      expect(turns()).toBe(0);
      await decide(event);
      expect((await hooks.ended(event.id)).runs).toMatchObject([{ status: 'succeeded' }]);
      expect(turns()).toBe(1);
      expect(hooks.chan2.messages).toHaveLength(1);
    });
  });

  describe('before it calls tools', () => {
    const QUESTION = {
      calls: [{ tool: 'desk_write', input: '{"text":"hi"}' }],
      state: 'where the turn stands',
    };
    const usage = { inputTokens: 10, outputTokens: 5 };

    async function startAsking(approve: Approve = 'tools'): Promise<void> {
      await start(approve);
      const { runner } = hooks;
      runner.isSafe = false;
      runner.reply = ({ resumed }) => {
        runner.extras = { usage, ...(resumed === undefined && { asks: QUESTION }) };
        runner.toolCalls = resumed?.isApproved === true ? [CALLED] : [];
        return resumed === undefined ? '' : 'the reply';
      };
    }
    const CALLED = {
      tool: 'desk_write',
      input: '{"text":"hi"}',
      outcome: 'succeeded',
      result: 'written',
      ms: 1,
    } as const;
    const resumed = () => hooks.runner.turns.flatMap((turn) => turn.resumed ?? []);

    it('shows each call whole, and goes on with exactly these once it is approved', async () => {
      await startAsking();
      const event = await asked();
      expect(hooks.runner.turns[0]?.asks).toEqual({ tools: ['*'], canWait: true });
      expect((await questions())[0]).toContain('desk_write {"text":"hi"}');
      expect(event.runs[0]?.waits).toMatchObject([{ kind: 'tools', calls: QUESTION.calls }]);
      expect(hooks.chan2.messages).toEqual([]);
      await decide(event);
      const { runs } = await hooks.ended(event.id);
      expect(resumed()).toEqual([{ state: QUESTION.state, isApproved: true }]);
      expect(hooks.chan2.messages.map(({ text }) => text)).toEqual(['the reply']);
      expect(runs).toMatchObject([
        {
          status: 'succeeded',
          toolCalls: [{ tool: 'desk_write', result: 'written' }],
          usage: { inputTokens: 20, outputTokens: 10 },
        },
      ]);
    });

    it('tells the agent that they were denied and why, which goes on without', async () => {
      await startAsking();
      const event = await asked();
      await decide(event, { verdict: 'denied', reason: 'too early' });
      expect((await hooks.ended(event.id)).runs).toMatchObject([{ status: 'succeeded' }]);
      const reason = 'denied by ana: too early';
      expect(resumed()).toEqual([{ state: QUESTION.state, isApproved: false, reason }]);
    });

    it('denies them when nobody has decided in time', async () => {
      await startAsking();
      const event = await asked();
      clock.advance(24 * HOUR);
      expect((await hooks.ended(event.id)).runs).toMatchObject([{ status: 'succeeded' }]);
      expect(resumed()).toMatchObject([{ isApproved: false, reason: 'nobody decided in time' }]);
    });

    it('asks anew by a retry where the run was given up for it', async () => {
      await startAsking({ tools: true, then: 'expire' });
      const event = await asked();
      clock.advance(24 * HOUR);
      expect((await hooks.ended(event.id)).runs).toMatchObject([{ status: 'failed' }]);
      await hooks.retry(event.id);
      await decide(await waits(event.id, 2));
      await hooks.ended(event.id);
      expect(resumed()).toEqual([{ state: QUESTION.state, isApproved: true }]);
    });

    it('asks where foreign text is shown alone, if that is what is said, and by name', async () => {
      await startAsking({ tools: ['desk_*'] });
      await asked();
      expect(hooks.runner.turns[0]?.asks?.tools).toEqual(['desk_*']);
      await hooks.close();
      const own = {
        allowUnsafeExternalContent: true,
        approve: { tools: 'when-untrusted' },
      } as const;
      await start(false, { mappings: [{ id: 'own', ...own, ...NO_HEARTBEAT }] });
      await hooks.ended((await hooks.ask('/own', { text: 'a' }))['eventId']);
      expect(hooks.runner.turns[0]?.asks).toBeUndefined();
    });

    it('lets no turn wait that is part of a conversation', async () => {
      const kept = { id: 'kept', sessionKey: 'hook:kept', sessionMode: 'persistent' } as const;
      await start('tools', { mappings: [{ ...kept, ...NO_HEARTBEAT }] });
      await hooks.ended((await hooks.ask('/kept', { text: 'a' }))['eventId']);
      expect(hooks.runner.turns[0]?.asks).toEqual({ tools: ['*'], canWait: false });
    });

    it('fails a run whose agent has become a program meanwhile, and nobody is asked', async () => {
      await startAsking({ run: true, tools: true });
      const event = await asked();
      const list = [{ id: 'main', runner: { type: 'command', command: 'claude' } }] as const;
      await hooks.app.get(HooksSettings).replace({ agents: { list: [...list] } });
      await decide(await waits(event.id));
      expect(await hooks.ended(event.id)).toMatchObject({
        runs: [
          { status: 'failed', error: expect.stringContaining('agent "main" calls by itself') },
        ],
      });
      expect(turns()).toBe(0);
    });
  });

  describe('in time', () => {
    it('is denied by nobody when a day has passed', async () => {
      await start('run');
      const event = await asked();
      clock.advance(24 * HOUR);
      const { status, runs } = await hooks.ended(event.id);
      expect(status).toBe('done');
      expect(runs).toMatchObject([
        {
          status: 'denied',
          error: 'nobody decided in time',
          waits: [{ decision: { verdict: 'expired', by: null } }],
        },
      ]);
      expect(turns()).toBe(0);
    });

    it('is given up where it shall be, and asked anew by a retry', async () => {
      await start({ reply: true, until: '2h', then: 'expire' });
      const event = await asked();
      clock.advance(2 * HOUR);
      expect(await hooks.ended(event.id)).toMatchObject({
        status: 'failed',
        runs: [{ status: 'failed', error: 'nobody decided in time' }],
      });
      expect(await hooks.retry(event.id)).toBe(1);
      const again = await waits(event.id, 2);
      await decide(again);
      await hooks.ended(event.id);
      expect(hooks.chan2.messages.map(({ text }) => text)).toEqual(['the reply']);
      expect(turns()).toBe(1);
    });
  });

  it('asks no more than twenty questions of one mapping and sender, and says so once', async () => {
    await start('run');
    for (let sent = 0; sent < 23; sent++) await asked({ message: `${sent}` });
    await questions(20);
    clock.advance(5_000);
    const [told] = (await questions(21)).slice(-1);
    expect(told).toContain('more than 20 runs of agent wait for a decision');
    const { waits: open, total } = await hooks.app.get(LedgerAdmin).waits({ limit: 50 });
    expect([open.length, total]).toEqual([23, 23]);
    expect(open.map(({ text }) => text)).toContain('22');
  });

  it('tells its sender that it waits, and how it ended', async () => {
    const ci = 'the-secret-of-the-build-server';
    await start('run', { tokens: [{ id: 'ci', token: ci, hooks: ['agent'] }] });
    const headers = { authorization: `Bearer ${ci}` };
    const { eventId, runId } = await hooks.ask(
      '/agent',
      { message: 'go', ...NO_HEARTBEAT },
      headers,
    );
    const event = await waits(eventId);
    expect(await hooks.run(runId, { token: ci })).toMatchObject({
      run: 'waiting',
      waitsFor: 'a decision of the operator',
    });
    await decide(event, { verdict: 'denied', reason: 'a secret reason' });
    await hooks.ended(eventId);
    const told = await hooks.run(runId, { token: ci });
    expect(told).toMatchObject({ run: 'denied', error: expect.any(String) });
    expect(JSON.stringify(told)).not.toContain('secret reason');
  });

  it('lets later runs of a conversation wait behind it, and those of a clean session not', async () => {
    const kept = { id: 'kept', sessionKey: 'hook:kept' } as const;
    const mappings = [
      { ...kept, sessionMode: 'persistent', approve: 'run' },
      { id: 'clean', sessionKey: 'hook:clean', approve: 'run' },
    ] as const;
    await start(false, { mappings: [...mappings] });
    const first = await hooks.ask('/kept', { text: '1' });
    await waits(first['eventId']);
    const second = await hooks.ask('/kept', { text: '2' });
    const clean = await hooks.ask('/clean', { text: '1' });
    await waits(clean['eventId']);
    const next = await hooks.ask('/clean', { text: '2' });
    await waits(next['eventId']);
    expect((await hooks.details(second['eventId'])).status).toBe('accepted');
  });
});
