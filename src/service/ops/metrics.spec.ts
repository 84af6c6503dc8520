import { AgentRunner } from '../../hooks/index.ts';
import type { AgentReply, AgentTurn } from '../../hooks/index.ts';
import { Metrics } from './metrics.ts';

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

describe('Metrics', () => {
  it('counts connections that were dropped', async () => {
    const metrics = await Metrics.load();
    metrics.countDroppedConnection();
    metrics.countDroppedConnection();
    const { text } = await metrics.scrape({ now: 0, work: [], store: null, mail: undefined });
    expect(text).toContain('hooks_connections_dropped_total 2\n');
  });

  it('tells which version answers', async () => {
    const metrics = await Metrics.load();
    const { text } = await metrics.scrape({ now: 0, work: [], store: null, mail: undefined });
    expect(text).toMatch(/^hooks_info\{version="[^"]+"\} 1$/m);
  });

  it('adds up the tokens of each agent, and passes over turns that know none', async () => {
    const metrics = await Metrics.load();
    const usage = { inputTokens: 5, outputTokens: 3 };
    const replies = [{ text: 'a', usage }, { text: 'b' }, { text: 'c', usage }];
    const runner = metrics.counted(new FixedRunner(replies));
    const { signal } = new AbortController();
    for (const text of ['a', 'b', 'c']) expect((await runner.run(turn, signal)).text).toBe(text);
    const { text: lines } = await metrics.scrape({
      work: [],
      store: null,
      now: 0,
      mail: undefined,
    });
    expect(lines).toContain('hooks_tokens_total{agent="ops",kind="input"} 10');
    expect(lines).toContain('hooks_tokens_total{agent="ops",kind="output"} 6');
  });

  it('leaves it to the runner whether a turn may be begun again', async () => {
    const runner = (await Metrics.load()).counted(new FixedRunner([]));
    expect(runner.mayRepeat(turn)).toBe(true);
  });

  it('says what to install without prom-client, and changes nothing else', async () => {
    const metrics = new Metrics('the package prom-client is not installed');
    metrics.observe({ hook: 'wake', status: 200, ms: 1 });
    const runner = new FixedRunner([]);
    expect(metrics.counted(runner)).toBe(runner);
    await expect(
      metrics.scrape({ work: [], store: null, now: 0, mail: undefined }),
    ).rejects.toMatchObject({
      status: 501,
      response: {
        ok: false,
        code: 'metrics_unavailable',
        error: 'There are no metrics: the package prom-client is not installed.',
      },
    });
  });
});
