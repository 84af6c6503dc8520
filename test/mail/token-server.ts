import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export class TokenServer implements AsyncDisposable {
  readonly asked: URLSearchParams[] = [];
  reply: () => { readonly status: number; readonly body: object } = () => this.fresh();
  readonly good = new Map<string, string>();
  account = '';
  #count = 0;

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<TokenServer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TokenServer(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  fresh(): { status: number; body: object } {
    this.#count += 1;
    const token = `access-token-${this.#count}`;
    this.good.set(token, this.account);
    return { status: 200, body: { access_token: token, expires_in: 3600, token_type: 'Bearer' } };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    let text = '';
    for await (const chunk of request) text += String(chunk);
    if (url.pathname === '/token') this.asked.push(new URLSearchParams(text));
    const email = this.good.get(url.searchParams.get('access_token') ?? '');
    const info =
      email === undefined
        ? { status: 401, body: {} }
        : { status: 200, body: { email, active: 'yes' } };
    const { status, body } = url.pathname === '/token' ? this.reply() : info;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
