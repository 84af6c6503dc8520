import { parseRetryAfter } from '../platform/time.ts';
import { HttpError, sendHttp, withoutBody } from '../platform/http-client.ts';
import type { HttpAnswer } from '../platform/http-client.ts';
import { getField } from '../platform/objects.ts';

/** Where the hooks are, as of now: a reload may change the token and the limit. */
export interface HookTarget {
  /** Base of all hooks, with `hooks.path`: `http://127.0.0.1:18790/hooks`. */
  readonly url: string;
  readonly token: string;
  readonly maxBodyBytes: number;
}

export type HookAnswer =
  /** Accepted, or known already: over. */
  | { readonly kind: 'accepted' }
  /** The service has trouble of its own, or is not there: the same again later. */
  | { readonly kind: 'later'; readonly reason: string; readonly retryAfterMs?: number }
  /** The hook is off, or does not know us: a person must act. */
  | { readonly kind: 'misconfigured'; readonly reason: string }
  | { readonly kind: 'too-large' }
  /** Will never be accepted, or broke the mapping and is kept as a failed event. */
  | { readonly kind: 'refused'; readonly reason: string };

/** Longest wait for an answer, in milliseconds: a transform may work on each message. */
const TIMEOUT_MS = 120_000;

/** Most bytes of an answer that are read; the status of a longer one says enough. */
const MAX_ANSWER_BYTES = 65_536;

/** Longest `Retry-After` that is followed, in milliseconds. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** Answers that only another configuration changes, whatever is sent. */
const MISCONFIGURED = new Set([401, 403, 404, 405, 407]);

export class HookClient {
  /** @param target asked before every request */
  constructor(private readonly target: () => HookTarget) {}

  get maxBodyBytes(): number {
    return this.target().maxBodyBytes;
  }

  /** A service that does not answer is an answer, too: `later`. @throws the reason of `signal` when it aborts */
  async post(
    name: string,
    payload: object,
    signal: AbortSignal,
    more: Readonly<Record<string, string>> = {},
  ): Promise<HookAnswer> {
    const { url, token } = this.target();
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      ...more,
    };
    const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES, signal };
    const request = { method: 'POST', headers, body: JSON.stringify(payload), ...limits };
    try {
      return interpret(await sendHttp(`${url}/${name}`, request).catch(withoutLongBody));
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      const reason = `the service does not answer (${error.code ?? error.kind})`;
      return { kind: 'later', reason };
    }
  }
}

/** An answer that broke off may not have been one: only of a whole one the body can be left out. */
function withoutLongBody(error: unknown): HttpAnswer {
  if (error instanceof HttpError && error.kind === 'too-large') return withoutBody(error);
  throw error;
}

export function interpret({ status, headers, json }: HttpAnswer): HookAnswer {
  const code = getWord(json, 'code');
  const eventId = getWord(json, 'eventId');
  const reason = `${status}${code === undefined ? '' : ` ${code}`}`;
  if (status >= 200 && status < 300) return { kind: 'accepted' };
  if (status === 413) return { kind: 'too-large' };
  if (MISCONFIGURED.has(status) || status < 400) return { kind: 'misconfigured', reason };
  // The mapping or its transform broke on this very mail: the event is kept and can be replayed.
  if (status >= 500 && eventId !== undefined) {
    return { kind: 'refused', reason: `${reason}, kept as event ${eventId}` };
  }
  if (status >= 500 || status === 408 || status === 429) {
    const retryAfterMs = parseRetryAfter(headers.get('retry-after'), Date.now());
    if (retryAfterMs === undefined) return { kind: 'later', reason };
    return { kind: 'later', reason, retryAfterMs: Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) };
  }
  return { kind: 'refused', reason };
}

/** A short word without anything that does not belong into a log line. */
function getWord(body: unknown, name: string): string | undefined {
  const value = getField(body, name);
  return typeof value === 'string' && /^[\w:-]{1,100}$/u.test(value) ? value : undefined;
}
