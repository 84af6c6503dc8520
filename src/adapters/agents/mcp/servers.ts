import type { ToolSet } from 'ai';

import type { Agent, McpServerSettings } from '../../../hooks/ports/agent-directory.ts';
import { AgentError } from '../../../hooks/ports/agent-runner.ts';
import type { Clock } from '../../../hooks/ports/clock.ts';
import { errorCode } from '../../../platform/errors.ts';
import { getField, getText } from '../../../platform/objects.ts';
import type { Environment } from '../program.ts';
import { connect, type McpConnection } from './connection.ts';

/** A server that no turn used for this long is closed; the next turn connects again. */
const IDLE_MS = 5 * 60_000;

/** A server in the hands of one turn. */
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
  /** Ends the wait for the idle time. */
  idle: AbortController | undefined;
}

/**
 * The MCP servers of all agents, each connected with its first turn and shared by the turns of its agent. One is closed
 * when its settings have changed, when it broke, when it was idle for five minutes, and at the end.
 */
export class McpServers implements AsyncDisposable {
  readonly #env: () => Environment;
  readonly #clock: Clock;
  readonly #shared = new Map<string, Shared>();
  readonly #ending = new AbortController();
  readonly #closings = new Set<Promise<void>>();

  /** @param env asked when a server is connected: where the variables of its program are taken from. */
  constructor(env: () => Environment, clock: Clock) {
    this.#env = env;
    this.#clock = clock;
  }

  /**
   * Connects when it must, and asks for the tools. A connection that broke since it was last used is made once more.
   * @throws AgentError when the server cannot be used: `retryable`, or `permanent` without the package for MCP; the
   *   signal's reason when it aborted.
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
      if (server !== known) throw explainFailure(agent, name, error);
    }
    try {
      return await this.#lease(this.#getServer(agent, name, settings), signal);
    } catch (error) {
      signal.throwIfAborted();
      throw explainFailure(agent, name, error);
    }
  }

  /** Closes every server, those in use too; later uses fail. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    for (const server of this.#shared.values()) this.#drop(server, true);
    await Promise.all(this.#closings);
  }

  /** The shared server, connected now when there is none with these settings. */
  #getServer(agent: Agent, name: string, settings: McpServerSettings): Shared {
    const key = toKey(agent, name);
    const made = JSON.stringify([settings, agent.workspace]);
    const known = this.#shared.get(key);
    if (known?.made === made) return known;
    if (known !== undefined) this.#drop(known);
    // Not the turn's signal: a connection outlives the turn that asked for it first.
    const place = { env: this.#env(), workspace: agent.workspace };
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

/** Says which server it is and, from a fixed set of words, why: a server's own words may repeat its key. */
function explainFailure(agent: Agent, name: string, error: unknown): AgentError {
  if (error instanceof AgentError) return error;
  const server = `the MCP server "${name}" of agent "${agent.id}" cannot be used`;
  return new AgentError(`${server}: ${findReason(error)}`, 'retryable');
}

function findReason(error: unknown): string {
  const code = errorCode(error);
  if (code === 'ENOENT')
    return 'its program or the workspace was not found: install it, or write its absolute path';
  // `ERR_…` are Node's own complaints, which say nothing to an operator.
  if (code !== undefined && !code.startsWith('ERR_')) return `the system said ${code}`;
  const status = getField(error, 'statusCode');
  if (typeof status === 'number') return `it answered ${status}`;
  const isLate = getText(error, 'message')?.includes('timed out') === true;
  return isLate ? 'it was not ready in time' : 'the connection ended';
}
