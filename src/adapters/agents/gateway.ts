import { AgentError, AgentRunner } from '../../hooks/ports/agent-runner.ts';
import type { AgentReply, AgentTurn } from '../../hooks/ports/agent-runner.ts';
import type { Clock } from '../../hooks/ports/clock.ts';
import { SystemClock } from '../../hooks/ports/clock.ts';
import type { GatewaySettings } from '../../hooks/ports/agent-directory.ts';
import type { ModelTarget } from './model-turn.ts';
import { loadSdk } from './sdk.ts';

/** All of them have defaults. */
export interface GatewayRunnerOptions {
  /** @default the system's clock */
  readonly clock?: Clock;
}

/**
 * Runs turns on another gateway that speaks OpenAI's protocol, as the agent's `runner` says (`type: 'http'`), in the
 * way of {@link modelRunner}: it needs the optional packages `ai` and `@ai-sdk/openai-compatible`. It keeps nothing
 * open between turns.
 *
 * With `sessions: 'gateway'` the gateway keeps the conversation, under the name that a header gives it with `{session}`:
 * the session's key and the id of its first run, so that an isolated run never meets what an earlier one left there.
 * With `sessions: 'here'` each turn brings the conversation along.
 *
 * Fails with an `AgentError`. The gateway may act: only a failure before it began is `retryable`, and a turn that died
 * with the service is not begun again.
 * @example
 * ```ts
 * const other = { type: 'http', baseUrl: 'http://127.0.0.1:8000/v1', model: 'agent:{agent}' } as const;
 * const agents = { defaults: { runner: other } };
 * HooksModule.forRoot({ enabled: true, token, ledger, runner: gatewayRunner(), agents });
 * ```
 */
export function gatewayRunner({ clock }: GatewayRunnerOptions = {}): AgentRunner {
  return new GatewayRunner(clock ?? new SystemClock());
}

class GatewayRunner extends AgentRunner {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    super();
    this.#clock = clock;
  }

  async run(turn: AgentTurn, signal: AbortSignal): Promise<AgentReply> {
    signal.throwIfAborted();
    const settings = requireSettings(turn);
    const isNamed = isSessionNamed(settings);
    const session = turn.runnerSession ?? `${turn.sessionKey}:${turn.id}`;
    const target = buildTarget(turn, settings, session);
    const isRemembered = settings.sessions === 'gateway' && turn.runnerSession !== undefined;
    const asked = isRemembered ? { ...turn, history: [] } : turn;
    const context = { instructions: turn.agent.instructions ?? '', tools: {}, warnings: [] };
    const { askModel } = await loadSdk('ai', () => import('./model-turn.ts'));
    const reply = await askModel(asked, target, context, signal, () => this.#clock.now());
    return { ...reply, ...(isNamed && { runnerSession: session }) };
  }
}

function requireSettings({ agent: { id, runner } }: AgentTurn): GatewaySettings {
  if (runner?.type === 'http') return runner;
  throw new AgentError(`agent "${id}" has no runner of type http`, 'permanent');
}

function buildTarget(turn: AgentTurn, settings: GatewaySettings, session: string): ModelTarget {
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
      headers: fillHeaders(settings.headers, turn, session),
    },
    modelId: model,
    model,
  };
}

const PLACEHOLDER = /\{(agent|session|contract)\}/g;

function isSessionNamed({ headers }: GatewaySettings): boolean {
  return Object.values(headers).some((value) => value.includes('{session}'));
}

/** The headers of one turn: printable ASCII on one line each, whatever the session is called. */
export function fillHeaders(
  headers: GatewaySettings['headers'],
  { agent, contract }: AgentTurn,
  session: string,
): Record<string, string> {
  const values: Record<string, string> = {
    agent: percentEncode(agent.id),
    session: percentEncode(session),
    contract: toAsciiJson(contract),
  };
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      value.replace(PLACEHOLDER, (_, placeholder: string) => values[placeholder] ?? ''),
    ]),
  );
}

/** Characters that no header can carry, line breaks above all, as `%0A`. */
function percentEncode(text: string): string {
  return text.toWellFormed().replace(/[^\x20-\x7e]+/gu, encodeURIComponent);
}

function toAsciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
