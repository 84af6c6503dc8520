import { AgentError, AgentRunner } from '../ports/index.ts';
import type { AgentReply, AgentTurn, ToolCall } from '../ports/index.ts';
import { ConfiguredAgents, HooksSettings } from '../options/index.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { StandInWork, runLease, settled } from '../../../test/support/work-room.ts';
import { Turns } from './turn.ts';

class StandInRunner extends AgentRunner {
  signal: AbortSignal | undefined;
  turn: AgentTurn | undefined;
  onRun: () => void = () => {};
  answer: () => Promise<AgentReply> = async () => ({ text: 'hi' });

  isSafe = true;

  override mayRepeat(): boolean {
    return this.isSafe;
  }

  override run(turn: AgentTurn, signal: AbortSignal): Promise<AgentReply> {
    this.signal = signal;
    this.turn = turn;
    this.onRun();
    return this.answer();
  }
}

function taking(answer?: () => Promise<AgentReply>) {
  const clock = new ManualClock();
  const runner = new StandInRunner();
  if (answer !== undefined) runner.answer = answer;
  const stop = new AbortController();
  const work = new StandInWork();
  const turns = new Turns(runner, new ConfiguredAgents(new HooksSettings({})), work, clock);
  const take = () =>
    turns.take(
      runLease(),
      turns.plan({
        id: 'r',
        kind: 'run',
        agentId: 'main',
        sessionKey: 'agent:main:x',
        session: null,
        prompt: 'p',
        timeoutSeconds: 10,
        trust: { level: 'untrusted', verifiedBy: 'token' },
        mayDeliverTo: null,
      }),
      stop.signal,
    );
  return { clock, runner, work, stop, take };
}

const never = (): Promise<AgentReply> => new Promise(() => {});

describe('Turns.take', () => {
  it('gives the reply, the agent and the deadline', async () => {
    const { take, runner, clock } = taking();
    expect(await take()).toEqual({ outcome: 'replied', reply: { text: 'hi' }, toolCalls: [] });
    expect(runner.turn).toMatchObject({ agent: { id: 'main' }, deadline: clock.now() + 10_000 });
  });

  it('does not abort a turn that has ended', async () => {
    const { take, runner, clock } = taking();
    await take();
    clock.advance(10_000);
    await settled();
    expect(runner.signal?.aborted).toBe(false);
  });

  it('a runner that ignores its signal costs its own turn only', async () => {
    const { take, runner, clock } = taking(never);
    const turn = take();
    clock.advance(9_999);
    await settled();
    expect(runner.signal?.aborted).toBe(false);
    clock.advance(1);
    expect(await turn).toMatchObject({ outcome: 'timed-out', error: 'no reply within 10 s' });
  });

  it('a stop interrupts, also when the runner rejects later', async () => {
    const { take, stop } = taking(never);
    const turn = take();
    stop.abort();
    expect(await turn).toMatchObject({ outcome: 'stopped', began: true });
  });

  it('begins nothing after a stop', async () => {
    const { take, stop, runner } = taking(() =>
      Promise.reject(new Error('nobody would catch this')),
    );
    stop.abort();
    expect(await take()).toMatchObject({ outcome: 'stopped', began: false });
    expect(runner.turn).toBeUndefined();
  });

  it.each([
    [new AgentError('busy', 'retryable', 5), { error: 'busy', isRetryable: true, retryAfterMs: 5 }],
    [new AgentError('no key', 'permanent'), { error: 'no key', isRetryable: false }],
    [new TypeError('oops'), { error: 'TypeError: oops', isRetryable: false }],
    ['text', { error: 'text', isRetryable: false }],
  ])('%s is a failure', async (error, result) => {
    const { take } = taking(async () => {
      throw error;
    });
    expect(await take()).toMatchObject({ outcome: 'failed', ...result });
  });

  it('a runner that throws at once fails its turn only', async () => {
    const { take } = taking(() => {
      throw new AgentError('at once', 'permanent');
    });
    expect(await take()).toMatchObject({ outcome: 'failed', error: 'at once' });
  });
});

describe('Turns.take: an agent that can act', () => {
  it('is asked after the ledger knows', async () => {
    const { take, runner, work } = taking();
    runner.isSafe = false;
    let known: readonly number[] = [];
    runner.onRun = () => (known = [...work.acting]);
    await take();
    expect(known).toEqual([runLease().workId]);
  });

  it('is not asked when the lease was lost', async () => {
    const { take, runner, work } = taking();
    runner.isSafe = false;
    work.isLeaseLost = true;
    await expect(take()).rejects.toThrow('the lease was lost');
    expect(runner.turn).toBeUndefined();
  });

  it('and one that cannot costs no commit', async () => {
    const { take, work } = taking();
    await take();
    expect(work.acting).toEqual([]);
  });
});

describe('Turns.take: tool calls', () => {
  const call = { tool: 'a_b', input: '{}', outcome: 'succeeded', result: 'x', ms: 3 } as const;
  const cutOff = {
    'timed-out': ({ clock }: ReturnType<typeof taking>) => clock.advance(10_000),
    stopped: ({ stop }: ReturnType<typeof taking>) => stop.abort(),
  };

  it.each(Object.entries(cutOff))('of a turn that is %s are known', async (outcome, cut) => {
    const room = taking(never);
    const calls: ToolCall[] = [];
    room.runner.onRun = () => room.runner.turn?.tellsToolCalls?.(() => calls);
    const turn = room.take();
    await settled();
    calls.push(call);
    cut(room);
    expect(await turn).toMatchObject({ outcome, toolCalls: [call] });
  });

  it('that a runner cannot tell cost the story those, not the turn its end', async () => {
    const { take, runner } = taking();
    runner.onRun = () =>
      runner.turn?.tellsToolCalls?.(() => {
        throw new Error('lost count');
      });
    expect(await take()).toMatchObject({ outcome: 'replied', toolCalls: [] });
  });
});
