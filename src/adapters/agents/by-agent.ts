import { AgentRunner } from '../../hooks/ports/agent-runner.ts';
import type { AgentReply, AgentTurn } from '../../hooks/ports/agent-runner.ts';
import type { RunnerSettings } from '../../hooks/ports/agent-directory.ts';
import { autoRunner } from './auto.ts';
import { commandRunner, type CommandRunnerOptions } from './command.ts';
import { demoRunner } from './demo.ts';
import { gatewayRunner } from './gateway.ts';
import type { ModelsSection } from './model.ts';

/**
 * What the runners of all types need together.
 * @publicApi
 */
export interface AgentRunnerOptions extends CommandRunnerOptions {
  /** Asked at the start of each turn of a model, so that a change applies to the next one. */
  readonly models: () => ModelsSection;
  /** Where a local Ollama is looked for, without `/v1`. @default 'http://127.0.0.1:11434' */
  readonly ollamaUrl?: string;
  /** True: without a model and without an Ollama the demo agent answers; for trying, never for people. @default false */
  readonly isDemo?: boolean;
}

/**
 * Runs each agent as its own `runner` says: `model`, `demo`, `command` or `http`. This is what the service uses.
 *
 * An agent without a runner is a model. Its turn goes to `<provider>/<model>`; where none is named, or `auto`, to the
 * first model of a local Ollama (looked for at most once a minute, for at most 300 ms); without one it fails and says
 * what to configure. The reply's model says who answered.
 *
 * **Dispose of it**, as of {@link modelRunner}: `HooksModule` does not end a runner that it was given.
 * @example
 * ```ts
 * const runner = agentRunner({
 *   models: () => ({ providers: { openai: { type: 'openai', apiKey: process.env.OPENAI_API_KEY } } }),
 *   env: () => process.env,
 *   workspaces: 'workspaces',
 * });
 * const agents = { defaults: { model: 'openai/gpt-5' } };
 * const hooks = HooksModule.forRoot({ enabled: true, token, ledger, runner, agents });
 * // and in the onApplicationShutdown of a class of yours:
 * await runner[Symbol.asyncDispose]();
 * ```
 * @publicApi
 */
export function agentRunner(options: AgentRunnerOptions): AgentRunner & AsyncDisposable {
  return new RunnerByAgent(options);
}

type RunnerType = RunnerSettings['type'];

/** Some keep something open. */
type Runner = AgentRunner & Partial<AsyncDisposable>;

/** What runs each type of `agents.list[].runner`: a new type is one row here. */
const RUNNERS: Record<RunnerType, (options: AgentRunnerOptions) => Runner> = {
  model: autoRunner,
  demo: demoRunner,
  command: commandRunner,
  http: gatewayRunner,
};

/** Makes the runner of each type with the first turn that asks for it, and keeps it. */
class RunnerByAgent extends AgentRunner implements AsyncDisposable {
  readonly #options: AgentRunnerOptions;
  readonly #runners = new Map<RunnerType, Runner>();

  constructor(options: AgentRunnerOptions) {
    super();
    this.#options = options;
  }

  run(turn: AgentTurn, signal: AbortSignal): Promise<AgentReply> {
    return this.#getRunner(turn).run(turn, signal);
  }

  override mayRepeat(turn: Pick<AgentTurn, 'agent' | 'contract'>): boolean {
    return this.#getRunner(turn).mayRepeat(turn);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const runners = [...this.#runners.values()];
    await Promise.all(runners.map(async (runner) => runner[Symbol.asyncDispose]?.()));
  }

  #getRunner({ agent }: Pick<AgentTurn, 'agent'>): Runner {
    const type = agent.runner?.type ?? 'model';
    const known = this.#runners.get(type);
    if (known !== undefined) return known;
    const made = RUNNERS[type](this.#options);
    this.#runners.set(type, made);
    return made;
  }
}
