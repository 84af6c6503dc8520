import type { MCPClient, MCPClientConfig } from '@ai-sdk/mcp';
import type { Tool, ToolSet } from 'ai';
import { setTimeout as pause } from 'node:timers/promises';

import type { McpServerSettings } from '../../../hooks/ports/agent-directory.ts';
import { limitBody } from '../../../platform/http-client.ts';
import { getField } from '../../../platform/objects.ts';
import { type Environment, pickVariables } from '../program.ts';
import { loadSdk } from '../sdk.ts';
import { StdioTransport } from './stdio-transport.ts';

/** How long a server may take to be ready, to list its tools, and to close. */
const CONNECT_MS = 10_000;
const LIST_MS = 10_000;
const CLOSE_MS = 3000;
/** Pages of a server's list of tools that are read. */
const MAX_PAGES = 20;

/** Largest answer of a server, in bytes: as much as one message of a program. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Where a server runs. */
export interface McpPlace {
  /** Of which a program is given the allowed variables. */
  readonly env: Environment;
  /** Working directory of a program; absent: ours. */
  readonly workspace: string | undefined;
}

/** One connected MCP server. */
export class McpConnection {
  /** True once the connection broke: every further use would fail. */
  isBroken = false;

  readonly #client: MCPClient;
  readonly #program: StdioTransport | undefined;

  /** @param program the server itself, when it is a program of ours to end. */
  constructor(client: MCPClient, program: StdioTransport | undefined) {
    this.#client = client;
    this.#program = program;
  }

  /** The tools that the server has now, by its own names. */
  async tools(signal: AbortSignal): Promise<ToolSet> {
    const options = { signal, timeout: LIST_MS };
    let page = await this.#client.listTools({ options });
    const found = [...page.tools];
    for (let read = 1; page.nextCursor !== undefined && read < MAX_PAGES; read += 1) {
      page = await this.#client.listTools({ params: { cursor: page.nextCursor }, options });
      found.push(...page.tools);
    }
    const tools: ToolSet = this.#client.toolsFromDefinitions({ tools: found });
    return Object.fromEntries(
      Object.entries(tools).map(([name, tool]) => [name, this.#watch(tool)]),
    );
  }

  /** Ends it within 3 seconds; never fails. */
  async close(): Promise<void> {
    const closed = this.#client.close().catch(() => {});
    // A client whose program has ended leaves the program's children to us.
    const ended = closed.then(() => this.#program?.close());
    await Promise.race([ended, pause(CLOSE_MS, undefined, { ref: false })]);
  }

  /** A tool whose failed calls tell whether the connection broke: an error of JSON-RPC is the server's answer. */
  #watch(tool: Tool): Tool {
    const { execute } = tool;
    if (execute === undefined) return tool;
    return {
      ...tool,
      execute: async (...[input, options]: Parameters<typeof execute>) => {
        try {
          return await execute(input, options);
        } catch (error) {
          const isAnswer = typeof getField(error, 'code') === 'number';
          if (options.abortSignal?.aborted !== true && !isAnswer) this.isBroken = true;
          throw error;
        }
      },
    };
  }
}

/**
 * Connects, within 10 seconds.
 * @throws AgentError (permanent) when the package for MCP is missing; otherwise whatever went wrong, which
 *   {@link McpServers} puts into words.
 */
export async function connect(
  settings: McpServerSettings,
  place: McpPlace,
  signal: AbortSignal,
): Promise<McpConnection> {
  // Only an agent that uses tools needs the package, and pays for it.
  const { createMCPClient } = await loadSdk('@ai-sdk/mcp', () => import('@ai-sdk/mcp'));
  const transport = createTransport(settings, place);
  const program = transport instanceof StdioTransport ? transport : undefined;
  try {
    const client = await createMCPClient({
      transport,
      clientName: 'nestjs-agent-hooks',
      initializationOptions: { signal, timeout: CONNECT_MS },
    });
    return new McpConnection(client, program);
  } catch (error) {
    await program?.close();
    throw error;
  }
}

function createTransport(
  settings: McpServerSettings,
  { env, workspace }: McpPlace,
): MCPClientConfig['transport'] {
  if ('url' in settings) {
    return { type: 'http', url: settings.url, headers: settings.headers, fetch: boundedFetch };
  }
  const { command, args } = settings;
  const variables = pickVariables(settings.env, env);
  return new StdioTransport({ command, args, env: variables, cwd: workspace });
}

/** The SDK itself refuses redirects. */
const boundedFetch: typeof fetch = async (...given) =>
  limitBody(await fetch(...given), MAX_BYTES, () => new Error('the answer is too large'));
