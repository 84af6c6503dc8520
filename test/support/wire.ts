import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { PATIENCE_MS } from './eventually.ts';

/** One HTTP request as it is written on the wire. Whatever is left out is what a good sender would send. */
export interface WireRequest {
  /** @default 'POST' */
  readonly method?: string;
  /** @default '/hooks/wake' */
  readonly target?: string;
  /** Beside `host`, `authorization: Bearer {token}`, and with a body `content-type` and its length; null leaves one out. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly body?: string | Buffer;
  /** Instead of a body: `transfer-encoding: chunked`, a chunk each. */
  readonly chunks?: readonly string[];
  /** True: the body has no end, so that what the answer waits for does not depend on the network. */
  readonly isEndless?: boolean;
  /** @default '1.1' */
  readonly version?: string;
}

/** One answer as it stood on the wire; header names in lower case, repeated ones joined by ` | `. */
export interface WireAnswer {
  readonly status: number;
  /** Statuses of the interim answers before it, e.g. 100. */
  readonly interim: readonly number[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a request looks like in bytes. No HTTP client has a part in it, since they correct what they are given. */
export function bytesOf(request: WireRequest, token: string): Buffer {
  const { method = 'POST', target = '/hooks/wake', version = '1.1', chunks, isEndless } = request;
  const body = chunks === undefined ? Buffer.from(request.body ?? '') : chunked(chunks, isEndless);
  const headers: WireRequest['headers'] = {
    host: 'gateway.test',
    authorization: 'Bearer {token}',
    ...((request.body !== undefined || chunks !== undefined) && {
      'content-type': 'application/json',
    }),
    ...(request.body !== undefined && { 'content-length': String(body.length) }),
    ...(chunks !== undefined && { 'transfer-encoding': 'chunked' }),
    ...request.headers,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((text) => `${name}: ${text.replace('{token}', token)}\r\n`),
  );
  const head = `${method} ${target} HTTP/${version}\r\n${lines.join('')}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
}

function chunked(chunks: readonly string[], isEndless = false): Buffer {
  const framed = chunks.map((text) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
  return Buffer.from(framed.join('') + (isEndless ? '' : '0\r\n\r\n'));
}

export class Wire {
  readonly #socket: Socket;
  readonly #bytes: AsyncIterator<Buffer>;
  #seen = Buffer.alloc(0);

  constructor(port: number, localAddress = '127.0.0.1') {
    this.#socket = connect({ port, host: '127.0.0.1', localAddress });
    this.#socket.setTimeout(PATIENCE_MS, () =>
      this.#socket.destroy(new Error(`no answer within ${PATIENCE_MS} ms`)),
    );
    this.#bytes = this.#socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  send(bytes: Buffer): void {
    this.#socket.write(bytes);
  }

  /** Null: the connection was closed without an answer. */
  async answer(method: string): Promise<WireAnswer | null> {
    const interim: number[] = [];
    for (;;) {
      while (!this.#seen.includes('\r\n\r\n')) if (!(await this.#more())) return null;
      const head = this.#take(this.#seen.indexOf('\r\n\r\n') + 4);
      const [statusLine = '', ...lines] = head.toString('latin1').trim().split('\r\n');
      const status = Number(statusLine.split(' ')[1]);
      if (status >= 200) {
        const headers = headersOf(lines);
        return { status, interim, headers, body: await this.#body(method, status, headers) };
      }
      interim.push(status);
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  async #body(method: string, status: number, headers: WireAnswer['headers']): Promise<string> {
    if (method === 'HEAD' || status === 204 || status === 304) return '';
    if (headers['transfer-encoding'] !== undefined) return this.#chunks();
    const length = Number(headers['content-length'] ?? Infinity);
    while (this.#seen.length < length && (await this.#more()));
    return this.#take(Math.min(length, this.#seen.length)).toString();
  }

  async #chunks(): Promise<string> {
    while (!this.#seen.includes('0\r\n\r\n') && (await this.#more()));
    return `chunked: ${this.#take(this.#seen.indexOf('0\r\n\r\n') + 5).toString()}`;
  }

  #take(length: number): Buffer {
    const taken = this.#seen.subarray(0, length);
    this.#seen = this.#seen.subarray(length);
    return taken;
  }

  /** False: nothing more comes. A reset counts as an end, silence does not. */
  async #more(): Promise<boolean> {
    try {
      const { value, done } = await this.#bytes.next();
      if (done === true) return false;
      this.#seen = Buffer.concat([this.#seen, value]);
      return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error) return false;
      throw error;
    }
  }
}

function headersOf(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines.toSorted()) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = name in headers ? `${headers[name]} | ${value}` : value;
  }
  return headers;
}
