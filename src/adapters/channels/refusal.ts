import { DeliveryError } from '../../hooks/ports/channel.ts';
import type { DeliveryFailure } from '../../hooks/ports/channel.ts';
import type { Answer, Platform } from './exchange.ts';
import { retryAfterMs } from './retry-after.ts';

/** What a platform's own words add to the status. */
export interface Told {
  /** Its explanation. */
  readonly said?: string;
  /** Its error code. @default the status */
  readonly code?: string;
  /** What the code means, where the status does not say it. */
  readonly kind?: DeliveryFailure;
  /** How long it asks to wait. @default the `Retry-After` header */
  readonly retryAfterMs?: number;
}

/** Longest part of a platform's own explanation that is passed on, in characters. */
const SAID_CHARS = 200;

/** An answer that is not a success, as the outbox understands it. */
export function refusal(platform: Platform, answer: Answer, told: Told = {}): DeliveryError {
  const kind = told.kind ?? kindOf(answer.status);
  const code = words(told.code ?? '', platform) || String(answer.status);
  const wait = told.retryAfterMs ?? retryAfterMs(answer.headers.get('retry-after'), Date.now());
  const sentence = sentenceOf(kind, platform, answer.status, told.said ?? '');
  return new DeliveryError(sentence, kind, wait, code);
}

function kindOf(status: number): DeliveryFailure {
  if (status < 300 || status === 504) return 'unknown';
  if (status === 401 || status === 403) return 'auth';
  if (status === 429) return 'rate-limited';
  return status >= 500 || status === 408 ? 'retryable' : 'permanent';
}

function sentenceOf(
  kind: DeliveryFailure,
  platform: Platform,
  status: number,
  said: string,
): string {
  const { name, addressKey = 'apiRoot' } = platform;
  const why = words(said, platform);
  const because = why === '' ? ` (${status})` : `: ${why}`;
  if (status >= 300 && status < 400) {
    return `the ${name} server redirects elsewhere: set ${addressKey} to its final address`;
  }
  if (status === 404 && why === '') {
    return `there is nothing of ${name} at this address (404), check ${addressKey}`;
  }
  switch (kind) {
    case 'auth':
      return `${name} refused this channel's access, check its credentials and permissions${because}`;
    case 'rate-limited':
      return `${name} asks to send more slowly`;
    case 'unknown':
      return `${name} was sent the message and its answer (${status}) does not tell whether it was taken`;
    case 'retryable':
      return `${name} could not take the message${because}`;
    case 'permanent':
      return `${name} refused the message${because}`;
  }
}

/** One short line of what the platform said, with every secret taken out. */
function words(said: string, { secrets }: Platform): string {
  let line = said.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  for (const secret of secrets.filter((text) => text !== '')) {
    line = line.replaceAll(secret, '…').replaceAll(encodeURIComponent(secret), '…');
  }
  return line.slice(0, SAID_CHARS);
}
