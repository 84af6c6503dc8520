import { once } from 'node:events';
import type { ClientHttp2Session, ClientHttp2Stream, Http2Session } from 'node:http2';
import { isRecord, parseJson } from '../../platform/objects.ts';

/*
 * What relay and listener say to each other. The listener connects, shows the secret and asks for `Upgrade: hooks-relay`,
 * which proxies pass on as they do for WebSockets. From then on the connection speaks HTTP/2 the other way round: the
 * relay asks, one stream a request of a sender, and the listener answers. Heads travel as base64url of JSON in one
 * header: names, values and order stay as they came, and nothing that a stranger wrote is a header of this connection.
 */

export const UPGRADE = 'hooks-relay';
/** Below the address of the relay. */
export const CONNECT_PATH = '/.hooks-relay';

/** Requests that are under way at once. */
export const MOST_AT_ONCE = 256;
/** Of a connection with nothing to do, in milliseconds: below the 60 s after which nginx ends it. */
const HEARTBEAT_MS = 20_000;

/** Settings of both ends. Who does not read on holds up one request, and never the others; who gives up ends no connection. */
export const SESSION = {
  maxSessionMemory: 64,
  streamResetBurst: 1_000_000,
  streamResetRate: 1_000_000,
  settings: { maxConcurrentStreams: MOST_AT_ONCE, enablePush: false },
};
const STREAM_WINDOW = 65_535;

/** A request of a sender, without its body. */
export interface RequestHead {
  readonly method: string;
  /** As it stood in the request line. */
  readonly target: string;
  /** Names and values by turns. */
  readonly headers: readonly string[];
  /** Who sent it. */
  readonly address: string;
  /** Of a relay that keeps what it has no answer to: what it calls the request, and for how many milliseconds it has it. */
  readonly receipt?: Receipt;
}

/** The same each time a request is handed on, but for the time. */
export interface Receipt {
  readonly id: string;
  readonly keptMs: number;
}

/** Its answer, without its body. */
export interface AnswerHead {
  readonly status: number;
  /** Names and values by turns. */
  readonly headers: readonly string[];
}

const HEAD = 'hooks-head';

/** The headers of the connection that say it. */
export function wrapHead(head: RequestHead | AnswerHead): Record<string, string> {
  return { [HEAD]: Buffer.from(JSON.stringify(head)).toString('base64url') };
}

/** @throws TypeError for one that is none */
export function requestHead(headers: Readonly<Record<string, unknown>>): RequestHead {
  return requestHeadOf(unwrapped(headers));
}

/** @throws TypeError for one that is none */
export function requestHeadOf(read: unknown): RequestHead {
  const { method, target, headers, address, receipt } = isRecord(read) ? read : {};
  const isHead = typeof method === 'string' && typeof target === 'string' && isTexts(headers);
  if (!isHead || typeof address !== 'string') throw notAHead();
  const head = { method, target, headers, address };
  return receipt === undefined ? head : { ...head, receipt: receiptOf(receipt) };
}

function receiptOf(read: unknown): Receipt {
  const { id, keptMs } = isRecord(read) ? read : {};
  const isReceipt = typeof id === 'string' && typeof keptMs === 'number';
  if (!isReceipt || !/^[\w-]+$/.test(id) || !Number.isSafeInteger(keptMs)) throw notAHead();
  return { id, keptMs };
}

/** @throws TypeError for one that is none */
function answerHead(sent: Readonly<Record<string, unknown>>): AnswerHead {
  const read = unwrapped(sent);
  const { status, headers } = isRecord(read) ? read : {};
  if (typeof status !== 'number' || !isTexts(headers)) throw notAHead();
  return { status, headers };
}

function unwrapped({ [HEAD]: text }: Readonly<Record<string, unknown>>): unknown {
  return parseJson(Buffer.from(String(text), 'base64url').toString());
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function notAHead(): TypeError {
  return new TypeError('the other end of the connection speaks another language');
}

/** Headers of one connection (RFC 9110 §7.6.1), and what only the relay may say. */
const OF_CONNECTIONS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'expect',
  'x-forwarded-for',
  'x-relay-receipt',
]);

/** Those that go on to the other end. */
export function endToEnd(headers: readonly string[]): string[] {
  const own = headers.filter((_, at) => at % 2 === 1 && isNamed(headers[at - 1], 'connection'));
  const named = new Set(own.flatMap((value) => value.toLowerCase().split(/[\s,]+/)));
  return headers.filter((_, at) => {
    const name = headers[at - (at % 2)]?.toLowerCase() ?? '';
    return !OF_CONNECTIONS.has(name) && !named.has(name);
  });
}

/** The first value under this name, which is in lower case. */
export function headerOf(headers: readonly string[], name: string): string | undefined {
  return headers.find((_, at) => at % 2 === 1 && isNamed(headers[at - 1], name));
}

function isNamed(header: string | undefined, name: string): boolean {
  return header?.length === name.length && header.toLowerCase() === name;
}

/** Whether a request line leads to a hook, and in no other spelling to anything else. @param prefix `hooks.path` */
export function isForHook(target: string, prefix: string): boolean {
  const [path = ''] = target.split('?', 1);
  const isSpelt = URL.parse(path, 'http://localhost')?.pathname === path;
  return isSpelt && path.startsWith(`${prefix}/`);
}

/** One request to the listener. @param isWhole whether no body follows */
export function openStream(
  listener: ClientHttp2Session,
  head: RequestHead,
  isWhole: boolean,
): ClientHttp2Stream {
  const headers = { ':method': 'POST', ':path': '/', ...wrapHead(head) };
  return listener.request(headers, { endStream: isWhole });
}

/** What the listener answers; its body is to be read from the stream. @throws Error where no answer came */
export async function answerOn(stream: ClientHttp2Stream): Promise<AnswerHead> {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  stream.once('close', end);
  try {
    const [headers] = await once(stream, 'response', { signal: ended.signal });
    return answerHead(headers);
  } finally {
    stream.off('close', end);
  }
}

/** Keeps a connection open through proxies, and ends it once the other end is silent. */
export function watch(session: Http2Session): void {
  session.setLocalWindowSize(STREAM_WINDOW * MOST_AT_ONCE);
  let isAnswered = true;
  const beating = setInterval(() => {
    if (!isAnswered) return session.destroy();
    isAnswered = false;
    session.ping((error) => (isAnswered = error === null));
  }, HEARTBEAT_MS);
  session.once('close', () => clearInterval(beating));
}
