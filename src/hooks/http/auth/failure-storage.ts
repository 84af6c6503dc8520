import { createRequire } from 'node:module';
import '@nestjs/core';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { Clock } from '../../ports/index.ts';

// The only file that loads @nestjs/throttler. That is CommonJS and requires Nest, which is ES modules: imported, a
// host's Jest would run it while it still links Nest, and refuse ("Cannot require() ES Module … in a cycle").
// Required here it runs after Nest.
export const { getStorageToken }: typeof import('@nestjs/throttler') = createRequire(
  import.meta.url,
)('@nestjs/throttler');

/** What is under the throttler's token in a module of its own, for the ingress, which has nothing under that token. */
export const FAILURE_STORAGE = Symbol('storage of failed authentications');

/** What one failure came to; durations in whole seconds. */
export type FailureRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** Most keys remembered at once; beyond, those that failed longest ago are forgotten, half of them at a time. */
export const MAX_TRACKED_KEYS = 20_000;

interface Failures {
  readonly times: readonly number[];
  readonly lockedUntil: number;
}

const NONE: Failures = { times: [], lockedUntil: 0 };

/**
 * The throttler's storage contract in this process's memory: a sliding window per key, bounded however many addresses
 * knock. (The throttler's own keeps every key of the window.)
 */
export class BoundedFailureStorage implements ThrottlerStorage {
  readonly #failures = new BoundedMap<Failures>();

  constructor(private readonly clock: Clock) {}

  get size(): number {
    return this.#failures.size;
  }

  /**
   * Counts one failure, unless the key is blocked. The first one beyond `limit` within `ttl` ms blocks the key for
   * `blockDuration` ms; one that comes after a block has ended begins anew.
   */
  async increment(
    key: string,
    ttl: number,
    limit: number,
    blockDuration: number,
  ): Promise<FailureRecord> {
    const now = this.clock.elapsed();
    const known = this.#failures.get(key) ?? NONE;
    let { times, lockedUntil } = known;
    if (lockedUntil <= now) {
      const recent = lockedUntil > 0 ? [] : times.filter((time) => time > now - ttl);
      times = [...recent, now];
      lockedUntil = times.length > limit ? now + blockDuration : 0;
    }
    this.#failures.set(key, { times, lockedUntil });
    return {
      totalHits: times.length,
      timeToExpire: toSeconds(ttl),
      isBlocked: lockedUntil > now,
      timeToBlockExpire: toSeconds(lockedUntil - now),
    };
  }
}

/** A map that forgets: in two generations, since the oldest entry of a large Map is slow to find. */
export class BoundedMap<V> {
  #young = new Map<string, V>();
  #old = new Map<string, V>();

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(key: string): V | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  set(key: string, value: V): void {
    this.#old.delete(key);
    this.#young.set(key, value);
    if (this.#young.size < MAX_TRACKED_KEYS / 2) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }
}

export function toSeconds(ms: number): number {
  return ms <= 0 ? 0 : Math.ceil(ms / 1000);
}
