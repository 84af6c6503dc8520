import {
  AgentError,
  AgentRunner,
  type AgentReply,
  type AgentTurn,
} from '../../hooks/ports/agent-runner.ts';
import { type Clock, SystemClock } from '../../hooks/ports/clock.ts';
import type { ModelProvider } from './model-provider.ts';
import type { ModelTarget } from './model-turn.ts';

export type { ModelProvider } from './model-provider.ts';

/** Where models are asked; the `models` section of the configuration. */
export interface ModelsSection {
  /** By the name that stands before the first slash of `<provider>/<model>`. */
  readonly providers: Readonly<Record<string, ModelProvider>>;
}

export interface ModelRunnerOptions {
  /** Asked at the start of each turn, so that a reload applies to the next one. */
  readonly models: () => ModelsSection;
  /** @default the system's clock */
  readonly clock?: Clock;
}

class ModelRunner extends AgentRunner {
  constructor(
    private readonly models: () => ModelsSection,
    private readonly clock: Clock,
  ) {
    super();
  }

  async run(turn: AgentTurn, signal: AbortSignal): Promise<AgentReply> {
    signal.throwIfAborted();
    const target = findTarget(turn.model, this.models());
    // The SDK costs 130 ms and 30 MB: only a process that asks a model pays for it.
    const { askModel } = await import('./model-turn.ts');
    const text = await askModel(turn, target, signal, () => this.clock.now());
    return { text, model: turn.model };
  }
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
  return { provider: { ...provider, name }, modelId };
}

function unknown(name: string, providers: ModelsSection['providers']): string {
  const known = Object.keys(providers).join(', ') || 'none';
  return `there is no model provider "${name}": add models.providers.${name} (configured: ${known})`;
}

/**
 * Runs turns on language models through the AI SDK, which is loaded with the first turn. The reply's model is the
 * turn's. Nothing is retried here: 408, 409, 425, 429, 5xx and lost connections fail as `retryable` with what
 * `Retry-After` asked for, everything else as `permanent`. An empty reply is a reply.
 */
export function modelRunner({ models, clock }: ModelRunnerOptions): AgentRunner {
  return new ModelRunner(models, clock ?? new SystemClock());
}
