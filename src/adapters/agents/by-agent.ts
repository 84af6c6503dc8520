import { AgentRunner, type AgentReply, type AgentTurn } from '../../hooks/ports/agent-runner.ts';
import type { RunnerSettings } from '../../hooks/ports/runner-settings.ts';
import { autoRunner, type AutoRunnerOptions } from './auto.ts';
import { commandRunner, type CommandRunnerOptions } from './command.ts';
import { demoRunner } from './demo.ts';
import { gatewayRunner } from './gateway.ts';

export type AgentRunnerOptions = AutoRunnerOptions & CommandRunnerOptions;

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

class RunnerByAgent extends AgentRunner implements AsyncDisposable {
  readonly #runners = new Map<RunnerType, Runner>();

  constructor(private readonly options: AgentRunnerOptions) {
    super();
  }

  run(turn: AgentTurn, signal: AbortSignal): Promise<AgentReply> {
    return this.#runnerOf(turn).run(turn, signal);
  }

  override mayRepeat(turn: Pick<AgentTurn, 'agent' | 'contract'>): boolean {
    return this.#runnerOf(turn).mayRepeat(turn);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const runners = [...this.#runners.values()];
    await Promise.all(runners.map(async (runner) => runner[Symbol.asyncDispose]?.()));
  }

  #runnerOf({ agent }: Pick<AgentTurn, 'agent'>): Runner {
    const type = agent.runner?.type ?? 'model';
    const known = this.#runners.get(type);
    if (known !== undefined) return known;
    const made = RUNNERS[type](this.options);
    this.#runners.set(type, made);
    return made;
  }
}

/** Runs each agent as its own `runner` says; one without is a model, as {@link autoRunner} finds it. Dispose it when no more turns come. */
export function agentRunner(options: AgentRunnerOptions): AgentRunner & AsyncDisposable {
  return new RunnerByAgent(options);
}
