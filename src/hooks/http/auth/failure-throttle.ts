import { Inject, Injectable, Logger } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { HooksSettings } from '../../options/index.ts';
import type { AuthFailuresOptions } from '../../options/index.ts';
import { Clock } from '../../ports/index.ts';
import { throttleKey } from './client-address.ts';
import { BoundedMap, FAILURE_STORAGE, toSeconds } from './failure-storage.ts';

/** Name under which failures are counted in a shared storage. */
const NAME = 'auth-failures';
const WARN_EVERY_MS = 60_000;

/** What this process knows of a client that failed. */
interface KnownClient {
  /** Part of the storage's key: a right token begins a new count, though the contract can only add to one. */
  readonly generation: number;
  /** Epoch milliseconds; 0: not locked. */
  readonly lockedUntil: number;
}

/**
 * The failure budget of a client: its address, or `<scope>:<address>` for a budget apart, e.g. `ops:10.0.0.1`. Only
 * failures count, so a good sender costs nothing here.
 *
 * Failures are counted by a storage of `@nestjs/throttler`'s contract, which has only `increment`. What it cannot say
 * is remembered here, bounded: who is locked (so that failures during a lock neither count nor lengthen it), and how
 * often a right token has begun the count anew.
 * @publicApi
 */
@Injectable()
export class AuthFailureThrottle {
  readonly #logger = new Logger(AuthFailureThrottle.name);
  readonly #known = new BoundedMap<KnownClient>();
  /** Epoch milliseconds after which nothing that is known matters any more. */
  #keepUntil = 0;
  #warnedAt = -Infinity;

  constructor(
    @Inject(FAILURE_STORAGE) private readonly storage: ThrottlerStorage,
    private readonly settings: HooksSettings,
    private readonly clock: Clock,
  ) {}

  /** False: nobody failed lately, so {@link admit} needs no asking. */
  get isWatching(): boolean {
    return this.#keepUntil > this.clock.now();
  }

  /**
   * Counts a failure. Null: within the budget, or the one that uses it up. Otherwise the client is locked, for so many
   * whole seconds more. A storage that cannot count costs nobody an answer.
   */
  async fail(client: string, budget = this.#budget): Promise<number | null> {
    if (!this.isWatching) this.#known.clear();
    const key = throttleKey(client);
    const now = this.clock.now();
    const known = this.#known.get(key);
    if (known !== undefined && known.lockedUntil > now) return toSeconds(known.lockedUntil - now);
    const hasServed = known !== undefined && known.lockedUntil > 0;
    const generation = (known?.generation ?? 0) + (hasServed ? 1 : 0);
    const lockMs = await this.#increment(`${key} ${generation}`, budget);
    const meanwhile = this.#known.get(key);
    if (meanwhile !== undefined && meanwhile.lockedUntil > now) {
      return toSeconds(meanwhile.lockedUntil - now);
    }
    const lockedUntil = lockMs > 0 ? now + lockMs : 0;
    this.#known.set(key, { generation, lockedUntil });
    const keepUntil = Math.max(now + budget.windowSeconds * 1000, lockedUntil);
    this.#keepUntil = Math.max(this.#keepUntil, keepUntil);
    return null;
  }

  /**
   * A right token came. Null: welcome, and earlier failures are forgotten. Otherwise the budget is `strict` and the
   * client is locked, for so many whole seconds more.
   */
  admit(client: string, budget = this.#budget): number | null {
    const key = throttleKey(client);
    const known = this.#known.get(key);
    if (known === undefined) return null;
    const now = this.clock.now();
    if (budget.strict && known.lockedUntil > now) return toSeconds(known.lockedUntil - now);
    this.#known.set(key, { generation: known.generation + 1, lockedUntil: 0 });
    return null;
  }

  /** How long the failure locks its client, in milliseconds; 0: not at all. The last one within the limit does. */
  async #increment(key: string, budget: AuthFailuresOptions): Promise<number> {
    const { limit, windowSeconds, lockSeconds } = budget;
    try {
      const { isBlocked, timeToBlockExpire } = await this.storage.increment(
        key,
        windowSeconds * 1000,
        limit - 1,
        lockSeconds * 1000,
        NAME,
      );
      return isBlocked ? Math.max(1, timeToBlockExpire) * 1000 : 0;
    } catch (error) {
      this.#warn(error);
      return 0;
    }
  }

  #warn(error: unknown): void {
    const now = this.clock.now();
    if (now - this.#warnedAt < WARN_EVERY_MS) return;
    this.#warnedAt = now;
    const name = error instanceof Error ? error.name : typeof error;
    this.#logger.warn(
      `failed authentications cannot be counted (${name}): nobody is locked out meanwhile`,
    );
  }

  get #budget(): AuthFailuresOptions {
    return this.settings.current.hooks.authFailures;
  }
}
