import { errorField, errorWord } from './error-field.ts';
import { meaningOf } from './hook-answer.ts';
import type { AnswerParts, HookAnswer } from './hook-answer.ts';

/** Where the hooks are, as of now: a reload may change the token and the limit. */
export interface HookTarget {
  /** Base of all hooks, with `hooks.path`: `http://127.0.0.1:18790/hooks`. */
  readonly url: string;
  readonly token: string;
  /** `hooks.maxBodyBytes`. */
  readonly maxBodyBytes: number;
}

/** Longest wait for an answer, in milliseconds: a transform may work on each message. */
const PATIENCE_MS = 120_000;

/** Most bytes of an answer that are read. */
const MOST_ANSWER_BYTES = 65_536;

/** Speaks to the hooks over HTTP, in this process or another. */
export class HookClient {
  constructor(private readonly target: () => HookTarget) {}

  /** `hooks.maxBodyBytes` in force. */
  get maxBodyBytes(): number {
    return this.target().maxBodyBytes;
  }

  /** Sends one request to the hook `name`. Never rejects but when `signal` aborts. */
  async post(
    name: string,
    payload: object,
    signal: AbortSignal,
    idempotencyKey?: string,
  ): Promise<HookAnswer> {
    const { url, token } = this.target();
    try {
      const answer = await fetch(`${url}/${name}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${token}`,
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
        body: JSON.stringify(payload),
        // A redirect would take the token, and the mail, elsewhere.
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
      });
      return meaningOf(await partsOf(answer));
    } catch (error) {
      signal.throwIfAborted();
      return { kind: 'later', reason: `the service does not answer (${codeOf(error)})` };
    }
  }
}

async function partsOf(answer: Response): Promise<AnswerParts> {
  const seconds = Number(answer.headers.get('retry-after') ?? 'none');
  const body = await bodyOf(answer);
  return {
    status: answer.status,
    retryAfterSeconds: Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined,
    code: wordOf(body, 'code'),
    eventId: wordOf(body, 'eventId'),
  };
}

async function bodyOf(answer: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    if (bytes > MOST_ANSWER_BYTES) return undefined;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** A short word without anything that does not belong into a log line. */
function wordOf(body: unknown, name: string): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const value: unknown = Object.getOwnPropertyDescriptor(body, name)?.value;
  return typeof value === 'string' && /^[\w:-]{1,100}$/u.test(value) ? value : undefined;
}

function codeOf(error: unknown): string {
  return errorWord(errorField(error, 'cause'), 'code') || errorWord(error, 'name') || 'no answer';
}
