import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MailMessage } from '../../src/mail/index.ts';

export interface Received {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly bytes: number;
  readonly body: { readonly text?: string; readonly messages?: readonly MailMessage[] };
  readonly at: number;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

const FINE: Reply = { status: 200, body: { ok: true } };

export class HookServer implements AsyncDisposable {
  readonly received: Received[] = [];
  /** What a request is answered; 200 unless a test says otherwise. */
  reply: (received: Received) => Reply = () => FINE;

  private constructor(private readonly server: ReturnType<typeof createServer>) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      void this.#answer(request, response);
    });
  }

  static async start(): Promise<HookServer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new HookServer(server);
  }

  get url(): string {
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/hooks`;
  }

  readonly accepted: MailMessage[] = [];

  get subjects(): string[] {
    return this.accepted.map(({ subject }) => subject);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const received: Received = {
      path: request.url ?? '',
      authorization: request.headers.authorization,
      idempotencyKey: request.headers['idempotency-key'] as string | undefined,
      bytes: bytes.length,
      body: JSON.parse(bytes.toString('utf8')) as Received['body'],
      at: performance.now(),
    };
    this.received.push(received);
    const { status, headers = {}, body = {} } = this.reply(received);
    if (status === 200) this.accepted.push(...(received.body.messages ?? []));
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  }
}
