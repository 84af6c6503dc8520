import {
  AgentError,
  AgentRunner,
  type AgentReply,
  type AgentTurn,
} from '../../hooks/ports/agent-runner.ts';
import { type Clock, SystemClock } from '../../hooks/ports/clock.ts';
import type { GatewaySettings } from '../../hooks/ports/runner-settings.ts';
import { filledHeaders, isSessionNamed } from './gateway-headers.ts';
import type { ModelTarget } from './model-turn.ts';

export interface GatewayRunnerOptions {
  /** @default the system's clock */
  readonly clock?: Clock;
}

class GatewayRunner extends AgentRunner {
  constructor(private readonly clock: Clock) {
    super();
  }

  async run(turn: AgentTurn, signal: AbortSignal): Promise<AgentReply> {
    signal.throwIfAborted();
    const settings = gatewayOf(turn);
    const isNamed = isSessionNamed(settings);
    const session = turn.runnerSession ?? `${turn.sessionKey}:${turn.id}`;
    const target = targetOf(turn, settings, session);
    // A gateway that knows the session remembers what was said in it.
    const isKnown = isNamed && turn.runnerSession !== undefined;
    const asked = isKnown ? { ...turn, history: [] } : turn;
    const told = { instructions: turn.agent.instructions ?? '', tools: {}, notes: [] };
    // The SDK costs 130 ms and 30 MB: only a process that asks a gateway pays for it.
    const { askModel } = await import('./model-turn.ts');
    const reply = await askModel(asked, target, told, signal, () => this.clock.now());
    return { ...reply, ...(isNamed && { runnerSession: session }) };
  }
}

function gatewayOf({ agent: { id, runner } }: AgentTurn): GatewaySettings {
  if (runner?.type === 'http') return runner;
  throw new AgentError(`agent "${id}" has no runner of type http`, 'permanent');
}

function targetOf(turn: AgentTurn, settings: GatewaySettings, session: string): ModelTarget {
  const { baseUrl, apiKey } = settings;
  const model = settings.model.replaceAll('{agent}', () => turn.agent.id);
  return {
    provider: {
      type: 'openai-compatible',
      name: 'gateway',
      section: 'agents.list[].runner',
      mayAct: true,
      baseUrl,
      apiKey,
      headers: filledHeaders(settings.headers, turn, session),
    },
    modelId: model,
    model,
  };
}

/**
 * Runs turns on another gateway that speaks OpenAI's protocol (`agents.list[].runner`, type `http`), as
 * {@link modelRunner} asks a model. A header with `{session}` tells it the session: the session's key and the id of
 * its first run, so that an isolated run never meets what an earlier one left there; it then keeps the conversation
 * itself. It may act: what failed after it was asked is permanent, and a turn that died with the service is not
 * begun again.
 */
export function gatewayRunner({ clock }: GatewayRunnerOptions = {}): AgentRunner {
  return new GatewayRunner(clock ?? new SystemClock());
}
