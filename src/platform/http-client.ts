import ipaddr from 'ipaddr.js';
import { lookup as systemLookup } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, BlockList } from 'node:net';
import type { LookupFunction } from 'node:net';
import { errorCode, failedCall } from './errors.ts';
import { getText, getField, parseJson } from './objects.ts';

/** Not imported: that has Node load undici as well, a tenth of a second of each command. */
const { Agent: HttpAgent, request: httpRequest } = process.getBuiltinModule('node:http');

/**
 * No redirect is followed, since what goes out often holds a token; no error repeats a URL, a header or a library's
 * words. Whoever needs a stream calls `fetch` with `redirect: 'manual'` and puts {@link limitBody} around its
 * response.
 */

export interface HttpRequest {
  /** @default 'GET' */
  readonly method?: string;
  readonly headers?: RequestInit['headers'];
  /** Anything but a stream. */
  readonly body?: RequestInit['body'];
  /** Longest wait for the whole answer, in milliseconds. @default none: the signal alone ends it */
  readonly timeoutMs?: number;
  /** Gives the request up; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Longest body that is read, in bytes once unpacked. @default 1,000,000 */
  readonly maxBytes?: number;
  /**
   * True: straight to its host, past any proxy of the environment (`NODE_USE_ENV_PROXY`), and never unpacked.
   * @default false
   */
  readonly isDirect?: boolean;
  /**
   * True: straight to its host, and only on the Internet: no loopback, private, link-local or other reserved address.
   * The address connected to counts, so that a name which resolves again leads nowhere else.
   * @default false
   */
  readonly isPublicOnly?: boolean;
  /** The socket that is connected to, straight, whatever the host of the address is. @default none */
  readonly socketPath?: string | undefined;
}

const MAX_BYTES = 1_000_000;

/** The beginning of an answer: all there is of one whose body could not be read. */
export interface HttpHead {
  readonly status: number;
  readonly headers: Headers;
}

export class HttpAnswer implements HttpHead {
  readonly status: number;
  readonly headers: Headers;

  constructor(
    { status, headers }: HttpHead,
    readonly body: Buffer,
  ) {
    this.status = status;
    this.headers = headers;
  }

  get text(): string {
    return new TextDecoder().decode(this.body);
  }

  /** The parsed body; undefined when it is no JSON. */
  get json(): unknown {
    return parseJson(this.text);
  }
}

/**
 * Why there is no answer:
 * - `invalid`: address, headers and body make no request, so nothing was sent; `BAD_PORT` when it is the port,
 *   `PRIVATE_ADDRESS` when only public ones may be asked.
 * - `unreachable`: no connection was made, so nothing was sent.
 * - `broken`: it was sent, and the answer did not come or broke off.
 * - `timed-out`: there was no whole answer within `timeoutMs`.
 * - `too-large`: the answer is longer than `maxBytes`.
 */
export type HttpFailure = 'invalid' | 'unreachable' | 'broken' | 'timed-out' | 'too-large';

/** No whole answer came. Its message is a sentence without secrets: of the URL it holds the host alone. */
export class HttpError extends Error {
  override readonly name = 'HttpError';

  constructor(
    readonly kind: HttpFailure,
    message: string,
    /** Of the system, of TLS or of `fetch`, for example `ECONNREFUSED`; see {@link explainCode}. */
    readonly code?: string,
    readonly head?: HttpHead,
  ) {
    super(message);
  }
}

const MEANINGS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no host of that name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it speaks no https there',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
};

/** System calls that come before a connection: where they fail, nothing was sent. */
const BEFORE_CONNECTION = new Set(['connect', 'getaddrinfo']);

const NOT_SENT = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** Of undici, where `fetch` asks once more after 421 as its standard says: the body is used up (nodejs/undici#2898). */
const LOST_BODY = 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH';

/** An error's code as the end of a sentence: `: nothing listens there (ECONNREFUSED)`, ` (EPIPE)`; empty when there is none. */
export function explainCode(code: string | undefined): string {
  if (code === undefined) return '';
  const meaning = MEANINGS[code];
  return meaning === undefined ? ` (${code})` : `: ${meaning} (${code})`;
}

/** @throws HttpError when there is no answer; the signal's reason when it aborts. */
export async function sendHttp(url: string | URL, options: HttpRequest = {}): Promise<HttpAnswer> {
  const {
    timeoutMs,
    signal,
    maxBytes = MAX_BYTES,
    isDirect = false,
    isPublicOnly = false,
    socketPath,
  } = options;
  signal?.throwIfAborted();
  const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const ends = [signal, timeout].filter((end) => end !== undefined);
  const request = buildRequest(url, options, AbortSignal.any(ends));
  const { host } = new URL(request.url);
  let head: HttpHead | undefined;
  try {
    const isStraight = isDirect || isPublicOnly || socketPath !== undefined;
    const { status, headers, body } = await (isStraight
      ? sendDirectly(request, isPublicOnly, socketPath)
      : fetch(request));
    head = { status, headers };
    return new HttpAnswer(head, await readBody(body, maxBytes, () => tooLarge(host, head)));
  } catch (error) {
    signal?.throwIfAborted();
    if (timeout?.aborted === true) {
      throw new HttpError('timed-out', `${host} did not answer in time`);
    }
    if (errorCode(error) === LOST_BODY) head = { status: 421, headers: new Headers() };
    throw error instanceof HttpError ? error : toHttpError(error, host, head);
  }
}

/** The answer without its body, where that broke off or was too large. @throws error when there was no answer. */
export function withoutBody(error: unknown): HttpAnswer {
  if (!(error instanceof HttpError) || error.head === undefined) throw error;
  return new HttpAnswer(error.head, Buffer.alloc(0));
}

/** A server that never stops must not fill our memory: its connection is closed. @param maxBytes once unpacked. */
export function limitBody(response: Response, maxBytes: number, tooLarge: () => Error): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  let left = maxBytes;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      left -= chunk.byteLength;
      if (left < 0) throw tooLarge();
      controller.enqueue(chunk);
    },
  });
  return new Response(body.pipeThrough(counted), { status, statusText, headers });
}

/** The library's own error repeats the token that no header may hold. */
export function buildRequest(
  url: string | URL,
  { method, headers, body }: HttpRequest,
  signal: AbortSignal,
): Request {
  try {
    return new Request(url, { method, headers, body, redirect: 'manual', signal });
  } catch {
    throw new HttpError('invalid', 'the address, a header or the body makes no request');
  }
}

interface OpenAnswer extends HttpHead {
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** Agents of our own ask no proxy of the environment, which the global ones and `fetch` would. */
export async function sendDirectly(
  request: Request,
  isPublicOnly: boolean,
  socketPath: string | undefined,
): Promise<OpenAnswer> {
  const { method, signal, headers } = request;
  // A name is looked up for the connection; an address stands for itself.
  const lookup = isPublicOnly ? lookupPublic() : undefined;
  const host = new URL(request.url).hostname.replaceAll(/[[\]]/g, '');
  if (isPublicOnly && isIP(host) !== 0 && !isPublicAddress(host)) throw new PrivateAddress();
  const body = Buffer.from(await request.arrayBuffer());
  const isTls = request.url.startsWith('https:');
  const agent = isTls ? new HttpsAgent() : new HttpAgent();
  const lines = Object.fromEntries(headers);
  const sent = { method, headers: lines, agent, signal, lookup, socketPath };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sending = (isTls ? httpsRequest : httpRequest)(request.url, sent, resolve);
    sending.on('error', reject);
    sending.end(body);
  });
  const answered = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return { status: answer.statusCode ?? 0, headers: new Headers(answered), body: answer };
}

class PrivateAddress extends Error {
  readonly code = 'PRIVATE_ADDRESS';
}

/** Looks a name up as the system does, and keeps what is public. @param resolve asks the system. */
export function lookupPublic(resolve: typeof systemLookup = systemLookup): LookupFunction {
  return (name, options, done) => {
    resolve(name, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error, []);
      const [first, ...more] = found.filter(({ address }) => isPublicAddress(address));
      if (first === undefined) return done(new PrivateAddress(), []);
      return options.all === true
        ? done(null, [first, ...more])
        : done(null, first.address, first.family);
    });
  };
}

/** Whether an IP address is on the Internet. Of IPv6 that is 2000::/3, and what NAT64 makes of a public IPv4 address. */
export function isPublicAddress(address: string): boolean {
  const ip = ipaddr.process(address);
  const range = ip.range();
  if (ip instanceof ipaddr.IPv4) return range === 'unicast';
  const bytes = ip.toByteArray();
  const isNat64 = range === 'rfc6052' && bytes.slice(4, 12).every((byte) => byte === 0);
  if (isNat64) return isPublicAddress(bytes.slice(12).join('.'));
  return range === 'unicast' && ((bytes[0] ?? 0) & 0xe0) === 0x20;
}

/** Ending the loop early ends the connection. */
async function readBody(
  body: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(host: string, head: HttpHead | undefined): HttpError {
  return new HttpError('too-large', `${host} answered with more than is read`, undefined, head);
}

/** The library's message and cause hold the URL, and a URL may hold a token: only the system's own code is repeated. */
export function toHttpError(error: unknown, host: string, head: HttpHead | undefined): HttpError {
  // Fetch's own list (https://fetch.spec.whatwg.org/#port-blocking); it names the reason nowhere else.
  if (getText(getField(error, 'cause'), 'message') === 'bad port') {
    return new HttpError('invalid', `no program may call the port of ${host}`, 'BAD_PORT');
  }
  const code = errorCode(error);
  if (error instanceof PrivateAddress) {
    return new HttpError('invalid', `${host} is at no public address`, code);
  }
  if (head === undefined && isUnsent(code, failedCall(error))) {
    return new HttpError('unreachable', `${host} could not be reached${explainCode(code)}`, code);
  }
  return new HttpError('broken', `${host} gave no whole answer${explainCode(code)}`, code, head);
}

function isUnsent(code = '', call = ''): boolean {
  return BEFORE_CONNECTION.has(call) || NOT_SENT.has(code);
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() === 'localhost';
  return LOOPBACK.check(host, family === 6 ? 'ipv6' : 'ipv4');
}
