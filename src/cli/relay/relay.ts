import { hash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { STATUS_CODES, createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect } from 'node:http2';
import type { ClientHttp2Session } from 'node:http2';
import type { Duplex } from 'node:stream';
import { clientAddress, parseBearer, throttleKey } from '../../hooks/index.ts';
import type { TrustedRange } from '../../hooks/index.ts';
import {
  CONNECT_PATH,
  MOST_AT_ONCE,
  SESSION,
  UPGRADE,
  answerOn,
  endToEnd,
  isForHook,
  openStream,
  watch,
} from './wire.ts';
import type { RequestHead } from './wire.ts';

/** Limits of what strangers may take up. A body is never gathered: it goes on as fast as the service takes it. */
const SERVER = {
  headersTimeout: 15_000,
  requestTimeout: 610_000,
  connectionsCheckingInterval: 5_000,
};
const MOST_CONNECTIONS = 2_048;
/** Of one client (of IPv6: of one /64), so that no single one takes up all of {@link MOST_AT_ONCE}. */
const MOST_OF_ONE = MOST_AT_ONCE / 8;

/** Everything that the relay itself says to a sender. */
const REFUSALS = {
  not_found: { status: 404, sentence: 'Only hooks are relayed; correct the path.' },
  relay_busy: { status: 503, sentence: 'Too many requests of this address are under way.' },
  listener_away: { status: 503, sentence: 'The service behind this relay is away; send it again.' },
} as const;
const RETRY_AFTER_SECONDS = { not_found: undefined, relay_busy: 1, listener_away: 30 };

/** What a relay is told by its command. */
export interface RelayOptions {
  /** Whoever shows it is the listener. */
  readonly secret: string;
  /** `hooks.path` of the service. */
  readonly prefix: string;
  /** Proxies before it, whose word about the sender's address is believed. */
  readonly trusted: readonly TrustedRange[];
  /** Takes a line for the operator. */
  readonly tell: (line: string) => void;
}

/**
 * The public end: takes requests of senders and hands them to the listener that connected last, as long as it stays
 * connected. What goes through is kept nowhere and changed nowhere but in the headers of the connection.
 */
export class Relay {
  readonly server: Server;
  readonly #listeners: ClientHttp2Session[] = [];
  /** Requests under way, by client. */
  readonly #underWay = new Map<string, number>();

  constructor(private readonly options: RelayOptions) {
    const shouldUpgradeCallback = ({ headers, url }: IncomingMessage): boolean =>
      headers.upgrade === UPGRADE && url === CONNECT_PATH;
    this.server = createServer({ ...SERVER, shouldUpgradeCallback }, (request, response) => {
      void this.#receive(request, response);
    });
    this.server.maxConnections = MOST_CONNECTIONS;
    this.server.on('upgrade', (request, socket, head) => this.#welcome(request, socket, head));
  }

  /** @returns the port */
  async listen(port: number, host: string): Promise<number> {
    this.server.listen(port, host);
    await once(this.server, 'listening');
    const bound = this.server.address();
    return typeof bound === 'object' && bound !== null ? bound.port : port;
  }

  /** Ends at once: who waits for an answer sends again. */
  close(): void {
    this.server.close();
    for (const listener of this.#listeners) listener.destroy();
    this.server.closeAllConnections();
  }

  /** Somebody says to be the listener. */
  #welcome(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const address = this.#addressOf(request);
    if (!isEqual(parseBearer(request.headers.authorization) ?? '', this.options.secret)) {
      socket.end(
        `HTTP/1.1 401 ${STATUS_CODES[401]}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
      );
      return;
    }
    socket.write(
      `HTTP/1.1 101 ${STATUS_CODES[101]}\r\nconnection: Upgrade\r\nupgrade: ${UPGRADE}\r\n\r\n`,
    );
    if (head.length > 0) socket.unshift(head);
    const listener = connect('http://listener', { ...SESSION, createConnection: () => socket });
    const leave = (): void => {
      const at = this.#listeners.indexOf(listener);
      if (at === -1) return;
      this.#listeners.splice(at, 1);
      this.options.tell(`the listener at ${address} is gone`);
    };
    listener.once('connect', () => watch(listener));
    // What it was about shows at its requests.
    listener.on('error', leave).on('goaway', leave).on('close', leave);
    this.#listeners.push(listener);
    this.options.tell(`a listener is connected from ${address}`);
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prefix } = this.options;
    const address = this.#addressOf(request);
    if (!isForHook(request.url ?? '', prefix)) return refuse(response, 'not_found');
    if (!this.#enter(throttleKey(address), response)) return refuse(response, 'relay_busy');
    const listener = this.#listeners.at(-1);
    if (listener === undefined) return refuse(response, 'listener_away');
    try {
      await forward(listener, toHead(request, address), request, response);
    } catch {
      // The connection was lost, or the sender has gone.
      if (response.headersSent) response.destroy();
      else refuse(response, 'listener_away');
    }
  }

  /** False: this client has enough of them under way. */
  #enter(client: string, response: ServerResponse): boolean {
    const before = this.#underWay.get(client) ?? 0;
    if (before >= MOST_OF_ONE) return false;
    this.#underWay.set(client, before + 1);
    response.once('close', () => {
      const left = (this.#underWay.get(client) ?? 1) - 1;
      if (left === 0) this.#underWay.delete(client);
      else this.#underWay.set(client, left);
    });
    return true;
  }

  #addressOf({ socket, headers }: IncomingMessage): string {
    const forwardedFor = [headers['x-forwarded-for'] ?? []].flat().join(',');
    return clientAddress(socket.remoteAddress, forwardedFor || undefined, this.options.trusted);
  }
}

function toHead(request: IncomingMessage, address: string): RequestHead {
  const { method = '', url: target = '', rawHeaders: headers } = request;
  return { method, target, headers, address, receivedAt: Date.now() };
}

/** @throws Error where no answer came, or not all of it */
async function forward(
  listener: ClientHttp2Session,
  head: RequestHead,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
  const isWhole = coding === undefined && Number(length) === 0;
  const stream = openStream(listener, head, isWhole);
  // Every end of a stream is followed by its close.
  stream.on('error', () => undefined);
  response.once('close', () => stream.destroy());
  if (!isWhole) request.pipe(stream);
  const answer = await answerOn(stream);
  // What is left of a body that was refused early is not a request of its own.
  const closing = request.complete ? [] : ['Connection', 'close'];
  response.writeHead(answer.status, [...endToEnd(answer.headers), ...closing]);
  stream.pipe(response);
  await once(stream, 'close');
  if (!stream.readableEnded) throw new Error('the answer broke off');
}

function refuse(response: ServerResponse, code: keyof typeof REFUSALS): void {
  const { status, sentence: error } = REFUSALS[code];
  const seconds = RETRY_AFTER_SECONDS[code];
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  };
  response.writeHead(status, {
    ...headers,
    ...(seconds === undefined ? {} : { 'retry-after': String(seconds) }),
    ...(response.req.complete ? {} : { connection: 'close' }),
  });
  response.end(JSON.stringify({ ok: false, error, code }));
}

/** In constant time. */
function isEqual(one: string, other: string): boolean {
  const digest = (text: string): Buffer => hash('sha256', text, 'buffer');
  return timingSafeEqual(digest(one), digest(other));
}
