import { DeliveryError } from '../../hooks/ports/channel.ts';
import type { DeliveryFailure } from '../../hooks/ports/channel.ts';
import { cut } from '../../platform/shorten.ts';
import { parseRetryAfter } from '../../platform/time.ts';
import { explainCode } from '../../platform/http-client.ts';
import type { HttpError, HttpHead } from '../../platform/http-client.ts';

export interface Platform {
  readonly name: string;
  /** What must never be repeated: tokens and passwords. */
  readonly secrets: readonly string[];
  /** True: a request that comes twice has the effect of one, as under an idempotency key. @default false */
  readonly isRepeatable?: boolean;
  /** The setting with the address that is asked. @default 'apiRoot' */
  readonly addressKey?: 'apiRoot' | 'tokenUrl' | 'url';
}

export interface Explanation {
  readonly message?: string;
  /** What a person has to do about it, in our words and as the end of the sentence. */
  readonly advice?: string;
  /** Its error code. @default the status */
  readonly code?: string;
  readonly kind?: DeliveryFailure;
  /** How long it asks to wait. @default the `Retry-After` header */
  readonly retryAfterMs?: number;
  readonly secrets?: readonly string[];
  /** Where the message can go. */
  readonly instead?: string | undefined;
}

/** Longest part of a platform's own explanation that is passed on, in characters. */
const MESSAGE_CHARS = 200;

export function refusal(
  platform: Platform,
  { status, headers }: HttpHead,
  explanation: Explanation,
): DeliveryError {
  const { message = '', code = '', kind = kindOfStatus(status, platform) } = explanation;
  const secrets = [...platform.secrets, ...(explanation.secrets ?? [])];
  const wait = explanation.retryAfterMs ?? parseRetryAfter(headers.get('retry-after'), Date.now());
  const why = refusalSentence(platform, kind, status, inOneLine(message, secrets));
  const sentence = explanation.advice === undefined ? why : `${why}; ${explanation.advice}`;
  const shownCode = inOneLine(code, secrets) || String(status);
  return new DeliveryError(sentence, kind, wait, shownCode, explanation.instead);
}

export function noAnswer({ name }: Platform, url: string, error: HttpError): DeliveryError {
  const { kind, code } = error;
  if (code === 'PRIVATE_ADDRESS') {
    const why = `${new URL(url).host} is at a private address; if that is meant, set allowPrivate: true`;
    return new DeliveryError(`${name} was sent nothing: ${why}`, 'auth', undefined, code);
  }
  if (kind === 'invalid') {
    const why =
      code === 'BAD_PORT'
        ? `no program may call port ${new URL(url).port}, use another one`
        : "this channel's address or token makes no request, check both";
    return new DeliveryError(`${name} was sent nothing: ${why}`, 'auth');
  }
  const because = explainCode(code);
  if (kind === 'unreachable') {
    const message = `${name} could not be reached${because}`;
    return new DeliveryError(message, 'retryable', undefined, code);
  }
  const message = `${name} was sent the message and gave no answer${because}; it may have arrived`;
  return new DeliveryError(message, 'unknown', undefined, code);
}

/** A 5xx does not say how far the platform came before it broke: people may have been shown the message. */
function kindOfStatus(status: number, { isRepeatable = false }: Platform): DeliveryFailure {
  if (status < 300 || status === 504) return 'unknown';
  if (status === 401 || status === 403) return 'auth';
  if (status === 429) return 'rate-limited';
  if (status >= 500) return isRepeatable ? 'retryable' : 'unknown';
  return status === 408 ? 'retryable' : 'permanent';
}

function refusalSentence(
  { name, addressKey = 'apiRoot' }: Platform,
  kind: DeliveryFailure,
  status: number,
  message: string,
): string {
  if (status >= 300 && status < 400) {
    return `the ${name} server redirects elsewhere: set ${addressKey} to its final address`;
  }
  if (status === 404 && message === '') {
    return `there is nothing of ${name} at this address (404), check ${addressKey}`;
  }
  const because = message === '' ? ` (${status})` : `: ${message}`;
  switch (kind) {
    case 'auth':
      return `${name} refused this channel's access, check its credentials and permissions${because}`;
    case 'rate-limited':
      return `${name} asks to send more slowly`;
    case 'unknown':
      return `${name} was sent the message and its answer (${message || status}) does not tell whether it was taken`;
    case 'retryable':
      return `${name} could not take the message${because}`;
    case 'permanent':
      return `${name} refused the message${because}`;
  }
}

function inOneLine(text: string, secrets: readonly string[]): string {
  let line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  for (const secret of secrets.filter((one) => one !== '')) {
    line = line.replaceAll(secret, '…').replaceAll(encodeURIComponent(secret), '…');
  }
  return cut(line, MESSAGE_CHARS).toWellFormed();
}
