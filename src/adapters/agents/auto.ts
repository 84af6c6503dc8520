import { AgentRunner, type AgentReply, type AgentTurn } from '../../hooks/ports/agent-runner.ts';
import { SystemClock } from '../../hooks/ports/clock.ts';
import { demoRunner } from './demo.ts';
import { type ModelRunner, modelRunner, type ModelRunnerOptions } from './model.ts';
import { OllamaProbe } from './ollama.ts';

export interface AutoRunnerOptions extends ModelRunnerOptions {
  /** Where a local Ollama is looked for, without `/v1`. @default 'http://127.0.0.1:11434' */
  readonly ollamaUrl?: string;
}

class AutoRunner extends AgentRunner implements AsyncDisposable {
  constructor(
    private readonly probe: OllamaProbe,
    private readonly ollama: ModelRunner,
    private readonly models: ModelRunner,
    private readonly demo: AgentRunner,
  ) {
    super();
  }

  async run(turn: AgentTurn, signal: AbortSignal): Promise<AgentReply> {
    if (turn.model !== undefined && turn.model !== 'auto') return this.models.run(turn, signal);
    const found = await this.probe.firstModel();
    if (found === undefined) return this.demo.run(turn, signal);
    return this.ollama.run({ ...turn, model: `ollama/${found}` }, signal);
  }

  override mayRepeat(turn: Pick<AgentTurn, 'agent' | 'contract'>): boolean {
    return this.models.mayRepeat(turn);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.ollama[Symbol.asyncDispose](), this.models[Symbol.asyncDispose]()]);
  }
}

/**
 * The standalone service's runner. A turn without a model, or with `auto`, goes to the first model of a local Ollama
 * (looked for at most once a minute, for at most 300 ms), else to the demo agent; any other model is asked as named.
 * The reply's model says who answered: `ollama/<model>`, `demo`, or the named one. Dispose it when no more turns come.
 */
export function autoRunner({
  models,
  env,
  clock = new SystemClock(),
  ollamaUrl = 'http://127.0.0.1:11434',
}: AutoRunnerOptions): AgentRunner & AsyncDisposable {
  const providers = {
    ollama: { type: 'openai-compatible' as const, baseUrl: `${ollamaUrl}/v1` },
  };
  return new AutoRunner(
    new OllamaProbe(ollamaUrl, clock),
    modelRunner({ models: () => ({ providers }), env, clock }),
    modelRunner({ models, env, clock }),
    demoRunner(),
  );
}
