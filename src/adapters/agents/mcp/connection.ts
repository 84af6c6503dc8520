import type { MCPClient, MCPClientConfig } from '@ai-sdk/mcp';
import type { Tool, ToolSet } from 'ai';
import { setTimeout as pause } from 'node:timers/promises';

import type { McpServerSettings } from '../../../hooks/ports/runner-settings.ts';
import { atMost } from '../bounded-body.ts';
import { property } from '../property.ts';
import { ProgramTransport } from './program.ts';

/** How long a server may take to be ready, to list its tools, and to close. */
const CONNECT_MS = 10_000;
const LIST_MS = 10_000;
const CLOSE_MS = 3000;
/** Pages of a server's list of tools that are read. */
const MOST_PAGES = 20;

/** Largest answer of a server, in bytes: as much as one message of a program. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Variables that every program is given, where we have them ourselves. */
const ALWAYS_GIVEN = ['PATH', 'HOME', 'LANG', 'TZ'];

export type Environment = Readonly<Record<string, string | undefined>>;

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

  /** @param program the server itself, when it is a program of ours to end. */
  constructor(
    private readonly client: MCPClient,
    private readonly program: ProgramTransport | undefined,
  ) {}

  /** What the server offers now, by its own names. */
  async tools(signal: AbortSignal): Promise<ToolSet> {
    const options = { signal, timeout: LIST_MS };
    let page = await this.client.listTools({ options });
    const found = [...page.tools];
    for (let read = 1; page.nextCursor !== undefined && read < MOST_PAGES; read += 1) {
      page = await this.client.listTools({ params: { cursor: page.nextCursor }, options });
      found.push(...page.tools);
    }
    const tools: ToolSet = this.client.toolsFromDefinitions({ tools: found });
    return Object.fromEntries(
      Object.entries(tools).map(([name, tool]) => [name, this.watched(tool)]),
    );
  }

  /** Ends it within 3 seconds; never fails. */
  async close(): Promise<void> {
    const closed = this.client.close().catch(() => {});
    // A client whose program has ended leaves the program's children to us.
    const ended = closed.then(() => this.program?.close());
    await Promise.race([ended, pause(CLOSE_MS, undefined, { ref: false })]);
  }

  /** A tool whose failed calls tell whether the connection broke: an error of JSON-RPC is the server's answer. */
  private watched(tool: Tool): Tool {
    const { execute } = tool;
    if (execute === undefined) return tool;
    return {
      ...tool,
      execute: async (...[input, options]: Parameters<typeof execute>) => {
        try {
          return await execute(input, options);
        } catch (error) {
          if (
            options.abortSignal?.aborted !== true &&
            typeof property(error, 'code') !== 'number'
          ) {
            this.isBroken = true;
          }
          throw error;
        }
      },
    };
  }
}

/**
 * Connects, within 10 seconds.
 * @throws whatever went wrong; see server-error.ts.
 */
export async function connect(
  settings: McpServerSettings,
  place: McpPlace,
  signal: AbortSignal,
): Promise<McpConnection> {
  // Only an agent that uses tools pays for the package.
  const { createMCPClient } = await import('@ai-sdk/mcp');
  const transport = transportOf(settings, place);
  const program = transport instanceof ProgramTransport ? transport : undefined;
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

function transportOf(
  settings: McpServerSettings,
  { env, workspace }: McpPlace,
): MCPClientConfig['transport'] {
  if ('url' in settings) {
    return { type: 'http', url: settings.url, headers: settings.headers, fetch: boundedFetch };
  }
  const { command, args } = settings;
  const given = environmentOf([...ALWAYS_GIVEN, ...settings.env], env);
  return new ProgramTransport({ command, args, env: given, cwd: workspace });
}

const boundedFetch: typeof fetch = async (...given) =>
  atMost(await fetch(...given), MOST_BYTES, () => new Error('the answer is too large'));

function environmentOf(names: readonly string[], env: Environment): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
