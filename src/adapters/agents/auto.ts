import { AgentRunner, type AgentReply, type AgentTurn } from '../../hooks/ports/agent-runner.ts';
import { SystemClock } from '../../hooks/ports/clock.ts';
import { demoRunner } from './demo.ts';
import { modelRunner, type ModelRunnerOptions } from './model.ts';
import { OllamaProbe } from './ollama.ts';

export interface AutoRunnerOptions extends ModelRunnerOptions {
  /** Where a local Ollama is looked for, without `/v1`. @default 'http://127.0.0.1:11434' */
  readonly ollamaUrl?: string;
}

class AutoRunner extends AgentRunner {
  constructor(
    private readonly probe: OllamaProbe,
    private readonly ollama: AgentRunner,
    private readonly models: AgentRunner,
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
}

/**
 * The standalone service's runner. A turn without a model, or with `auto`, goes to the first model of a local Ollama
 * (looked for at most once a minute, for at most 300 ms), else to the demo agent; any other model is asked as named.
 * The reply's model says who answered: `ollama/<model>`, `demo`, or the named one.
 */
export function autoRunner({
  models,
  clock = new SystemClock(),
  ollamaUrl = 'http://127.0.0.1:11434',
}: AutoRunnerOptions): AgentRunner {
  const providers = {
    ollama: { type: 'openai-compatible' as const, baseUrl: `${ollamaUrl}/v1` },
  };
  return new AutoRunner(
    new OllamaProbe(ollamaUrl, clock),
    modelRunner({ models: () => ({ providers }), clock }),
    modelRunner({ models, clock }),
    demoRunner(),
  );
}
