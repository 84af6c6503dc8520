// docs/design/agents.md
import { AgentError, AgentRunner } from '../../hooks/ports/agent-runner.ts';
import type { AgentReply, AgentTurn } from '../../hooks/ports/agent-runner.ts';
import type { RunnerSettings } from '../../hooks/ports/agent-directory.ts';
import { callbackRunner } from './callback.ts';
import { commandRunner, type CommandRunnerOptions } from './command.ts';
import { demoRunner } from './demo.ts';
import { gatewayRunner } from './gateway.ts';
import { type Clock, SystemClock } from '../../hooks/ports/clock.ts';
import { sendHttp } from '../../platform/http-client.ts';
import { getField } from '../../platform/objects.ts';
import { modelRunner } from './model.ts';
import type { ModelRunnerOptions, ModelsSection } from './model.ts';

/** What the runners of all types need together. */
export interface AgentRunnerOptions extends CommandRunnerOptions {
  /** Asked at the start of each turn of a model, so that a change applies to the next one. */
  readonly models: () => ModelsSection;
  /** Where a local Ollama is looked for, without `/v1`. @default 'http://127.0.0.1:11434' */
  readonly ollamaUrl?: string;
  /** Longest time in milliseconds that it gets for each answer about its models. @default 300 */
  readonly probeMs?: number;
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
 */
export function agentRunner(options: AgentRunnerOptions): AgentRunner & AsyncDisposable {
  return new RunnerByAgent(options);
}

type RunnerType = RunnerSettings['type'];

type Runner = AgentRunner & Partial<AsyncDisposable>;

const RUNNERS: Record<RunnerType, (options: AgentRunnerOptions) => Runner> = {
  model: (options) => new AutoRunner(options),
  demo: demoRunner,
  command: commandRunner,
  http: gatewayRunner,
  callback: callbackRunner,
};

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

  override mayRepeat(turn: Pick<AgentTurn, 'agent' | 'contract' | 'resumed'>): boolean {
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

export const OLLAMA_URL = 'http://127.0.0.1:11434';

/**
 * The runner of agents that name none. A turn without a model, or with `auto`, goes to the first chat model of a local
 * Ollama (looked for at most once a minute, for at most 300 ms). Without one it fails and says what to configure; the
 * demo agent answers only where nothing at all is configured. Any other model is asked as named.
 */
export class AutoRunner extends AgentRunner implements AsyncDisposable {
  readonly #probe: OllamaProbe;
  readonly #ollama: AgentRunner & AsyncDisposable;
  readonly #models: AgentRunner & AsyncDisposable;
  readonly #demo: AgentRunner | null;

  constructor({
    models,
    env,
    workspaces,
    clock = new SystemClock(),
    ollamaUrl = OLLAMA_URL,
    probeMs = PROBE_MS,
    isDemo = false,
  }: ModelRunnerOptions & Pick<AgentRunnerOptions, 'ollamaUrl' | 'probeMs' | 'isDemo'>) {
    super();
    const ollama = { type: 'openai-compatible' as const, baseUrl: `${ollamaUrl}/v1` };
    const providers = { ollama };
    this.#probe = new OllamaProbe(ollamaUrl, probeMs, clock);
    this.#ollama = modelRunner({ models: () => ({ providers }), env, workspaces, clock });
    this.#models = modelRunner({ models, env, workspaces, clock });
    this.#demo = isDemo ? demoRunner() : null;
  }

  async run(turn: AgentTurn, signal: AbortSignal): Promise<AgentReply> {
    if (turn.model !== undefined && turn.model !== 'auto') return this.#models.run(turn, signal);
    const found = await this.#probe.firstModel();
    if (found === undefined) {
      if (this.#demo === null) throw noModel(turn.model, this.#probe.url);
      return this.#demo.run(turn, signal);
    }
    return this.#ollama.run({ ...turn, model: `ollama/${found}` }, signal);
  }

  override mayRepeat(turn: Pick<AgentTurn, 'agent' | 'contract'>): boolean {
    return this.#models.mayRepeat(turn);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#ollama[Symbol.asyncDispose](), this.#models[Symbol.asyncDispose]()]);
  }
}

/** An Ollama that was asked for may be started again; what was never configured does not appear by itself. */
function noModel(model: string | undefined, url: string): AgentError {
  const sentence =
    model === undefined
      ? 'no model is configured: set agents.defaults.model to <provider>/<model> of models.providers, or to auto for a local Ollama'
      : `no local Ollama with a model answers at ${url}: start it, or set agents.defaults.model to another model`;
  return new AgentError(sentence, model === undefined ? 'needs-operator' : 'unreachable');
}

const PROBE_MS = 300;
const MAX_ASKED = 10;
/** Names of models that turn text into numbers: they answer a chat with 400 `"nomic-embed-text" does not support chat`. */
const NO_CHAT = /embed|rerank|minilm|(?:^|\/)(?:bge|gte|e5|paraphrase)-/i;
const REMEMBER_MS = 60_000;

/** Looks for a local Ollama; everyone who asks within a minute shares one look. */
class OllamaProbe {
  readonly url: string;
  readonly #probeMs: number;
  readonly #clock: Clock;
  #seen: { readonly at: number; readonly model: Promise<string | undefined> } | undefined;

  constructor(url: string, probeMs: number, clock: Clock) {
    this.url = url;
    this.#probeMs = probeMs;
    this.#clock = clock;
  }

  /** The name of the first model it serves that can answer; undefined when none does in time. Never fails. */
  firstModel(): Promise<string | undefined> {
    const now = this.#clock.now();
    if (this.#seen === undefined || now - this.#seen.at >= REMEMBER_MS) {
      this.#seen = { at: now, model: this.#findModel() };
    }
    return this.#seen.model;
  }

  async #findModel(): Promise<string | undefined> {
    const models = await this.#listModels();
    for (const model of models.slice(0, MAX_ASKED)) {
      if (await this.#canAnswer(model)) return model;
    }
    return undefined;
  }

  /** `{data: [{id}]}`; an Ollama without any model answers `{data: null}`. */
  async #listModels(): Promise<readonly string[]> {
    const listed = getField(await this.#ask('/v1/models'), 'data');
    if (!Array.isArray(listed)) return [];
    const ids = listed.map((model: unknown) => getField(model, 'id'));
    return ids.filter(
      (id): id is string => typeof id === 'string' && id !== '' && !NO_CHAT.test(id),
    );
  }

  /** Ollama's own word for it (docs/api.md, "Show Model Information"); servers that do not say are believed by name. */
  async #canAnswer(model: string): Promise<boolean> {
    const capabilities = getField(await this.#ask('/api/show', { model }), 'capabilities');
    return !Array.isArray(capabilities) || capabilities.includes('completion');
  }

  /** Nothing there, something else there, or too slow: all mean that no Ollama serves us, and give undefined. */
  async #ask(path: string, body?: object): Promise<unknown> {
    const sent =
      body === undefined ? {} : { method: 'POST', body: JSON.stringify(body), headers: JSON_TYPE };
    const request = sendHttp(`${this.url}${path}`, { timeoutMs: this.#probeMs, ...sent });
    const answer = await request.catch(() => undefined);
    return answer !== undefined && answer.status >= 200 && answer.status <= 299
      ? answer.json
      : undefined;
  }
}

const JSON_TYPE = { 'content-type': 'application/json' };
