import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';

/** How one request is answered; what is left out is what the platform would do. */
export interface Script {
  /** @default 200 */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  /** Destroys the connection in the middle of the body, or before the first byte. */
  readonly cut?: 'mid-body' | 'at-once';
  /** Sends half of the body, or nothing, and then leaves the client waiting. */
  readonly stall?: 'mid-body' | 'at-once';
  readonly after?: Promise<unknown>;
}

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Parsed JSON or form; undefined when there was no body. */
  readonly body: unknown;
  /** Resolves when the answer is over: sent in full, or broken off by either side. */
  readonly closed: Promise<'answered' | 'broken'>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: readonly string[];
}

/** @param script what is said instead, where it says something. */
export type Platform = (request: RecordedRequest, script: Script) => Answer | Promise<Answer>;

export class ScriptedServer {
  readonly requests: RecordedRequest[] = [];
  meanwhile: Script = {};
  private readonly scripts: Script[] = [];
  private readonly waiting: { readonly count: number; readonly arrived: () => void }[] = [];
  private readonly http = createServer((request, response) => {
    // A client that is gone before its request is complete has sent none.
    this.take(request, response).catch(() => response.destroy());
  });

  private readonly platform: Platform;

  constructor(platform: Platform) {
    this.platform = platform;
  }

  /** `http://127.0.0.1:<port>` */
  get origin(): string {
    const address = this.http.address();
    if (address === null || typeof address === 'string') throw new Error('the server is closed');
    return `http://127.0.0.1:${address.port}`;
  }

  async listen(): Promise<void> {
    this.http.listen(0, '127.0.0.1');
    await once(this.http, 'listening');
  }

  next(...scripts: readonly Script[]): void {
    this.scripts.push(...scripts);
  }

  async request(n: number): Promise<RecordedRequest> {
    if (this.requests.length < n) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.waiting.push({ count: n, arrived: resolve });
      await promise;
    }
    const found = this.requests[n - 1];
    if (found === undefined) throw new Error(`requests are counted from 1, not ${n}`);
    return found;
  }

  /** From now on a second request on one connection is too late: to the server it was idle for long enough. */
  closeIdleConnections(): void {
    const used = new WeakSet<Socket>();
    this.http.prependListener('request', ({ socket }) => {
      if (used.has(socket)) socket.resetAndDestroy();
      used.add(socket);
    });
  }

  /** Breaks every connection; afterwards the port refuses. */
  async close(): Promise<void> {
    if (!this.http.listening) return;
    const closed = once(this.http, 'close');
    this.http.close();
    this.http.closeAllConnections();
    await closed;
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const recorded = await record(request, response);
    this.requests.push(recorded);
    for (const { count, arrived } of this.waiting) if (this.requests.length >= count) arrived();
    const script = this.scripts.shift() ?? this.meanwhile;
    await script.after;
    answer(response, await this.platform(recorded, script), script);
  }
}

async function record(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<RecordedRequest> {
  const closed = once(response, 'close').then(() =>
    response.writableFinished ? ('answered' as const) : ('broken' as const),
  );
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const text = Buffer.concat(chunks).toString();
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    body: bodyOf(text, request.headers['content-type']),
    closed,
  };
}

function bodyOf(text: string, type = ''): unknown {
  if (text === '') return undefined;
  return type.startsWith('application/x-www-form-urlencoded')
    ? Object.fromEntries(new URLSearchParams(text))
    : JSON.parse(text);
}

function answer(response: ServerResponse, usual: Answer, script: Script): void {
  if (script.cut === 'at-once') response.destroy();
  if (script.cut === 'at-once' || script.stall === 'at-once') return;
  const chunks = script.body === undefined ? usual.chunks : [bodyText(script.body)];
  const type = script.body === undefined ? usual.headers : jsonType(script.body);
  response.writeHead(script.status ?? usual.status, { ...type, ...script.headers });
  if (script.cut === undefined && script.stall === undefined) {
    for (const chunk of chunks) response.write(chunk);
    response.end();
    return;
  }
  const whole = chunks.join('');
  response.write(whole.slice(0, whole.length / 2), () => {
    if (script.cut === 'mid-body') response.destroy();
  });
}

function bodyText(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function jsonType(body: unknown): Readonly<Record<string, string>> {
  return typeof body === 'string' ? {} : { 'content-type': 'application/json' };
}
