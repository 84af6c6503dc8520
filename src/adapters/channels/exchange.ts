import { DeliveryError } from '../../hooks/ports/channel.ts';
import { answerText } from './answer-text.ts';
import { field, textAt } from './field.ts';

/** Whom we speak with. */
export interface Platform {
  /** As people know it. */
  readonly name: string;
  /** What must never be repeated: tokens and passwords. */
  readonly secrets: readonly string[];
  /** The setting with the address that is asked. @default 'apiRoot' */
  readonly addressKey?: 'apiRoot' | 'tokenUrl';
}

/** What a platform answered, whatever it means. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** As it came; `''` when it broke off or was too long. */
  readonly text: string;
  /** Parsed JSON; undefined when it was none. */
  readonly body: unknown;
}

/** What the commonest of the system's codes mean to a person. */
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

/** The connection was never made, so that nothing was sent. */
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

/**
 * One request and its answer. A redirect is an answer: followed, it would carry the token to a server nobody configured.
 * @throws DeliveryError `auth` when its settings make no request, `retryable` when nothing was sent, `unknown` when no answer came; the signal's reason.
 */
export async function exchange(
  platform: Platform,
  url: string,
  init: RequestInit,
  signal: AbortSignal,
): Promise<Answer> {
  signal.throwIfAborted();
  const request = requestOf(platform, url, { ...init, redirect: 'manual', signal });
  let response: Response;
  try {
    response = await fetch(request);
  } catch (error) {
    signal.throwIfAborted();
    throw noAnswer(platform, request.url, error);
  }
  const text = await answerText(response);
  signal.throwIfAborted();
  return { status: response.status, headers: response.headers, text, body: parsed(text) };
}

/** The library's own error repeats the token that no header may hold. */
function requestOf({ name }: Platform, url: string, init: RequestInit): Request {
  try {
    return new Request(url, init);
  } catch {
    const message = `${name} was sent nothing: this channel's address or token makes no request, check both`;
    throw new DeliveryError(message, 'auth');
  }
}

/** A POST of JSON. */
export function json(body: unknown, headers: Readonly<Record<string, string>> = {}): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}

/** An address with a path behind it, however many slashes the configured one ends in. */
export function below(root: string, path: string): string {
  return root.replace(/\/+$/, '') + path;
}

/** The library's message and cause hold the URL, and a URL may hold a token: only the system's own code is repeated. */
function noAnswer({ name }: Platform, url: string, error: unknown): DeliveryError {
  // Fetch's own list (https://fetch.spec.whatwg.org/#port-blocking); it names the reason nowhere else.
  if (textAt(field(error, 'cause'), 'message') === 'bad port') {
    const { port } = new URL(url);
    const message = `${name} was sent nothing: no program may call port ${port}, use another one`;
    return new DeliveryError(message, 'auth');
  }
  const code = textIn(error, 'code', /^[A-Z][A-Z\d_]+$/);
  const why = code === undefined ? '' : ` (${code})`;
  const failedCall = textIn(error, 'syscall', /^[a-z]+$/);
  const isBefore = failedCall !== undefined && BEFORE_CONNECTION.has(failedCall);
  if (isBefore || (code !== undefined && NOT_SENT.has(code))) {
    const meaning = MEANINGS[code ?? ''];
    const told = meaning === undefined ? why : `: ${meaning}${why}`;
    return new DeliveryError(`${name} could not be reached${told}`, 'retryable', undefined, code);
  }
  const message = `${name} was sent the message and gave no answer${why}; it may have arrived`;
  return new DeliveryError(message, 'unknown', undefined, code);
}

/** What an error or one of its causes says under a key, where it has the form. */
function textIn(error: unknown, key: string, form: RegExp): string | undefined {
  for (let cause = error, depth = 0; depth < 4 && cause !== undefined; depth += 1) {
    const said = textAt(cause, key);
    if (said !== undefined && form.test(said)) return said;
    cause = field(cause, 'cause') ?? field(cause, 'errors', 0);
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
