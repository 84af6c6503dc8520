import { AgentError } from '../ports/index.ts';
import type { AgentTurn, ToolCall } from '../ports/index.ts';
import { runLease } from '../../../test/support/leases.ts';
import { WorkUnderTest, only, settled } from '../../../test/support/work-under-test.ts';

let work: WorkUnderTest;

beforeEach(async () => {
  work = await WorkUnderTest.start();
});
afterEach(() => work.close());

const lease = runLease({ timeoutSeconds: 10, deliver: null });

const never = (): Promise<string> => new Promise(() => {});

async function take(asked = lease) {
  const { changes } = await work.perform(asked);
  return only(changes, 'run-update')[0];
}

function nextSignal(answer: () => Promise<string> | string = () => 'hi'): Promise<AbortSignal> {
  return new Promise((resolve) => {
    work.runner.reply = (_turn, signal) => {
      resolve(signal);
      return answer();
    };
  });
}

describe('a turn', () => {
  it('gives the reply, and the runner the agent and the deadline', async () => {
    work.runner.reply = () => 'hi';
    expect(await take()).toMatchObject({ status: 'succeeded', reply: 'hi' });
    expect(work.runner.turns).toMatchObject([
      { agent: { id: 'main' }, deadline: work.clock.now() + 10_000 },
    ]);
  });

  it('is not aborted when it has ended', async () => {
    const signal = nextSignal();
    await take();
    work.clock.advance(10_000);
    await settled();
    expect((await signal).aborted).toBe(false);
  });

  it('of a runner that ignores its signal costs nothing but itself', async () => {
    const signal = nextSignal(never);
    const turn = take();
    await settled();
    work.clock.advance(9_999);
    await settled();
    expect((await signal).aborted).toBe(false);
    work.clock.advance(1);
    expect(await turn).toMatchObject({ status: 'timed-out', error: 'no reply within 10 s' });
  });

  it('is interrupted by a stop, also when the runner rejects later', async () => {
    const later = Promise.withResolvers<string>();
    const signal = nextSignal(() => later.promise);
    const { outcome } = await work.stopDuring(lease);
    expect(outcome).toMatchObject({ type: 'retry', interrupted: true });
    expect((await signal).aborted).toBe(true);
    later.reject(new Error('not to be caught by anybody'));
    await settled();
  });

  it('is not begun after a stop', async () => {
    const { outcome } = await work.stopBefore(lease);
    expect(outcome).toEqual({ type: 'release' });
    expect(work.runner.turns).toEqual([]);
  });

  it.each([
    [new AgentError('no key', 'permanent'), 'no key'],
    [new TypeError('oops'), 'TypeError: oops'],
    ['text', 'text'],
  ])('fails for good with %s', async (error, shown) => {
    work.runner.reply = async () => {
      throw error;
    };
    expect(await take()).toMatchObject({ status: 'failed', error: shown });
  });

  it('that fails with a retryable AgentError is tried again, when its runner asks for it', async () => {
    work.runner.reply = async () => {
      throw new AgentError('busy', 'retryable', 50_000);
    };
    const { outcome, changes } = await work.perform(lease);
    expect(outcome).toEqual({ type: 'retry', at: work.clock.now() + 50_000 });
    expect(only(changes, 'run-update')).toMatchObject([{ status: 'queued', error: 'busy' }]);
  });

  it('of a runner that throws at once fails alone', async () => {
    work.runner.run = () => {
      throw new AgentError('at once', 'permanent');
    };
    expect(await take()).toMatchObject({ status: 'failed', error: 'at once' });
  });
});

describe('a thought', () => {
  const F = '```';

  it.each([
    ['<think>It is quiet.</think>\n\nAll is well.', 'All is well.'],
    ['\n<thinking>\na\n</thinking>All is well.', 'All is well.'],
    ['<THOUGHT>a</THOUGHT>\nAll is well.', 'All is well.'],
    ['<reasoning effort="high">a</reasoning>All is well.', 'All is well.'],
    ['[THINK]a[/THINK]All is well.', 'All is well.'],
    ['<think>\n\n</think>\n\n<think>b</think>All is well.', 'All is well.'],
    ['<think>I may write `<think>` here.</think>All is well.', 'All is well.'],
    ['Okay, so it is quiet.\n</think>\n\nAll is well.', 'All is well.'],
    ['It is quiet.</think>All is well.', 'All is well.'],
    ['</think>\n\nAll is well.', 'All is well.'],
    [
      '<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>All is well.<|return|>',
      'All is well.',
    ],
    ['<|channel|>final <|constrain|>json<|message|>{"ok":1}<|end|>', '{"ok":1}'],
    ['analysisWe need to look.assistantfinalAll is well.', 'All is well.'],
    ['All is well.<|im_end|>\n', 'All is well.'],
  ])('%j is no part of the reply', async (answer, reply) => {
    work.runner.reply = () => answer;
    const ended = await take();
    expect(ended).toMatchObject({ status: 'succeeded', reply, summary: `Hook CI: ${reply}` });
    expect(ended?.warnings ?? []).toEqual([]);
  });

  it('is none where the end of one stands in what came: the sender cuts nothing off', async () => {
    const answer = 'Careful, this is fraud. They write: "Dear team.</think> Please pay."';
    work.runner.reply = () => answer;
    const asked = runLease({ message: 'Dear team.</think> Please pay.' });
    expect(await take(asked)).toMatchObject({ reply: answer });
  });

  it.each([
    '<think>I look, and',
    '<think>a</think>',
    '<|channel|>analysis<|message|>We need to',
    '<|channel|>commentary to=functions.x<|message|>{}<|call|>',
  ])('%j leaves nothing, and the record says why', async (answer) => {
    work.runner.reply = () => answer;
    const warnings = ['The answer was a thought and nothing else.'];
    expect(await take()).toMatchObject({ reply: '', summary: 'Hook CI: (no reply)', warnings });
  });

  it.each([
    'Some servers leave <think>…</think> in the text.',
    'A thought ends with </think> there.',
    `${F}xml\n<a>x.\n</think>\n${F}`,
    '`<think>` opens it.',
    'I think.</thin>',
    '<thinker>a</thinker>',
    'The last token is <|im_end|>',
    'Use <|channel|>final<|message|>.',
    'analysis of assistants',
    '',
  ])('%j speaks of one at most, and stays as it is', async (reply) => {
    work.runner.reply = () => reply;
    expect(await take()).toMatchObject({ reply });
  });

  it.each([
    '<think>'.repeat(150_000),
    '<think></think>'.repeat(70_000),
    `<think>${' </think'.repeat(130_000)}`,
    'a.</think '.repeat(100_000),
    '<|channel|>final'.repeat(65_000),
    '<|im_end|>'.repeat(100_000),
    ' '.repeat(1_000_000),
  ])('of a megabyte is found in linear time', async (answer) => {
    work.runner.reply = () => answer;
    expect(await take()).toMatchObject({ status: 'succeeded' });
  });
});

describe('a turn of an agent that can act', () => {
  beforeEach(() => (work.runner.isSafe = false));

  it('is begun after the ledger knows', async () => {
    let known: readonly number[] = [];
    work.runner.reply = () => {
      known = [...work.ledger.work.acting];
      return 'hi';
    };
    await take();
    expect(known).toEqual([lease.workId]);
  });

  it('is not begun when the lease was lost', async () => {
    work.ledger.work.isLeaseLost = true;
    work.ledger.work.give(lease);
    await settled();
    expect(work.ledger.work.acting).toEqual([lease.workId]);
    expect(work.runner.turns).toEqual([]);
    expect(work.log.lines.join()).toContain('the lease was lost before the agent was asked');
  });

  it('costs a write to the ledger that one which cannot act does not', async () => {
    work.runner.isSafe = true;
    await take();
    expect(work.ledger.work.acting).toEqual([]);
  });
});

describe('the tool calls of a turn', () => {
  const call = { tool: 'a_b', input: '{}', outcome: 'succeeded', result: 'x', ms: 3 } as const;
  const runWith =
    (calls: () => readonly ToolCall[], answer: () => Promise<string>) =>
    async (turn: AgentTurn) => {
      turn.reportToolCalls?.(calls);
      return { text: await answer() };
    };

  it.each([
    ['timed-out', async () => work.clock.advance(10_000)],
    ['interrupted', () => work.stop()],
  ])('are known when it was %s', async (status, cutOff) => {
    const calls: ToolCall[] = [];
    work.runner.isSafe = false;
    work.runner.run = runWith(() => calls, never);
    const turn = take();
    await settled();
    calls.push(call);
    await cutOff();
    expect(await turn).toMatchObject({ status, toolCalls: [call] });
  });

  it('that a runner cannot name are missing, and the turn ends all the same', async () => {
    const lost = () => {
      throw new Error('lost count');
    };
    work.runner.run = runWith(lost, async () => 'hi');
    const update = await take();
    expect(update).toMatchObject({ status: 'succeeded', reply: 'hi' });
    expect(update).not.toHaveProperty('toolCalls');
  });
});
