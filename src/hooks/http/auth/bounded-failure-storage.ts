import { Injectable } from '@nestjs/common';
import { Clock } from '../../ports/index.ts';
import { FailureStorage } from './failure-storage.ts';
import type { FailureRecord } from './failure-storage.ts';

/** Most clients remembered at once; beyond, those that failed longest ago are forgotten, half of them at a time. */
export const MAX_TRACKED_CLIENTS = 20_000;

interface Failures {
  /** When each failure within the window happened, oldest first. */
  times: number[];
  lockedUntil: number;
}

const NONE: Failures = { times: [], lockedUntil: 0 };

/**
 * Failures in this process's memory: a sliding window per client, bounded however many addresses knock.
 * Two generations instead of one list by age, since the oldest entry of a large Map is slow to find.
 */
@Injectable()
export class BoundedFailureStorage extends FailureStorage {
  #young = new Map<string, Failures>();
  #old = new Map<string, Failures>();
  /** After this moment nothing that is remembered matters any more. */
  #keepUntil = 0;

  constructor(private readonly clock: Clock) {
    super();
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  override get mayTrackAny(): boolean {
    if (this.size > 0 && this.#keepUntil <= this.clock.now()) {
      this.#young.clear();
      this.#old.clear();
    }
    return this.size > 0;
  }

  override async increment(
    key: string,
    ttl: number,
    limit: number,
    blockDuration: number,
  ): Promise<FailureRecord> {
    const now = this.clock.now();
    const known = this.mayTrackAny ? this.#get(key) : NONE;
    const isBlocked = known.lockedUntil > now;
    const failures = isBlocked ? known : counted(known, now, ttl, limit, blockDuration);
    this.#set(key, failures);
    this.#keepUntil = Math.max(this.#keepUntil, now + ttl, failures.lockedUntil);
    return {
      totalHits: failures.times.length,
      timeToExpire: seconds(ttl),
      isBlocked,
      timeToBlockExpire: seconds(failures.lockedUntil - now),
    };
  }

  override async lockedSeconds(key: string): Promise<number> {
    return seconds(this.#get(key).lockedUntil - this.clock.now());
  }

  override async clear(key: string): Promise<void> {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  #get(key: string): Failures {
    return this.#young.get(key) ?? this.#old.get(key) ?? NONE;
  }

  #set(key: string, failures: Failures): void {
    this.#old.delete(key);
    this.#young.set(key, failures);
    if (this.#young.size < MAX_TRACKED_CLIENTS / 2) return;
    this.#old = this.#young;
    this.#young = new Map();
  }
}

/** One failure more; one that came after a lock had ended begins anew. */
function counted(
  known: Failures,
  now: number,
  ttl: number,
  limit: number,
  blockDuration: number,
): Failures {
  const recent = known.lockedUntil > 0 ? [] : known.times.filter((time) => time > now - ttl);
  const times = [...recent, now];
  return { times, lockedUntil: times.length >= limit ? now + blockDuration : 0 };
}

function seconds(ms: number): number {
  return ms <= 0 ? 0 : Math.ceil(ms / 1000);
}
