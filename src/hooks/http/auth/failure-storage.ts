import type { ThrottlerStorage } from '@nestjs/throttler';

/** What a failure storage answers; durations in whole seconds, as the throttler counts. */
export type FailureRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/**
 * Where failed authentications are counted: the throttler's own storage contract, and what a failure budget needs
 * besides. Asynchronous, so that machines can share one; give the module its `failureStorage` for that.
 */
export abstract class FailureStorage implements ThrottlerStorage {
  /**
   * Counts one failure. The `limit`-th within `ttl` ms locks the key for `blockDuration` ms and is itself not blocked
   * yet; a failure during the lock is answered `isBlocked` and changes nothing.
   */
  abstract increment(
    key: string,
    ttl: number,
    limit: number,
    blockDuration: number,
    throttlerName: string,
  ): Promise<FailureRecord>;

  /** False only when certainly nothing is known of any key: then no request has to ask. */
  abstract get mayTrackAny(): boolean;

  /** Whole seconds until the lock of the key ends; 0 when it is not locked. */
  abstract lockedSeconds(key: string): Promise<number>;

  /** Forgets the key. */
  abstract clear(key: string): Promise<void>;
}
