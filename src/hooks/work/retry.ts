import type { Lease, StepOutcome } from '../ports/index.ts';
import { backoffMs } from '../../platform/backoff.ts';
import type { BackoffLimits } from '../../platform/backoff.ts';

/**
 * When work is tried again, and when it is given up. Three things count, each on its own:
 * - failures (an agent or a platform said no, for now): tried again with backoff, see {@link RetryPolicy};
 * - interruptions (a stop or a crash cut a turn off): begun again once, and only where nothing can have been done twice;
 * - crashes in a row (the process died during the step): given up before it takes the service down for ever.
 */

/** When a step that failed is tried again, and when it is given up. */
export interface RetryPolicy extends BackoffLimits {
  /** Interruptions are not counted: only what failed uses up the budget. */
  readonly maxAttempts: number;
  /** From acceptance or an operator's retry; later failures are final. */
  readonly maxAgeMs: number;
}

const SECOND = 1000;
const HOUR = 3_600 * SECOND;

/** Up to half of every wait is left to chance, so that many failures do not come back together. */
const JITTER = 0.5;

/** Runs: a provider that is down for a few minutes costs nothing but time. */
export const RUN_RETRY: RetryPolicy = {
  firstMs: 2 * SECOND,
  maxMs: 300 * SECOND,
  jitter: JITTER,
  maxAttempts: 6,
  maxAgeMs: 24 * HOUR,
};

/** Heartbeats: the events stay, and the next heartbeat shows them again. */
export const HEARTBEAT_RETRY: RetryPolicy = { ...RUN_RETRY, maxAttempts: 3 };

/** A step that broke by itself: it may heal (a host's port that was away), but nothing waits behind it for long. */
export const BROKEN_RETRY: RetryPolicy = { ...RUN_RETRY, firstMs: SECOND, maxAttempts: 8 };

/** Deliveries: a platform may be down for most of a day. */
export const DELIVERY_RETRY: RetryPolicy = {
  firstMs: SECOND,
  maxMs: 900 * SECOND,
  jitter: JITTER,
  maxAttempts: Number.POSITIVE_INFINITY,
  maxAgeMs: 24 * HOUR,
};

/**
 * What becomes of work that failed once more: never tried again earlier than the other side asked for, and at a whole
 * millisecond, since ledgers store no others.
 */
export function nextAttempt(
  policy: RetryPolicy,
  lease: Pick<Lease, 'failures' | 'since'>,
  now: number,
  retryAfterMs = 0,
): StepOutcome {
  const at = now + Math.ceil(Math.max(retryAfterMs, backoffMs(policy, lease.failures)));
  const isOver = lease.failures + 1 >= policy.maxAttempts || at - lease.since > policy.maxAgeMs;
  return isOver ? { type: 'dead' } : { type: 'retry', at };
}

/** How often an interrupted turn is begun again, where its runner says that it cannot have acted. */
const MAX_REPEATS = 1;

/**
 * Why a turn that was cut off is not begun again; null: it may be.
 * @param interruptions how often it was, by the end of the process or by a stop.
 * @param mayRepeat what its runner said before it was asked.
 */
export function refusalToRepeat(
  kind: 'run' | 'heartbeat',
  interruptions: number,
  mayRepeat: boolean,
): string | null {
  if (interruptions === 0) return null;
  if (!mayRepeat) return `the ${kind} was interrupted; it may have acted, so it is not begun again`;
  if (interruptions <= MAX_REPEATS) return null;
  return `the ${kind} was interrupted ${interruptions} times; it is not begun again`;
}

/** A delivery that takes its process down is given up after so many times in a row: it would do so for ever. */
const MAX_CRASHES = 5;

/** Why a delivery is given up without another attempt; null: it may be begun. */
export function refusalAfterCrashes({ crashes }: Pick<Lease, 'crashes'>): string | null {
  return crashes < MAX_CRASHES ? null : `the service died ${crashes} times during this delivery`;
}
