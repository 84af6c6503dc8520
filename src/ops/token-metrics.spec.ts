import { AgentRunner } from '../hooks/index.ts';
import type { AgentReply, AgentTurn } from '../hooks/index.ts';
import { HookMetrics } from './hook-metrics.ts';
import { TokenMetrics } from './token-metrics.ts';

const turn: AgentTurn = {
  id: 'run-1',
  kind: 'run',
  agent: { id: 'ops', timeoutSeconds: 600 },
  sessionKey: 'agent:ops:hook:1',
  history: [],
  prompt: 'Hello',
  deadline: 0,
  contract: { trust: 'untrusted', verifiedBy: 'token', allowedTools: [], mayDeliverTo: null },
};

/** Answers with what it is given; may be repeated. */
class FixedRunner extends AgentRunner {
  constructor(private readonly replies: AgentReply[]) {
    super();
  }

  async run(): Promise<AgentReply> {
    return this.replies.shift() ?? { text: '' };
  }

  override mayRepeat(): boolean {
    return true;
  }
}

describe('TokenMetrics', () => {
  it('adds up the tokens of each agent, and passes over turns that know none', async () => {
    const metrics = new HookMetrics();
    const usage = { inputTokens: 5, outputTokens: 3 };
    const replies = [{ text: 'a', usage }, { text: 'b' }, { text: 'c', usage }];
    const runner = new TokenMetrics(metrics).counted(new FixedRunner(replies));
    const { signal } = new AbortController();
    for (const text of ['a', 'b', 'c']) expect((await runner.run(turn, signal)).text).toBe(text);
    const lines = await metrics.registry.metrics();
    expect(lines).toContain('hooks_tokens_total{agent="ops",kind="input"} 10');
    expect(lines).toContain('hooks_tokens_total{agent="ops",kind="output"} 6');
  });

  it('leaves it to the runner whether a turn may be begun again', () => {
    const runner = new TokenMetrics(new HookMetrics()).counted(new FixedRunner([]));
    expect(runner.mayRepeat(turn)).toBe(true);
  });
});
