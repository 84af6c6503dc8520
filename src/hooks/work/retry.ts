import type { Lease, StepOutcome } from '../ports/index.ts';
import { backoffMs } from '../../platform/time.ts';
import type { BackoffLimits } from '../../platform/time.ts';

/**
 * When work is tried again, and when it is given up. Two things count, each on its own (a stop that cuts a turn off does
 * not: it is begun again where nothing can have been done twice):
 * - failures (an agent or a platform said no, for now): tried again with backoff, see {@link RetryPolicy};
 * - crashes in a row (the process died during the step): given up before it takes the service down for ever.
 */

interface RetryPolicy extends BackoffLimits {
  /** Interruptions are not counted: only what failed uses up the budget. */
  readonly maxAttempts: number;
  /** From acceptance or an operator's retry; later failures are final. */
  readonly maxAgeMs: number;
}

const SECOND = 1000;
const HOUR = 3_600 * SECOND;

/** Up to half of every wait is left to chance, so that many failures do not come back together. */
const JITTER = 0.5;

/** Turns: a provider that is down for some hours costs nothing but time. Their time is `agents.defaults.retryFor`. */
export const TURN_RETRY: Omit<RetryPolicy, 'maxAgeMs'> = {
  firstMs: 2 * SECOND,
  maxMs: 600 * SECOND,
  jitter: JITTER,
  maxAttempts: Number.POSITIVE_INFINITY,
};

/** A step that broke by itself: it may heal (a host's port that was away), but nothing waits behind it for long. */
export const BROKEN_RETRY: RetryPolicy = {
  firstMs: SECOND,
  maxMs: 300 * SECOND,
  jitter: JITTER,
  maxAttempts: 8,
  maxAgeMs: 24 * HOUR,
};

/** Deliveries: a platform may be down for most of a day. */
export const DELIVERY_RETRY: RetryPolicy = {
  firstMs: SECOND,
  maxMs: 900 * SECOND,
  jitter: JITTER,
  maxAttempts: Number.POSITIVE_INFINITY,
  maxAgeMs: 24 * HOUR,
};

/** Never earlier than the other side asked for, and at a whole millisecond, since ledgers store no others. */
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

/** Why a turn that was cut off, by a stop or by the end of its process, is not begun again if it may have acted. */
export function mayHaveActed(kind: 'run' | 'heartbeat'): string {
  return `the ${kind} was interrupted; it may have acted, so it is not begun again`;
}

/** Work that takes its process down is given up after so many times in a row: it would do so for ever. */
const MAX_CRASHES = 5;

/** Why work is given up without another attempt; null: it may be begun. */
export function refusalAfterCrashes({ crashes, kind }: Pick<Lease, 'crashes' | 'kind'>) {
  if (crashes < MAX_CRASHES) return null;
  return `the service died ${crashes} times in a row during this ${kind}`;
}
