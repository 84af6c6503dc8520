import { Injectable } from '@nestjs/common';
import { HooksSettings } from '../../options/index.ts';
import type { AuthFailuresOptions } from '../../options/index.ts';
import { throttleKey } from './client-address.ts';
import { FailureStorage } from './failure-storage.ts';

/** Name under which failures are counted in a shared storage. */
const NAME = 'auth-failures';

/**
 * The failure budget of a client: its address, or `<scope>:<address>` for a budget apart, e.g. `ops:10.0.0.1`.
 * Only failures count, so a good sender costs nothing here.
 */
@Injectable()
export class AuthFailureThrottle {
  constructor(
    private readonly storage: FailureStorage,
    private readonly settings: HooksSettings,
  ) {}

  /** False: nobody failed lately, so {@link admit} needs no asking. */
  get isWatching(): boolean {
    return this.storage.mayTrackAny;
  }

  /** Counts a failure. Null: within the budget. Otherwise the client is locked, for so many whole seconds more. */
  async fail(client: string, budget = this.#budget): Promise<number | null> {
    const { isBlocked, timeToBlockExpire } = await this.storage.increment(
      throttleKey(client),
      budget.windowSeconds * 1000,
      budget.limit,
      budget.lockSeconds * 1000,
      NAME,
    );
    return isBlocked ? Math.max(1, timeToBlockExpire) : null;
  }

  /**
   * A right token came. Null: welcome, and earlier failures are forgotten. Otherwise the budget is `strict` and the
   * client is locked, for so many whole seconds more.
   */
  async admit(client: string, budget = this.#budget): Promise<number | null> {
    const key = throttleKey(client);
    const locked = budget.strict ? await this.storage.lockedSeconds(key) : 0;
    if (locked > 0) return locked;
    await this.storage.clear(key);
    return null;
  }

  get #budget(): AuthFailuresOptions {
    return this.settings.current.hooks.authFailures;
  }
}
