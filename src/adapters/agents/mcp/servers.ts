import type { ToolSet } from 'ai';

import type { Agent } from '../../../hooks/ports/agent-directory.ts';
import type { Clock } from '../../../hooks/ports/clock.ts';
import type { McpServerSettings } from '../../../hooks/ports/runner-settings.ts';
import { connect, type Environment, type McpConnection } from './connection.ts';
import { unusable } from './server-error.ts';

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
  private readonly shared = new Map<string, Shared>();
  private readonly ending = new AbortController();
  private readonly closings = new Set<Promise<void>>();

  constructor(
    private readonly env: () => Environment,
    private readonly clock: Clock,
  ) {}

  /**
   * Connects when it must, and asks for the tools. A connection that broke since it was last used is made once more.
   * @throws AgentError (retryable) when the server cannot be used; the signal's reason when it aborted.
   */
  async use(
    agent: Agent,
    name: string,
    settings: McpServerSettings,
    signal: AbortSignal,
  ): Promise<McpLease> {
    const known = this.shared.get(keyOf(agent, name));
    const server = this.serverOf(agent, name, settings);
    try {
      return await this.lease(server, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (server !== known) throw unusable(agent, name, error);
    }
    try {
      return await this.lease(this.serverOf(agent, name, settings), signal);
    } catch (error) {
      signal.throwIfAborted();
      throw unusable(agent, name, error);
    }
  }

  /** Closes every server, those in use too; later uses fail. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.ending.abort();
    for (const server of this.shared.values()) this.drop(server, true);
    await Promise.all(this.closings);
  }

  private serverOf(agent: Agent, name: string, settings: McpServerSettings): Shared {
    const key = keyOf(agent, name);
    const made = JSON.stringify([settings, agent.workspace]);
    const known = this.shared.get(key);
    if (known?.made === made) return known;
    if (known !== undefined) this.drop(known);
    // Not the turn's signal: a connection outlives the turn that asked for it first.
    const place = { env: this.env(), workspace: agent.workspace };
    const connection = connect(settings, place, this.ending.signal);
    const server: Shared = { key, made, connection, users: 0, idle: undefined };
    this.shared.set(key, server);
    return server;
  }

  private async lease(server: Shared, signal: AbortSignal): Promise<McpLease> {
    server.users += 1;
    server.idle?.abort();
    try {
      const connection = await unlessAborted(server.connection, signal);
      const tools = await connection.tools(signal);
      const end = (): void => this.release(server, connection.isBroken);
      return { tools, [Symbol.dispose]: end };
    } catch (error) {
      this.release(server, !signal.aborted);
      throw error;
    }
  }

  private release(server: Shared, isBroken: boolean): void {
    server.users -= 1;
    if (isBroken || this.shared.get(server.key) !== server) this.drop(server);
    else if (server.users === 0) this.closeWhenIdle(server);
  }

  private closeWhenIdle(server: Shared): void {
    const idle = new AbortController();
    server.idle = idle;
    const { signal } = idle;
    void this.clock.wait(IDLE_MS, signal).then(() => {
      if (!signal.aborted) this.drop(server);
    });
  }

  /** Nobody gets it any more; it is closed as soon as nobody has it, or `now`. */
  private drop(server: Shared, now = false): void {
    if (this.shared.get(server.key) === server) this.shared.delete(server.key);
    server.idle?.abort();
    if (server.users > 0 && !now) return;
    const closing = server.connection
      .then((connection) => connection.close())
      // One that never connected has nothing to close.
      .catch(() => {})
      .finally(() => this.closings.delete(closing));
    this.closings.add(closing);
  }
}

function keyOf(agent: Agent, name: string): string {
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
