import {
  AgentError,
  AgentRunner,
  type AgentReply,
  type AgentTurn,
} from '../../hooks/ports/agent-runner.ts';
import { type Clock, SystemClock } from '../../hooks/ports/clock.ts';
import { sendHttp } from '../../platform/http-client.ts';
import { getField } from '../../platform/objects.ts';
import { demoRunner } from './demo.ts';
import { modelRunner, type ModelRunnerOptions } from './model.ts';

/** The options of a model runner, and where a local model is looked for. */
export interface AutoRunnerOptions extends ModelRunnerOptions {
  /** Where a local Ollama is looked for, without `/v1`. @default 'http://127.0.0.1:11434' */
  readonly ollamaUrl?: string;
  /** True: without a model and without an Ollama the demo agent answers. @default false */
  readonly isDemo?: boolean;
}

/**
 * The runner of agents that name none. A turn without a model, or with `auto`, goes to the first chat model of a
 * local Ollama (looked for at most once a minute, for at most 300 ms). Without one it fails and says what to configure, but
 * where nothing is configured at all the demo agent answers. Any other model is asked as named. The reply's model says
 * who answered: `ollama/<model>`, `demo`, or the named one. Dispose of it when no more turns come.
 */
export function autoRunner({
  models,
  env,
  workspaces,
  clock = new SystemClock(),
  ollamaUrl = 'http://127.0.0.1:11434',
  isDemo = false,
}: AutoRunnerOptions): AgentRunner & AsyncDisposable {
  const ollama = { type: 'openai-compatible' as const, baseUrl: `${ollamaUrl}/v1` };
  return new AutoRunner(
    new OllamaProbe(ollamaUrl, clock),
    modelRunner({ models: () => ({ providers: { ollama } }), env, workspaces, clock }),
    modelRunner({ models, env, workspaces, clock }),
    isDemo ? demoRunner() : null,
  );
}

/** A runner that has connections to close. */
type DisposableRunner = AgentRunner & AsyncDisposable;

/** Chooses for each turn anew: an Ollama that is started later serves the next turn without a restart. */
class AutoRunner extends AgentRunner implements AsyncDisposable {
  readonly #probe: OllamaProbe;
  readonly #ollama: DisposableRunner;
  readonly #models: DisposableRunner;
  readonly #demo: AgentRunner | null;

  constructor(
    probe: OllamaProbe,
    ollama: DisposableRunner,
    models: DisposableRunner,
    demo: AgentRunner | null,
  ) {
    super();
    this.#probe = probe;
    this.#ollama = ollama;
    this.#models = models;
    this.#demo = demo;
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

/** Longest time the server gets to answer the question for its models. */
const PROBE_MS = 300;
/** How many models are asked about. */
const MAX_ASKED = 10;
/** Names of models that turn text into numbers: they answer a chat with 400 `"nomic-embed-text" does not support chat`. */
const NO_CHAT = /embed|rerank|minilm|(?:^|\/)(?:bge|gte|e5|paraphrase)-/i;
/** How long the answer, or the lack of one, is believed. */
const REMEMBER_MS = 60_000;

/** Looks for a local Ollama; everyone who asks within a minute shares one look. */
class OllamaProbe {
  readonly url: string;
  readonly #clock: Clock;
  #seen: { readonly at: number; readonly model: Promise<string | undefined> } | undefined;

  constructor(url: string, clock: Clock) {
    this.url = url;
    this.#clock = clock;
  }

  /** The name of the first model it serves that can answer; undefined when none does within 300 ms. Never fails. */
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
      // One after the other: the first is the right one, mostly.
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
    const request = sendHttp(`${this.url}${path}`, { timeoutMs: PROBE_MS, ...sent });
    const answer = await request.catch(() => undefined);
    return answer !== undefined && answer.status >= 200 && answer.status <= 299
      ? answer.json
      : undefined;
  }
}

const JSON_TYPE = { 'content-type': 'application/json' };
