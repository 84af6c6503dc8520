import { Inject, Injectable, Logger } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { HooksSettings } from '../../options/index.ts';
import { SHORTEST_GOOD_TOKEN, inWordsOf } from '../../options/index.ts';
import type { AuthFailuresOptions } from '../../options/index.ts';
import { Clock } from '../../ports/index.ts';
import { throttleKey } from './client-address.ts';
import type { FailureRecord } from './failure-storage.ts';
import {
  BoundedFailureStorage,
  BoundedMap,
  FAILURE_STORAGE,
  toSeconds,
} from './failure-storage.ts';

const WARN_EVERY_MS = 60_000;
/** How long the next short token of a locked client has to wait, in milliseconds. */
const COMPARE_EVERY_MS = 1000;
/** How often the operator is told that one address has all failures, in milliseconds. */
const NAME_SOURCE_EVERY_MS = 3_600_000;

interface KnownClient {
  /** Part of the storage's key: a right token begins a new count, though the contract can only add to one. */
  readonly generation: number;
  /** By {@link Clock.elapsed}, which nobody can set; 0: not locked. */
  readonly lockedUntil: number;
  /** From when on a short token is compared again during the lock, likewise. */
  readonly comparesAt: number;
}

/**
 * Throttler `auth-failures`: the failure budget of a client, which is its address, or `<scope>:<address>` for a budget
 * apart, e.g. `ops:10.0.0.1`. It counts failures, no requests as a `ThrottlerGuard` does: a good sender costs nothing
 * here, and no mark of a route skips it.
 *
 * Counted by a `ThrottlerStorage` of `@nestjs/throttler`, which has only `increment`. What that cannot say is kept
 * here, bounded: who is locked (so that failures during a lock neither count nor lengthen it), and how often a right
 * token has reset the count.
 */
@Injectable()
export class AuthFailureThrottler {
  readonly #logger = new Logger(AuthFailureThrottler.name);
  readonly #known = new BoundedMap<KnownClient>();
  #keepUntil = 0;
  #warnedAt = -Infinity;
  /** Failures that the storage is still counting, by tracker: what comes meanwhile must not outrun the count. */
  readonly #counting = new Map<string, number>();
  /** The one address that failed since this began to watch; null: there were several. */
  #source: string | null | undefined;
  #namedSourceAt = -Infinity;
  /** Counts where no storage is given, and while it cannot. */
  readonly #own: ThrottlerStorage;

  constructor(
    @Inject(FAILURE_STORAGE) private readonly storage: ThrottlerStorage | null,
    private readonly settings: HooksSettings,
    private readonly clock: Clock,
  ) {
    this.#own = new BoundedFailureStorage(clock);
  }

  /** False: nobody failed lately, so {@link admit} and {@link mayCompare} need no asking. */
  get isWatching(): boolean {
    return this.#counting.size > 0 || this.#keepUntil > this.clock.elapsed();
  }

  /**
   * Null: a token of this `length` (0: none) may be compared now. Otherwise the client is locked, for so many whole
   * seconds more, and its short tokens are compared once a second: guessing is slow. A good token never waits, so that
   * nobody can lock out its sender, not even from behind the same proxy.
   */
  mayCompare(client: string, length: number, budget = this.#budget): number | null {
    if (length >= SHORTEST_GOOD_TOKEN) return null;
    const tracker = throttleKey(client);
    const known = this.#known.get(tracker);
    const now = this.clock.elapsed();
    if (known === undefined || known.lockedUntil <= now) {
      const isOutrun = (this.#counting.get(tracker) ?? 0) >= budget.limit;
      return isOutrun ? toSeconds(budget.lockSeconds * 1000) : null;
    }
    if (length === 0 || now < known.comparesAt) return toSeconds(known.lockedUntil - now);
    this.#known.set(tracker, { ...known, comparesAt: now + COMPARE_EVERY_MS });
    return null;
  }

  /**
   * Counts a failure; while the storage cannot count, this process does. Null: within the budget, or the one that uses
   * it up. Otherwise the client is locked, for so many whole seconds more.
   */
  async fail(client: string, budget = this.#budget): Promise<number | null> {
    if (!this.isWatching) this.#forgetAll();
    const tracker = throttleKey(client);
    const now = this.clock.elapsed();
    const known = this.#known.get(tracker);
    if (known !== undefined && known.lockedUntil > now) return toSeconds(known.lockedUntil - now);
    this.#noteSource(tracker);
    const hasServed = known !== undefined && known.lockedUntil > 0;
    const generation = (known?.generation ?? 0) + (hasServed ? 1 : 0);
    this.#counting.set(tracker, (this.#counting.get(tracker) ?? 0) + 1);
    const lockMs = await this.#increment(`${tracker} ${generation}`, budget);
    this.#counted(tracker);
    const meanwhile = this.#known.get(tracker);
    if (meanwhile !== undefined && meanwhile.lockedUntil > now) {
      return toSeconds(meanwhile.lockedUntil - now);
    }
    const lockedUntil = lockMs > 0 ? now + lockMs : 0;
    this.#known.set(tracker, { generation, lockedUntil, comparesAt: 0 });
    const keepUntil = Math.max(now + budget.windowSeconds * 1000, lockedUntil);
    this.#keepUntil = Math.max(this.#keepUntil, keepUntil);
    if (lockMs > 0) this.#nameSource(now);
    return null;
  }

  /**
   * A right token came. Null: welcome, and earlier failures are forgotten. Otherwise the budget is `strict` and the
   * client is locked, for so many whole seconds more.
   * @param forgets false: the failures stay, since whoever holds this token could guess another one
   */
  admit(client: string, budget = this.#budget, forgets = true): number | null {
    const tracker = throttleKey(client);
    const known = this.#known.get(tracker);
    if (known === undefined) return null;
    const now = this.clock.elapsed();
    if (budget.strict && known.lockedUntil > now) return toSeconds(known.lockedUntil - now);
    if (forgets) {
      this.#known.set(tracker, { generation: known.generation + 1, lockedUntil: 0, comparesAt: 0 });
    }
    return null;
  }

  #forgetAll(): void {
    this.#known.clear();
    this.#source = undefined;
  }

  #counted(tracker: string): void {
    const left = (this.#counting.get(tracker) ?? 0) - 1;
    if (left > 0) this.#counting.set(tracker, left);
    else this.#counting.delete(tracker);
  }

  #noteSource(tracker: string): void {
    const address = tracker.replace(/^(?:ops|web|opsweb):/, '');
    if (this.#source === undefined) this.#source = address;
    else if (this.#source !== address) this.#source = null;
  }

  /** Senders behind a proxy that is not named share one budget, and one address in every log. */
  #nameSource(now: number): void {
    if (this.#source === undefined || this.#source === null) return;
    if (now - this.#namedSourceAt < NAME_SOURCE_EVERY_MS) return;
    this.#namedSourceAt = now;
    this.#logger.warn(
      inWordsOf(
        this.settings.names,
        `all failed authentications come from ${this.#source}: if that is a reverse proxy, name it in gateway.trustedProxies, or its clients count as one`,
      ),
    );
  }

  /** How long the failure locks its client, in milliseconds; 0: not at all. The last one within the limit does. */
  async #increment(key: string, budget: AuthFailuresOptions): Promise<number> {
    const [ttl, blockDuration] = [budget.windowSeconds * 1000, budget.lockSeconds * 1000];
    // A throttler blocks with the first one beyond its limit.
    const throttler = [ttl, budget.limit - 1, blockDuration, 'auth-failures'] as const;
    let record: FailureRecord;
    try {
      record = await (this.storage ?? this.#own).increment(key, ...throttler);
    } catch (error) {
      this.#warn(error);
      record = await this.#own.increment(key, ...throttler);
    }
    return record.isBlocked ? Math.max(1, record.timeToBlockExpire) * 1000 : 0;
  }

  #warn(error: unknown): void {
    const now = this.clock.elapsed();
    if (now - this.#warnedAt < WARN_EVERY_MS) return;
    this.#warnedAt = now;
    const name = error instanceof Error ? error.name : typeof error;
    this.#logger.warn(
      `the storage that counts failed authentications is unavailable (${name}): until it is back, each process counts its own`,
    );
  }

  get #budget(): AuthFailuresOptions {
    return this.settings.current.hooks.authFailures;
  }
}
