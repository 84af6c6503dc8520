import {
  AgentError,
  AgentRunner,
  type AgentReply,
  type AgentTurn,
} from '../../hooks/ports/agent-runner.ts';
import { type Clock, SystemClock } from '../../hooks/ports/clock.ts';
import { McpServers } from './mcp/servers.ts';
import type { ModelProvider } from './model-provider.ts';
import type { ModelTarget } from './model-turn.ts';
import { systemPrompt } from './system-prompt.ts';
import { openTools, serversFor } from './turn-tools.ts';

export type { ModelProvider, ProviderType } from './model-provider.ts';

/** Where models are asked; the `models` section of the configuration. */
export interface ModelsSection {
  /** By the name that stands before the first slash of `<provider>/<model>`. */
  readonly providers: Readonly<Record<string, ModelProvider>>;
}

export interface ModelRunnerOptions {
  /** Asked at the start of each turn, so that a reload applies to the next one. */
  readonly models: () => ModelsSection;
  /** Where the variables come from that an agent's MCP programs are given. @default the process's own */
  readonly env?: () => Readonly<Record<string, string | undefined>>;
  /** @default the system's clock */
  readonly clock?: Clock;
}

/** Runs turns on language models; dispose it when no more turns come, which ends the agents' MCP servers. */
export class ModelRunner extends AgentRunner implements AsyncDisposable {
  private readonly servers: McpServers;

  constructor(
    private readonly models: () => ModelsSection,
    env: NonNullable<ModelRunnerOptions['env']>,
    private readonly clock: Clock,
  ) {
    super();
    this.servers = new McpServers(env, clock);
  }

  async run(turn: AgentTurn, signal: AbortSignal): Promise<AgentReply> {
    signal.throwIfAborted();
    const target = findTarget(turn.model, this.models());
    const prompt = await systemPrompt(turn.agent);
    const { askModel } = await loadSdk();
    using offered = await openTools(turn, this.servers, signal);
    const told = {
      instructions: prompt.text,
      tools: offered.tools,
      notes: [...prompt.notes, ...offered.notes],
    };
    return await askModel(turn, target, told, signal, () => this.clock.now());
  }

  /** A model by itself changes nothing outside; one with tools may have. */
  override mayRepeat(turn: Pick<AgentTurn, 'agent' | 'contract'>): boolean {
    return serversFor(turn).length === 0;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.servers[Symbol.asyncDispose]();
  }
}

/**
 * The SDK costs 130 ms and 30 MB: only a process that asks a model pays for it. A function of its own, because tsc
 * (6.0) does not rewrite the `.ts` of an import in a function that it rewrites for `using`.
 */
function loadSdk() {
  return import('./model-turn.ts');
}

/** Splits at the first slash only: the names of models contain slashes themselves. */
function findTarget(model: string | undefined, { providers }: ModelsSection): ModelTarget {
  if (model === undefined) {
    throw new AgentError(
      'no model was named: set agents.defaults.model to <provider>/<model>',
      'permanent',
    );
  }
  const slash = model.indexOf('/');
  const name = model.slice(0, Math.max(slash, 0));
  const modelId = model.slice(slash + 1);
  if (name === '' || modelId === '') {
    throw new AgentError(`model "${model}" is not written <provider>/<model>`, 'permanent');
  }
  const provider = Object.hasOwn(providers, name) ? providers[name] : undefined;
  if (provider === undefined) throw new AgentError(unknown(name, providers), 'permanent');
  return { provider: { ...provider, name }, modelId, model };
}

function unknown(name: string, providers: ModelsSection['providers']): string {
  const known = Object.keys(providers).join(', ') || 'none';
  return `there is no model provider "${name}": add models.providers.${name} (configured: ${known})`;
}

/**
 * Runs turns on language models through the AI SDK, which is loaded with the first turn. The reply's model is the
 * turn's. Nothing is retried here: 408, 409, 425, 429, 5xx and lost connections fail as `retryable` with what
 * `Retry-After` asked for, everything else as `permanent`, and everything after a tool was used. An empty reply is a
 * reply, with a warning. The tools of `agent.tools` are offered as far as the turn's contract allows.
 */
export function modelRunner({ models, env, clock }: ModelRunnerOptions): ModelRunner {
  return new ModelRunner(models, env ?? (() => process.env), clock ?? new SystemClock());
}
