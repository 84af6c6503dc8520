import {
  AgentError,
  AgentRunner,
  type AgentReply,
  type AgentTurn,
} from '../../hooks/ports/agent-runner.ts';
import { type Clock, SystemClock } from '../../hooks/ports/clock.ts';
import type { CommandSettings } from '../../hooks/ports/runner-settings.ts';
import { type Environment, environmentOf } from './command-environment.ts';
import { endFailure, startFailure } from './command-failure.ts';
import { ProcessGroups } from './command-groups.ts';
import { inputOf } from './command-input.ts';
import { replyIn } from './command-output.ts';
import { type Ended, type Program, runProgram } from './command-process.ts';
import { workspaceOf } from './command-workspace.ts';

export interface CommandRunnerOptions {
  /** Asked at the start of each turn: where PATH, HOME, LANG, TZ and the names of `runner.env` are taken from. */
  readonly env: () => Environment;
  /** Where an agent without a workspace gets one, by its id. */
  readonly workspaces: string;
  /** @default the system's clock */
  readonly clock?: Clock;
}

/** How many lost conversations are remembered. */
const MAX_LOST = 1000;

class CommandRunner extends AgentRunner {
  readonly #groups: ProcessGroups;
  /** Conversations that programs could not continue; the next turn begins a new one and tells what went before. */
  readonly #lost = new Set<string>();

  constructor(
    private readonly env: () => Environment,
    private readonly workspaces: string,
    clock: Clock,
  ) {
    super();
    this.#groups = new ProcessGroups(clock);
  }

  async run(turn: AgentTurn, signal: AbortSignal): Promise<AgentReply> {
    signal.throwIfAborted();
    const settings = commandOf(turn);
    const cwd = await workspaceOf(turn.agent, this.workspaces);
    signal.throwIfAborted();
    const session = this.#sessionOf(turn, settings);
    const program = programOf(turn, settings, cwd, this.env(), session);
    const ended = await this.#run(program, signal);
    const failure = endFailure(ended, program, named(program, settings));
    if (failure === undefined) return replyIn(ended.stdout, settings);
    if (session !== undefined) this.#lose(session);
    throw failure;
  }

  /** The conversation that the program is asked to continue. */
  #sessionOf({ runnerSession }: AgentTurn, { resumeArgs }: CommandSettings): string | undefined {
    if (resumeArgs === undefined || runnerSession === undefined) return undefined;
    return this.#lost.has(runnerSession) ? undefined : runnerSession;
  }

  #lose(session: string): void {
    const [oldest] = this.#lost;
    if (this.#lost.size >= MAX_LOST && oldest !== undefined) this.#lost.delete(oldest);
    this.#lost.add(session);
  }

  async #run(program: Program, signal: AbortSignal): Promise<Ended> {
    try {
      return await runProgram(program, this.#groups, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw startFailure(error, program.command);
    }
  }
}

function commandOf({ agent: { id, runner } }: AgentTurn): CommandSettings {
  if (runner?.type === 'command') return runner;
  throw new AgentError(`agent "${id}" has no runner of type command`, 'permanent');
}

/** With a session id of its own the program continues its conversation, otherwise it is told what went before. */
function programOf(
  turn: AgentTurn,
  { command, args, resumeArgs, env: names }: CommandSettings,
  cwd: string,
  source: Environment,
  session: string | undefined,
): Program {
  const env = environmentOf(turn, names, source);
  if (session === undefined || resumeArgs === undefined) {
    return { command, args, cwd, env, input: inputOf(turn, false) };
  }
  const resumed = resumeArgs.map((arg) => arg.replaceAll('{session}', () => session));
  return { command, args: resumed, cwd, env, input: inputOf(turn, true) };
}

/** The variables that the operator named: keys, most of the time. */
function named({ env }: Program, settings: CommandSettings): Record<string, string> {
  return Object.fromEntries(settings.env.map((name) => [name, env[name] ?? '']));
}

/**
 * Runs turns as programs of this machine (`agents.list[].runner`, type `command`): without a shell, the prompt on
 * standard input, at most 1 MB of output, in a process group of its own that ends with the turn. Every failure of a
 * program that ran is permanent, for it may have acted; so a turn that died with the service is not begun again.
 */
export function commandRunner({ env, workspaces, clock }: CommandRunnerOptions): AgentRunner {
  return new CommandRunner(env, workspaces, clock ?? new SystemClock());
}
