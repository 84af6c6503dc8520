import { AgentRunner, type AgentReply, type AgentTurn } from '../../hooks/ports/agent-runner.ts';
import type { RunnerSettings } from '../../hooks/ports/runner-settings.ts';
import { autoRunner, type AutoRunnerOptions } from './auto.ts';
import { commandRunner, type CommandRunnerOptions } from './command.ts';
import { demoRunner } from './demo.ts';
import { gatewayRunner } from './gateway.ts';

export type AgentRunnerOptions = AutoRunnerOptions & CommandRunnerOptions;

type RunnerType = RunnerSettings['type'];

/** What runs each type of `agents.list[].runner`: a new type is one row here. */
const RUNNERS: Record<RunnerType, (options: AgentRunnerOptions) => AgentRunner> = {
  model: autoRunner,
  demo: demoRunner,
  command: commandRunner,
  http: gatewayRunner,
};

class RunnerByAgent extends AgentRunner {
  readonly #runners = new Map<RunnerType, AgentRunner>();

  constructor(private readonly options: AgentRunnerOptions) {
    super();
  }

  run(turn: AgentTurn, signal: AbortSignal): Promise<AgentReply> {
    return this.#runnerOf(turn).run(turn, signal);
  }

  override mayRepeat(turn: Pick<AgentTurn, 'agent' | 'contract'>): boolean {
    return this.#runnerOf(turn).mayRepeat(turn);
  }

  #runnerOf({ agent }: Pick<AgentTurn, 'agent'>): AgentRunner {
    const type = agent.runner?.type ?? 'model';
    const known = this.#runners.get(type);
    if (known !== undefined) return known;
    const made = RUNNERS[type](this.options);
    this.#runners.set(type, made);
    return made;
  }
}

/** Runs each agent as its own `runner` says; one without is a model, as {@link autoRunner} finds it. */
export function agentRunner(options: AgentRunnerOptions): AgentRunner {
  return new RunnerByAgent(options);
}
