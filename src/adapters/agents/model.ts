import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Agent } from '../../hooks/ports/agent-directory.ts';
import {
  AgentError,
  AgentRunner,
  type AgentReply,
  type AgentTurn,
} from '../../hooks/ports/agent-runner.ts';
import { type Clock, SystemClock } from '../../hooks/ports/clock.ts';
import { errorCode } from '../../platform/errors.ts';
import { McpServers } from './mcp/servers.ts';
import type { ModelProvider } from './model-provider.ts';
import type { ModelTarget } from './model-turn.ts';
import { ModelWindows } from './model-windows.ts';
import { loadSdk } from './sdk.ts';
import { openTools, serversFor } from './turn-tools.ts';

// The model runner, from the top. A turn names `<provider>/<model>`: `findTarget` looks the provider up, `systemPrompt`
// reads what the model is told first, `openTools` (turn-tools.ts) connects the MCP servers whose tools the turn may use,
// and `askModel` (model-turn.ts) streams the answer through the AI SDK. model-answer.ts collects it into a reply,
// tool-call-log.ts follows the tool calls, and provider-error.ts turns what breaks into an `AgentError` that says whether
// it may be tried again. Only `askModel` needs the SDK, which is why it is imported late.

/** Where models are asked: the `models` section of the configuration. */
export interface ModelsSection {
  /** By the name that stands before the first slash of `<provider>/<model>`. */
  readonly providers: Readonly<Record<string, ModelProvider>>;
}

/** Where a model runner finds its providers, and what the MCP programs of its agents may see. */
export interface ModelRunnerOptions {
  /** Asked at the start of each turn, so that a change applies to the next one. */
  readonly models: () => ModelsSection;
  /** Where the variables come from that an agent's MCP programs are given. @default () => process.env */
  readonly env?: () => Readonly<Record<string, string | undefined>>;
  /**
   * Directory in which an agent without a workspace gets one of its own for its MCP programs, made when it is first
   * needed. @default 'workspaces', below the working directory
   */
  readonly workspaces?: string;
  /** @default the system's clock */
  readonly clock?: Clock;
}

/**
 * Runs turns on language models through the AI SDK. Needs the optional packages `ai` and the one of each provider type
 * in use (`@ai-sdk/openai`, `@ai-sdk/anthropic`, `@ai-sdk/google`, `@ai-sdk/openai-compatible`), and `@ai-sdk/mcp` for
 * agents with tools; each is imported with the first turn that needs it, and one that is missing fails that turn with
 * what to install.
 *
 * The reply's model is the turn's; an empty reply is a reply, with a warning. The tools of `agent.tools` are available
 * as far as the turn's contract allows. A turn fails with an `AgentError` and is not retried here: `unreachable` are 502,
 * 503, 504, 529 and refused connections, `rate-limited` is 429, `retryable` are 408, 409, 425, other 5xx and lost
 * connections, with what `Retry-After` asked for; `needs-operator` are a refused key, no credit, an unknown model or
 * address; `permanent` is everything else, and everything after a tool was used.
 *
 * **Dispose of it.** The MCP servers of its agents stay connected between turns, for five minutes, and their programs
 * run on. `HooksModule` does not end a runner that it was given: whoever made it awaits `[Symbol.asyncDispose]()` when
 * no more turns come, which is in `onApplicationShutdown`.
 * @example
 * ```ts
 * const runner = modelRunner({
 *   models: () => ({
 *     providers: { local: { type: 'openai-compatible', baseUrl: 'http://127.0.0.1:11434/v1' } },
 *   }),
 * });
 * const agents = { defaults: { model: 'local/llama3' } };
 * const hooks = HooksModule.forRoot({ enabled: true, token, ledger, runner, agents });
 * // and in the onApplicationShutdown of a class of yours:
 * await runner[Symbol.asyncDispose]();
 * ```
 */
export function modelRunner({
  models,
  env = () => process.env,
  workspaces = 'workspaces',
  clock = new SystemClock(),
}: ModelRunnerOptions): AgentRunner & AsyncDisposable {
  return new ModelRunner(models, new McpServers(env, workspaces, clock), clock);
}

class ModelRunner extends AgentRunner implements AsyncDisposable {
  readonly #models: () => ModelsSection;
  readonly #clock: Clock;
  readonly #servers: McpServers;
  readonly #windows: ModelWindows;

  constructor(models: () => ModelsSection, servers: McpServers, clock: Clock) {
    super();
    this.#models = models;
    this.#servers = servers;
    this.#clock = clock;
    this.#windows = new ModelWindows(clock);
  }

  async run(turn: AgentTurn, signal: AbortSignal): Promise<AgentReply> {
    signal.throwIfAborted();
    const target = findTarget(turn.model, this.#models());
    const prompt = await systemPrompt(turn.agent);
    const { askModel } = await loadModelTurn();
    using turnTools = await openTools(turn, this.#servers, signal);
    const context = {
      instructions: prompt.text,
      tools: turnTools.tools,
      warnings: [...prompt.warnings, ...turnTools.warnings],
      findWindow: () => this.#windows.find(target.provider, target.modelId, signal),
    };
    return await askModel(turn, target, context, signal, () => this.#clock.now());
  }

  /** A model by itself changes nothing outside; one with tools may have. */
  override mayRepeat(turn: Pick<AgentTurn, 'agent' | 'contract'>): boolean {
    return serversFor(turn).length === 0;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#servers[Symbol.asyncDispose]();
  }
}

/** The SDK costs 130 ms and 30 MB. A function of its own: beside `using` tsc 6.0 does not rewrite an import's `.ts`. */
function loadModelTurn() {
  return loadSdk('ai', () => import('./model-turn.ts'));
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
  if (provider === undefined) {
    const known = Object.keys(providers).join(', ') || 'none';
    throw new AgentError(
      `there is no model provider "${name}": add models.providers.${name} (configured: ${known})`,
      'permanent',
    );
  }
  return { provider: { ...provider, name }, modelId, model };
}

const AGENTS_FILE = 'AGENTS.md';
const MAX_AGENTS_FILE_BYTES = 64 * 1024;

interface SystemPrompt {
  readonly text: string;
  readonly warnings: readonly string[];
}

/** `AGENTS.md`, read anew each turn, then the instructions. A file that cannot be read is left out with a warning. */
export async function systemPrompt({ workspace, instructions }: Agent): Promise<SystemPrompt> {
  const { text, warnings } =
    workspace === undefined ? { text: '', warnings: [] } : await readAgentsFile(workspace);
  const parts = [text, instructions ?? ''].map((part) => part.trim());
  return { text: parts.filter((part) => part !== '').join('\n\n'), warnings };
}

/** The file of one workspace, or why it was left out. Links are followed, as long as they end inside. */
async function readAgentsFile(workspace: string): Promise<SystemPrompt> {
  try {
    const root = await realpath(workspace);
    const path = await realpath(join(root, AGENTS_FILE));
    if (!path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) {
      return leftOut('it leads out of the workspace');
    }
    return await readText(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { text: '', warnings: [] };
    return leftOut(`it cannot be read (${String(code)})`);
  }
}

async function readText(path: string): Promise<SystemPrompt> {
  // A named pipe without a writer would otherwise hold the turn.
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const stat = await file.stat();
  if (!stat.isFile()) return leftOut('it is not a file');
  const { buffer, bytesRead } = await file.read({
    buffer: Buffer.alloc(MAX_AGENTS_FILE_BYTES),
    position: 0,
  });
  const isWhole = stat.size <= bytesRead;
  // `stream` leaves out a character that the cut went through.
  const text = new TextDecoder().decode(buffer.subarray(0, bytesRead), { stream: !isWhole });
  if (isWhole) return { text, warnings: [] };
  return {
    text,
    warnings: [`${AGENTS_FILE} is longer than 64 KB: the model was shown the first 64 KB.`],
  };
}

function leftOut(reason: string): SystemPrompt {
  return { text: '', warnings: [`${AGENTS_FILE} of the workspace was left out: ${reason}.`] };
}
