/** What an answer of the hook means for the messages that were sent. */
export type HookAnswer =
  /** Accepted, or known already: over. */
  | { readonly kind: 'accepted' }
  /** The service has trouble of its own, or is not there: the same again later. */
  | { readonly kind: 'later'; readonly reason: string; readonly retryAfterMs?: number }
  /** The hook is off, or does not know us: a person must act. */
  | { readonly kind: 'misconfigured'; readonly reason: string }
  /** More bytes than `hooks.maxBodyBytes`. */
  | { readonly kind: 'too-large' }
  /** Will never be accepted, or broke the mapping and is kept as a failed event. */
  | { readonly kind: 'refused'; readonly reason: string };

/** The parts of an answer that decide. */
export interface AnswerParts {
  readonly status: number;
  /** `Retry-After` in seconds, when it is a number. */
  readonly retryAfterSeconds: number | undefined;
  /** `code` of the body. */
  readonly code: string | undefined;
  /** `eventId` of the body: what was sent is stored. */
  readonly eventId: string | undefined;
}

/** Answers that only another configuration changes, whatever is sent. */
const MISCONFIGURED = new Set([401, 403, 404, 405, 407]);

/** Longest `Retry-After` that is followed, in seconds. */
const LONGEST_RETRY_AFTER = 3_600;

/** Reads an answer of the hook. */
export function meaningOf({ status, retryAfterSeconds, code, eventId }: AnswerParts): HookAnswer {
  const reason = `${status}${code === undefined ? '' : ` ${code}`}`;
  if (status >= 200 && status < 300) return { kind: 'accepted' };
  if (status === 413) return { kind: 'too-large' };
  if (MISCONFIGURED.has(status) || status < 400) return { kind: 'misconfigured', reason };
  // The mapping or its transform broke on this very mail: the event is kept and can be replayed.
  if (status >= 500 && eventId !== undefined) {
    return { kind: 'refused', reason: `${reason}, kept as event ${eventId}` };
  }
  if (status >= 500 || status === 408 || status === 429) {
    return { kind: 'later', reason, ...retryAfter(retryAfterSeconds) };
  }
  return { kind: 'refused', reason };
}

function retryAfter(seconds: number | undefined): { retryAfterMs?: number } {
  return seconds === undefined
    ? {}
    : { retryAfterMs: Math.min(seconds, LONGEST_RETRY_AFTER) * 1000 };
}
