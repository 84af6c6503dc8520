import { DeliveryError } from '../../hooks/ports/channel.ts';
import { answerText } from './answer-text.ts';
import { field, textAt } from './field.ts';

/** Whom we speak with. */
export interface Platform {
  /** As people know it. */
  readonly name: string;
  /** What must never be repeated: tokens and passwords. */
  readonly secrets: readonly string[];
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

/** The connection was never made, so that nothing was sent. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
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
    throw noAnswer(platform, error);
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
function noAnswer({ name }: Platform, error: unknown): DeliveryError {
  const code = codeOf(error);
  const why = code === undefined ? '' : ` (${code})`;
  if (code !== undefined && NOT_SENT.has(code)) {
    return new DeliveryError(`${name} could not be reached${why}`, 'retryable', undefined, code);
  }
  const message = `${name} was sent the message and gave no answer${why}; it may have arrived`;
  return new DeliveryError(message, 'unknown', undefined, code);
}

function codeOf(error: unknown): string | undefined {
  for (let cause = error, depth = 0; depth < 4 && cause !== undefined; depth += 1) {
    const code = textAt(cause, 'code');
    if (code !== undefined && /^[A-Z][A-Z_]+$/.test(code)) return code;
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
