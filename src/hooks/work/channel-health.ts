import { Injectable } from '@nestjs/common';
import { Clock } from '../ports/index.ts';
import type { ChannelId, DeliveryError, DeliveryFailure } from '../ports/index.ts';

const SECOND = 1000;
/** Longest rest when the platform says no time. */
const LONGEST_BACKOFF_MS = 60 * SECOND;

export interface ChannelFailure {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly kind: DeliveryFailure;
  readonly message: string;
}

interface Condition {
  lastSuccessAt: number | null;
  lastError: ChannelFailure | null;
  pausedUntil: number;
  /** Rate limits since the last success. */
  limits: number;
}

/** How the channels have fared since the service started, and which of them rest. In memory only. */
@Injectable()
export class ChannelHealth {
  readonly #conditions = new Map<ChannelId, Condition>();

  constructor(private readonly clock: Clock) {}

  succeeded(id: ChannelId): void {
    const condition = this.#of(id);
    condition.lastSuccessAt = this.clock.now();
    condition.limits = 0;
  }

  /** A rate limit makes the whole channel rest: as long as the platform asks, else longer each time. */
  failed(id: ChannelId, { kind, message, retryAfterMs }: DeliveryError): void {
    const condition = this.#of(id);
    const at = this.clock.now();
    condition.lastError = { at, kind, message };
    if (kind !== 'rate-limited') return;
    const backoff = Math.min(SECOND * 2 ** condition.limits, LONGEST_BACKOFF_MS);
    const pause = Math.ceil(retryAfterMs ?? backoff);
    // Several messages are under way at once: their refusals are one limit, not several.
    if (condition.pausedUntil <= at) condition.limits += 1;
    condition.pausedUntil = Math.max(condition.pausedUntil, at + pause);
  }

  /** When the channel goes on, in epoch milliseconds; null: it does not rest. */
  pausedUntil(id: ChannelId): number | null {
    const until = this.#conditions.get(id)?.pausedUntil ?? 0;
    return until > this.clock.now() ? until : null;
  }

  lastSuccessAt(id: ChannelId): number | null {
    return this.#conditions.get(id)?.lastSuccessAt ?? null;
  }

  lastError(id: ChannelId): ChannelFailure | null {
    return this.#conditions.get(id)?.lastError ?? null;
  }

  #of(id: ChannelId): Condition {
    const known = this.#conditions.get(id);
    if (known !== undefined) return known;
    const fresh = { lastSuccessAt: null, lastError: null, pausedUntil: 0, limits: 0 };
    this.#conditions.set(id, fresh);
    return fresh;
  }
}
