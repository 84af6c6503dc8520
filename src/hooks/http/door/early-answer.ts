import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Clock } from '../../ports/index.ts';

/** A body up to this size is left to Node, which reads it away and keeps the connection. */
const SMALL_BODY_BYTES = 65_536;
const IDLE_MS = 500;
const LONGEST_MS = 5000;
/** Beyond this many at a time, a client that sends on loses its answer rather than we our time. */
const MOST_AT_ONCE = 32;

/** Whether the client may still be sending so much that a plain answer would be lost in a reset connection. */
export function isStillSending(request: IncomingMessage, response: ServerResponse): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  if (coding !== undefined) return true;
  return Number(length ?? 0) > (response.shouldKeepAlive ? SMALL_BODY_BYTES : 0);
}

/**
 * Answers a client that is still sending, then closes. Ending at once would reset the connection under the client's
 * hands and take the answer with it; so the answer goes out first and the rest of the body is read away, for a while.
 */
export class EarlyAnswer {
  #draining = 0;

  constructor(private readonly clock: Clock) {}

  send(reply: FastifyReply, status: number, headers: Record<string, string>, body: string): void {
    reply.hijack();
    const response = reply.raw;
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) response.setHeader(name, value);
    }
    response.writeHead(status, {
      ...headers,
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    });
    if (this.#draining >= MOST_AT_ONCE) {
      response.end(body);
      return;
    }
    response.write(body);
    void this.#drain(reply.request.raw, response);
  }

  async #drain(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#draining += 1;
    const over = new AbortController();
    let isIdle = true;
    request.on('data', () => (isIdle = false));
    const end = (): void => over.abort();
    // A client that ends half-way: Node would have the host complain on the connection, behind our answer.
    request.socket.prependOnceListener('end', () => {
      response.end();
      request.socket.end();
    });
    request.on('end', end).on('error', end).on('close', end);
    request.resume();
    for (let waited = 0; waited < LONGEST_MS && !over.signal.aborted; waited += IDLE_MS) {
      isIdle = true;
      await this.clock.wait(IDLE_MS, over.signal);
      if (isIdle) break;
    }
    response.end();
    this.#draining -= 1;
  }
}
