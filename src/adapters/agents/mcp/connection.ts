import type { MCPClient, MCPClientConfig } from '@ai-sdk/mcp';
import type { Tool, ToolSet } from 'ai';
import { setTimeout as pause } from 'node:timers/promises';

import type { McpServerSettings } from '../../../hooks/ports/agent-directory.ts';
import { limitBody } from '../../../platform/http-client.ts';
import { getField, parseJson } from '../../../platform/objects.ts';
import { traced } from '../../../platform/tracing.ts';
import { type Environment, pickVariables } from '../program.ts';
import { loadSdk } from '../sdk.ts';
import { toShownText } from '../tool-results.ts';
import { StdioTransport } from './stdio-transport.ts';

/** How long a server may take to be ready, and to list its tools: `npx -y` on a machine that does not have it yet. */
const CONNECT_MS = 60_000;
const CLOSE_MS = 3000;
const MAX_PAGES = 20;

/** Largest answer of a server, in bytes: as much as one message of a program. */
const MAX_BYTES = 16 * 1024 * 1024;

interface McpPlace {
  readonly env: Environment;
  readonly workspace: () => Promise<string>;
}

export class McpConnection {
  isBroken = false;

  readonly #client: MCPClient;
  readonly #program: StdioTransport | undefined;
  readonly #listMs: number;

  constructor(client: MCPClient, program: StdioTransport | undefined, listMs: number) {
    this.#client = client;
    this.#program = program;
    this.#listMs = listMs;
  }

  async tools(signal: AbortSignal): Promise<ToolSet> {
    const options = { signal, timeout: this.#listMs };
    let page = await this.#client.listTools({ options });
    const found = [...page.tools];
    for (let read = 1; page.nextCursor !== undefined && read < MAX_PAGES; read += 1) {
      page = await this.#client.listTools({ params: { cursor: page.nextCursor }, options });
      found.push(...page.tools);
    }
    const tools: ToolSet = this.#client.toolsFromDefinitions({ tools: found });
    return Object.fromEntries(
      Object.entries(tools).map(([name, tool]) => [name, this.#watch(name, tool)]),
    );
  }

  /** Ends it within 3 seconds; never fails. */
  async close(): Promise<void> {
    const closed = this.#client.close().catch(() => {});
    // A client whose program has ended leaves the program's children to us.
    const ended = closed.then(() => this.#program?.close());
    await Promise.race([ended, pause(CLOSE_MS, undefined, { ref: false })]);
  }

  /** An error of JSON-RPC is the server's answer: its words go to the model, bounded and neutral. */
  #watch(name: string, tool: Tool): Tool {
    const { execute } = tool;
    if (execute === undefined) return tool;
    const span = {
      name: `execute_tool ${name}`,
      attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name },
    };
    return {
      ...tool,
      execute: async (...[input, options]: Parameters<typeof execute>) => {
        try {
          return await traced(span, async (open) => {
            const result: unknown = await execute(input, options);
            if (getField(result, 'isError') === true) open.fail('tool_error');
            return result;
          });
        } catch (error) {
          const isAnswer = typeof getField(error, 'code') === 'number' && !isLost(error);
          if (options.abortSignal?.aborted !== true && !isAnswer) this.isBroken = true;
          throw error instanceof Error ? new Error(toShownText(error.message)) : error;
        }
      },
    };
  }
}

/** @throws AgentError for a missing package or workspace; otherwise what {@link McpServers} puts into words */
export async function connect(
  settings: McpServerSettings,
  place: McpPlace,
  signal: AbortSignal,
): Promise<McpConnection> {
  // Only an agent that uses tools needs the package, pays for it, and waits for it: the model itself can be asked.
  const { createMCPClient } = await loadSdk(
    '@ai-sdk/mcp',
    () => import('@ai-sdk/mcp'),
    'retryable',
  );
  const transport = await createTransport(settings, place);
  const { connectMs = CONNECT_MS } = settings;
  const program = transport instanceof StdioTransport ? transport : undefined;
  try {
    const client = await createMCPClient({
      transport,
      clientName: 'nestjs-agent-hooks',
      initializationOptions: { signal, timeout: connectMs },
    });
    return new McpConnection(client, program, connectMs);
  } catch (error) {
    await program?.close();
    throw error;
  }
}

async function createTransport(
  settings: McpServerSettings,
  { env, workspace }: McpPlace,
): Promise<MCPClientConfig['transport']> {
  if ('url' in settings) {
    return { type: 'http', url: settings.url, headers: settings.headers, fetch: serverFetch };
  }
  const { command, args } = settings;
  const variables = pickVariables(settings.env, env);
  return new StdioTransport({ command, args, env: variables, cwd: await workspace() });
}

/** Bounded, and never silent about its end. The SDK itself refuses redirects. */
const serverFetch: typeof fetch = async (input, init) => {
  const answer = await fetch(input, init);
  const bounded = limitBody(answer, MAX_BYTES, () => new Error('the answer is too large'));
  const asked = typeof init?.body === 'string' ? getField(parseJson(init.body), 'id') : undefined;
  const isStream = answer.headers.get('content-type')?.includes('text/event-stream') === true;
  return isStream && typeof asked === 'number' ? withEnding(bounded, asked) : bounded;
};

const LOST = 'the connection ended before the answer';

export function isLost(error: unknown): boolean {
  return getField(error, 'message') === LOST;
}

/** An error for request `id` ends the stream: the SDK waits for ever when a server dies, and misses later errors. */
function withEnding({ body, status, statusText, headers }: Response, id: number): Response {
  const error = { code: -32_000, message: LOST };
  const last = `\n\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, error })}\n\n`;
  async function* read() {
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      if (body !== null) yield* body as AsyncIterable<Uint8Array>;
    } catch {
      // A connection that broke off ends like any other.
    }
    yield new TextEncoder().encode(last);
  }
  return new Response(ReadableStream.from(read()), { status, statusText, headers });
}
