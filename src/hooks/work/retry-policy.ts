import type { End, Lease } from '../ports/index.ts';

/** When a step that failed is tried again, and when it is given up. */
export interface RetryPolicy {
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** Interruptions are not counted: only what failed uses up the budget. */
  readonly maxAttempts: number;
  /** From acceptance or an operator's retry; later failures are final. */
  readonly maxAgeMs: number;
}

const SECOND = 1000;
const HOUR = 3_600 * SECOND;

/** Runs: a provider that is down for a few minutes costs nothing but time. */
export const RUN_RETRY: RetryPolicy = {
  firstDelayMs: 2 * SECOND,
  maxDelayMs: 300 * SECOND,
  maxAttempts: 6,
  maxAgeMs: 24 * HOUR,
};

/** Heartbeats: the events stay, and the next heartbeat shows them again. */
export const HEARTBEAT_RETRY: RetryPolicy = { ...RUN_RETRY, maxAttempts: 3 };

/** A step that broke by itself: it may heal (a host's port that was away), but nothing waits behind it for long. */
export const BROKEN_RETRY: RetryPolicy = { ...RUN_RETRY, firstDelayMs: SECOND, maxAttempts: 8 };

/** Deliveries: a platform may be down for most of a day. */
export const DELIVERY_RETRY: RetryPolicy = {
  firstDelayMs: SECOND,
  maxDelayMs: 900 * SECOND,
  maxAttempts: Number.POSITIVE_INFINITY,
  maxAgeMs: 24 * HOUR,
};

/**
 * Exponential from `firstDelayMs`, doubled by failure up to `maxDelayMs`, with up to half of it taken off at random so
 * that many failures do not come back together; never earlier than the other side asked for. Whole milliseconds: ledgers store no others.
 */
export function nextAttempt(
  policy: RetryPolicy,
  lease: Pick<Lease, 'failures' | 'since'>,
  now: number,
  retryAfterMs = 0,
): End {
  const full = Math.min(policy.firstDelayMs * 2 ** lease.failures, policy.maxDelayMs);
  const at = now + Math.ceil(Math.max(retryAfterMs, full * (1 - Math.random() / 2)));
  const isOver = lease.failures + 1 >= policy.maxAttempts || at - lease.since > policy.maxAgeMs;
  return isOver ? { type: 'dead' } : { type: 'retry', at };
}
