import type { ToolSet } from 'ai';

import type { Agent, McpServerSettings } from '../../../hooks/ports/agent-directory.ts';
import { AgentError } from '../../../hooks/ports/agent-runner.ts';
import type { Clock } from '../../../hooks/ports/clock.ts';
import { errorCode } from '../../../platform/errors.ts';
import { getField, getText } from '../../../platform/objects.ts';
import type { Environment } from '../program.ts';
import { ensureWorkspace } from '../program.ts';
import { connect, isLost, type McpConnection } from './connection.ts';

const IDLE_MS = 5 * 60_000;

export interface McpLease extends Disposable {
  /** By the server's own names. */
  readonly tools: ToolSet;
}

interface Shared {
  readonly key: string;
  /** Settings and place as text: with others it is another server. */
  readonly made: string;
  readonly connection: Promise<McpConnection>;
  users: number;
  idle: AbortController | undefined;
}

/** Shared by an agent's turns. Closed when settings changed, it broke, it was idle for five minutes, and at the end. */
export class McpServers implements AsyncDisposable {
  readonly #env: () => Environment;
  readonly #workspaces: string;
  readonly #clock: Clock;
  readonly #shared = new Map<string, Shared>();
  readonly #ending = new AbortController();
  readonly #closings = new Set<Promise<void>>();

  /** @param env asked when a server is connected. */
  constructor(env: () => Environment, workspaces: string, clock: Clock) {
    this.#env = env;
    this.#workspaces = workspaces;
    this.#clock = clock;
  }

  /**
   * Connects when it must, and asks for the tools. A connection that broke since it was last used is made once more.
   * @throws AgentError: `retryable` what may pass, `needs-operator` what a person has to mend; the signal's reason
   */
  async use(
    agent: Agent,
    name: string,
    settings: McpServerSettings,
    signal: AbortSignal,
  ): Promise<McpLease> {
    const known = this.#shared.get(toKey(agent, name));
    const server = this.#getServer(agent, name, settings);
    try {
      return await this.#lease(server, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (server !== known) throw explainFailure(agent, name, settings, error);
    }
    try {
      return await this.#lease(this.#getServer(agent, name, settings), signal);
    } catch (error) {
      signal.throwIfAborted();
      throw explainFailure(agent, name, settings, error);
    }
  }

  /** Closes every server, those in use too; later uses fail. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    for (const server of this.#shared.values()) this.#drop(server, true);
    await Promise.all(this.#closings);
  }

  #getServer(agent: Agent, name: string, settings: McpServerSettings): Shared {
    const key = toKey(agent, name);
    const made = JSON.stringify([settings, agent.workspace]);
    const known = this.#shared.get(key);
    if (known?.made === made) return known;
    if (known !== undefined) this.#drop(known);
    // Not the turn's signal: a connection outlives the turn that asked for it first.
    const workspace = () => ensureWorkspace(agent, this.#workspaces);
    const place = { env: this.#env(), workspace };
    const connection = connect(settings, place, this.#ending.signal);
    const server: Shared = { key, made, connection, users: 0, idle: undefined };
    this.#shared.set(key, server);
    return server;
  }

  async #lease(server: Shared, signal: AbortSignal): Promise<McpLease> {
    server.users += 1;
    server.idle?.abort();
    try {
      const connection = await unlessAborted(server.connection, signal);
      const tools = await connection.tools(signal);
      const end = (): void => this.#release(server, connection.isBroken);
      return { tools, [Symbol.dispose]: end };
    } catch (error) {
      this.#release(server, !signal.aborted);
      throw error;
    }
  }

  #release(server: Shared, isBroken: boolean): void {
    server.users -= 1;
    if (isBroken || this.#shared.get(server.key) !== server) this.#drop(server);
    else if (server.users === 0) this.#closeWhenIdle(server);
  }

  #closeWhenIdle(server: Shared): void {
    const idle = new AbortController();
    server.idle = idle;
    const { signal } = idle;
    void this.#clock.wait(IDLE_MS, signal).then(() => {
      if (!signal.aborted) this.#drop(server);
    });
  }

  /** Nobody gets it any more; it is closed as soon as nobody has it, or `now`. */
  #drop(server: Shared, now = false): void {
    if (this.#shared.get(server.key) === server) this.#shared.delete(server.key);
    server.idle?.abort();
    if (server.users > 0 && !now) return;
    const closing = server.connection
      .then((connection) => connection.close())
      // One that never connected has nothing to close.
      .catch(() => {})
      .finally(() => this.#closings.delete(closing));
    this.#closings.add(closing);
  }
}

function toKey(agent: Agent, name: string): string {
  return JSON.stringify([agent.id, name]);
}

async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

interface Reason {
  readonly text: string;
  readonly isForOperator: boolean;
}

/** Says which server it is and, from a fixed set of words, why: a server's own words may repeat its key. */
function explainFailure(
  agent: Agent,
  name: string,
  settings: McpServerSettings,
  error: unknown,
): AgentError {
  if (error instanceof AgentError) return error;
  const { text, isForOperator } = findReason(error, settings);
  const message = `the MCP server "${name}" of agent "${agent.id}" cannot be used: ${text}`;
  return new AgentError(message, isForOperator ? 'needs-operator' : 'retryable');
}

/** Answers to "connect" that stay the same until somebody changes the address or the headers. */
const MENDED_STATUSES = new Set([400, 401, 403, 404, 405, 406, 410]);

function findReason(error: unknown, settings: McpServerSettings): Reason {
  const code = errorCode(error);
  if (code !== undefined && !code.startsWith('ERR_')) return explainSystemCode(code, settings);
  const status = getField(error, 'statusCode');
  if (typeof status === 'number' && status !== 200) {
    if (!MENDED_STATUSES.has(status)) return passing(`it answered ${status}`);
    const key = status === 401 || status === 403 ? 'headers' : 'url';
    return forOperator(`it answered ${status}: check its ${key}`);
  }
  if (isLost(error)) return passing('the connection ended');
  return explainAnswer(error) ?? passing('the connection ended');
}

/** `ERR_…` are Node's own complaints, which say nothing to an operator. */
function explainSystemCode(code: string, settings: McpServerSettings): Reason {
  const command = 'command' in settings ? `its program "${settings.command}"` : '';
  // The workspace was made before: what is missing now is the program, or the interpreter of its first line.
  if (code === 'ENOENT' && command !== '') {
    return forOperator(`${command} was not found: install it, or write its absolute path`);
  }
  if (code === 'EACCES' && command !== '') {
    return forOperator(`${command} may not be run: make it an executable file of this user`);
  }
  return passing(`the system said ${code}`);
}

/** As the SDK words them (@ai-sdk/mcp, mcp-client.ts and mcp-http-transport.ts). */
const MISTAKES: readonly (readonly [RegExp, string])[] = [
  [
    /protocol version/i,
    'it speaks a version of MCP that is not known here: update it, or this service',
  ],
  [/does not support tools/, 'it offers no tools: remove it from tools.mcp'],
  [
    /parse server response|parse message|process server response|invalid initialize result/i,
    'what it answered is not as MCP has it: update it',
  ],
  [
    /Unexpected content type|not valid JSON|Unexpected token|JSON-?RPC/i,
    'it does not speak MCP over streamable HTTP there: check its url',
  ],
];

function explainAnswer(error: unknown): Reason | undefined {
  const said = getText(error, 'message') ?? '';
  if (said.includes('timed out')) {
    return passing('it was not ready in time: raise its connectTimeout if it needs longer');
  }
  const mistake = MISTAKES.find(([pattern]) => pattern.test(said));
  if (mistake !== undefined) return forOperator(mistake[1]);
  const code = getField(error, 'code');
  return typeof code === 'number' ? passing(`it refused with error ${code}`) : undefined;
}

function passing(text: string): Reason {
  return { text, isForOperator: false };
}

function forOperator(text: string): Reason {
  return { text, isForOperator: true };
}
