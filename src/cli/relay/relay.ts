import { hash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { STATUS_CODES, createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect } from 'node:http2';
import type { ClientHttp2Session } from 'node:http2';
import type { Duplex } from 'node:stream';
import { clientAddress, parseBearer, throttleKey } from '../../hooks/index.ts';
import type { Clock, TrustedRange } from '../../hooks/index.ts';
import { errorCode } from '../../platform/errors.ts';
import { newId } from '../../platform/new-id.ts';
import { HandingOn } from './handing-on.ts';
import type { KeptRequests } from './kept-requests.ts';
import { answerKept, refuse } from './relay-answers.ts';
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

/** What a relay is told by its command. */
export interface RelayOptions {
  /** Whoever shows it is the listener. */
  readonly secret: string;
  /** `hooks.path` of the service. */
  readonly prefix: string;
  /** Proxies before it, whose word about the sender's address is believed. */
  readonly trusted: readonly TrustedRange[];
  /** Where requests are kept that the service cannot take; absent: they are refused. */
  readonly kept?: KeptRequests | undefined;
  readonly clock: Clock;
  /** Takes a line for the operator. */
  readonly tell: (line: string) => void;
}

/**
 * The public end: takes requests of senders and hands them to the listener that connected last, as long as it stays
 * connected. What goes through is changed nowhere but in the headers of the connection, and kept only while the service
 * is away, where the operator asks for it.
 */
export class Relay {
  readonly server: Server;
  readonly #listeners: ClientHttp2Session[] = [];
  /** Requests under way, by client. */
  readonly #underWay = new Map<string, number>();
  readonly #handingOn: HandingOn | undefined;
  readonly #closed = new AbortController();
  #canWrite = true;

  constructor(private readonly options: RelayOptions) {
    const { kept, clock, tell } = options;
    const listener = (): ClientHttp2Session | undefined => this.#listeners.at(-1);
    this.#handingOn = kept && new HandingOn(kept, listener, clock, tell);
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
    void this.#handingOn?.run(this.#closed.signal);
    const bound = this.server.address();
    return typeof bound === 'object' && bound !== null ? bound.port : port;
  }

  /** Ends at once: who waits for an answer sends again. */
  close(): void {
    this.#closed.abort();
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
    this.#handingOn?.startOver();
    this.options.tell(`a listener is connected from ${address}`);
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prefix } = this.options;
    const address = this.#addressOf(request);
    if (!isForHook(request.url ?? '', prefix)) return refuse(response, 'not_found');
    const client = throttleKey(address);
    if (!this.#enter(client, response)) return refuse(response, 'relay_busy');
    const keeping = this.#toKeep(request, response, address);
    // What came after others that wait is not handed on before them.
    const isLater = keeping !== undefined && this.#handingOn?.holdsUp(client) === true;
    const listener = isLater ? undefined : this.#listeners.at(-1);
    try {
      if (listener === undefined) throw new Error('there is no listener');
      const head = toHead(request, address);
      const receipt = keeping && { id: keeping.id, keptMs: 0 };
      await forward(listener, { ...head, ...(receipt && { receipt }) }, request, response);
    } catch {
      // Or the connection was lost, or the sender has gone.
      if (response.headersSent) response.destroy();
      else if (keeping !== undefined && (await keeping.keep())) answerKept(response);
      else refuse(response, 'listener_away');
    }
  }

  /** Undefined: a request that is not kept, whatever happens. */
  #toKeep(request: IncomingMessage, response: ServerResponse, address: string) {
    const { kept, clock, tell } = this.options;
    if (kept === undefined || request.method !== 'POST') return undefined;
    const id = newId();
    const receivedAt = clock.now();
    const copy = kept.copy(request, throttleKey(address));
    response.once('close', () => copy.drop());
    const keep = async (): Promise<boolean> => {
      const body = await copy.whole();
      if (body === undefined) return false;
      try {
        const isKept = await kept.keep(id, { head: toHead(request, address), receivedAt, body });
        this.#canWrite = true;
        if (isKept !== null) this.#handingOn?.wake();
        return isKept !== null;
      } catch (error) {
        if (this.#canWrite) tell(`requests cannot be kept (${errorCode(error)}): they are refused`);
        this.#canWrite = false;
        return false;
      }
    };
    return { id, keep };
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
  return { method, target, headers, address };
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

/** In constant time. */
function isEqual(one: string, other: string): boolean {
  const digest = (text: string): Buffer => hash('sha256', text, 'buffer');
  return timingSafeEqual(digest(one), digest(other));
}
