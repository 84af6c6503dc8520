import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { text } from 'node:stream/consumers';
import { eventually } from '../eventually.ts';
import { at } from '../protocols/protocol.ts';
import { testTools } from './test-tools.ts';

export class McpHttpServer implements AsyncDisposable {
  readonly requests: { readonly method: string; readonly headers: IncomingHttpHeaders }[] = [];
  refusal: number | undefined;
  private readonly calls: ServerResponse[] = [];
  private readonly waiting: (() => void)[] = [];
  private readonly sessions = new Map<string, StreamableHTTPServerTransport>();
  private readonly http = createServer((request, response) => {
    this.take(request, response).catch(() => response.destroy());
  });

  static async start(): Promise<McpHttpServer> {
    const server = new McpHttpServer();
    server.http.listen(0, '127.0.0.1');
    await once(server.http, 'listening');
    return server;
  }

  get url(): string {
    const address = this.http.address();
    if (address === null || typeof address === 'string') throw new Error('the server is closed');
    return `http://127.0.0.1:${address.port}/mcp`;
  }

  async called(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.waiting.push(resolve);
    await promise;
  }

  drop(how: 'ends' | 'breaks off'): void {
    for (const response of this.calls) {
      if (how === 'ends') response.end();
      else response.destroy();
    }
  }

  restart(): void {
    this.sessions.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.http, 'close');
    this.http.close();
    this.http.closeAllConnections();
    await closed;
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests.push({ method: request.method ?? '', headers: request.headers });
    if (this.refusal !== undefined) return void response.writeHead(this.refusal).end();
    const id = request.headers['mcp-session-id'];
    if (typeof id !== 'string') return (await this.open()).handleRequest(request, response);
    const known = this.sessions.get(id);
    if (known === undefined) return void response.writeHead(404).end();
    if (request.method !== 'POST') return known.handleRequest(request, response);
    const body: unknown = JSON.parse(await text(request));
    const answered = known.handleRequest(request, response, body);
    if (at(body, 'method') === 'tools/call') {
      this.calls.push(response);
      await eventually('the answer begins', () => response.headersSent);
      for (const called of this.waiting.splice(0)) called();
    }
    await answered;
  }

  private async open(): Promise<StreamableHTTPServerTransport> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void this.sessions.set(id, transport),
    });
    await testTools().connect(transport);
    return transport;
  }
}
