import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Passed {
  readonly headers: IncomingHttpHeaders;
}

/** Stands where agents reach a service, since that has to be known before it listens, and while it is away. */
export class Front implements AsyncDisposable {
  readonly passed: Passed[] = [];
  readonly #server = createServer((request, response) => {
    const { method, headers, url = '' } = request;
    this.passed.push({ headers });
    const passing = httpRequest(this.#service() + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    passing.on('error', () => response.writeHead(502).end());
    request.pipe(passing);
  });
  readonly #service: () => string;

  private constructor(service: () => string) {
    this.#service = service;
  }

  /** @param service where it listens now */
  static async start(service: () => string): Promise<Front> {
    const front = new Front(service);
    front.#server.listen(0, '127.0.0.1');
    await once(front.#server, 'listening');
    return front;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
