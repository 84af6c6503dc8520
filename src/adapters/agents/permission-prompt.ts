import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { AgentError } from '../../hooks/ports/agent-runner.ts';
import { errorCode } from '../../platform/errors.ts';
import { getField, getText, parseJson } from '../../platform/objects.ts';
import type { Permissions } from './permissions.ts';

// Claude Code in print mode asks an MCP tool (`--permission-prompt-tool`, code.claude.com/docs/en/cli-reference) with
// `{tool_name, input, tool_use_id}`, and takes `{behavior, …}` as the text of the result (checked in 2.1.197). The
// server is this process, behind a relay of streams: nothing that was approved stands in a file, a variable or an
// argument that the program could change (docs/design/waiting-agents.md).

const SERVER = 'hooks';
const TOOL = 'permission';
const RELAY =
  "const s=require('net').connect(process.argv[1]);process.stdin.pipe(s).pipe(process.stdout);s.on('error',()=>{}).on('close',()=>process.exit())";
/** Tools that it has only where it can ask, and whose questions no approval answers. */
const FOR_SOMEBODY_THERE = 'AskUserQuestion,EnterPlanMode,ExitPlanMode';
/** Characters that one message of a program may have. */
const MAX_CHARS = 1_048_576;
/** The program has one connection; tools that find the socket get no further than it does. */
const MAX_CONNECTIONS = 16;

export class PermissionPrompt implements AsyncDisposable {
  readonly #dir: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(dir: string, permissions: Permissions) {
    this.#dir = dir;
    this.#server = createServer((socket) => this.#serve(socket, permissions));
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  /** @throws AgentError (needs-operator) when there is no place for its socket, which only this user may reach. */
  static async open(permissions: Permissions): Promise<PermissionPrompt> {
    try {
      const prompt = new PermissionPrompt(await mkdtemp(join(tmpdir(), 'hooks-')), permissions);
      await once(prompt.#server.listen(prompt.#path), 'listening');
      return prompt;
    } catch (error) {
      const code = errorCode(error) ?? 'unknown error';
      throw new AgentError(
        `no socket for questions about tools could be made in ${tmpdir()} (${code}): set TMPDIR to a directory that this user may write, with a short path`,
        'needs-operator',
      );
    }
  }

  argsFor(given: readonly string[]): readonly string[] {
    const relay = { type: 'stdio', command: process.execPath, args: ['-e', RELAY, this.#path] };
    // What its settings say otherwise would be unasked.
    const saysMode = given.some((arg) => arg.startsWith('--permission-mode'));
    return [
      ...(saysMode ? [] : ['--permission-mode', 'default']),
      '--disallowedTools',
      FOR_SOMEBODY_THERE,
      '--mcp-config',
      JSON.stringify({ mcpServers: { [SERVER]: relay } }),
      '--permission-prompt-tool',
      `mcp__${SERVER}__${TOOL}`,
    ];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await rm(this.#dir, { recursive: true, force: true });
  }

  get #path(): string {
    return join(this.#dir, 'socket');
  }

  #serve(socket: Socket, permissions: Permissions): void {
    this.#sockets.add(socket);
    let unread = '';
    socket
      .setEncoding('utf8')
      .on('data', (text: string) => {
        const lines = (unread + text).split('\n');
        unread = lines.pop() ?? '';
        for (const line of lines) {
          const answer = answerTo(parseJson(line), permissions);
          if (answer !== undefined) socket.write(`${JSON.stringify(answer)}\n`);
        }
        // Without an answer the program calls nothing.
        if (unread.length > MAX_CHARS) socket.destroy();
      })
      .on('error', () => {})
      .on('close', () => this.#sockets.delete(socket));
  }
}

/** One message of MCP, answered; undefined: it asks for no answer. */
function answerTo(message: unknown, permissions: Permissions): object | undefined {
  const id = getField(message, 'id');
  const method = getText(message, 'method');
  if (id === undefined || method === undefined) return undefined;
  const params = getField(message, 'params');
  switch (method) {
    case 'initialize': {
      // No version differs in what is used here.
      const protocolVersion = getText(params, 'protocolVersion');
      const serverInfo = { name: SERVER, version: '1' };
      return result(id, { protocolVersion, capabilities: { tools: {} }, serverInfo });
    }
    case 'ping':
      return result(id, {});
    case 'tools/list':
      return result(id, { tools: [DESCRIPTION] });
    case 'tools/call': {
      const tool = getField(params, 'arguments', 'tool_name');
      const permission = permissions.answer(tool, getField(params, 'arguments', 'input'));
      return result(id, { content: [{ type: 'text', text: JSON.stringify(permission) }] });
    }
    default:
      return { jsonrpc: '2.0', id, error: { code: -32_601, message: 'unknown method' } };
  }
}

const DESCRIPTION = {
  name: TOOL,
  description: 'Whether a tool may be called.',
  inputSchema: {
    type: 'object',
    properties: { tool_name: { type: 'string' }, input: { type: 'object' } },
    required: ['tool_name', 'input'],
  },
};

function result(id: unknown, value: object): object {
  return { jsonrpc: '2.0', id, result: value };
}
