import { Injectable } from '@nestjs/common';
import { Clock } from '../ports/index.ts';
import type { ChannelId, DeliveryError, DeliveryFailure } from '../ports/index.ts';
import { ChannelRegistry } from './channel-registry.ts';

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
}

/** Of one account, whichever of its channels was limited. */
interface Rest {
  until: number;
  /** Rate limits since the last success. */
  limits: number;
}

/** How the channels have fared since the service started, and which of them rest. In memory only. */
@Injectable()
export class ChannelHealth {
  readonly #conditions = new Map<ChannelId, Condition>();
  readonly #rests = new Map<ChannelId, Rest>();

  constructor(
    private readonly registry: ChannelRegistry,
    private readonly clock: Clock,
  ) {}

  succeeded(id: ChannelId): void {
    this.#of(id).lastSuccessAt = this.clock.now();
    this.#restOf(id).limits = 0;
  }

  /** A rate limit makes the whole account rest: as long as the platform asks, else longer each time. */
  failed(id: ChannelId, { kind, message, retryAfterMs }: DeliveryError): void {
    const at = this.clock.now();
    this.#of(id).lastError = { at, kind, message };
    if (kind !== 'rate-limited') return;
    const rest = this.#restOf(id);
    const backoff = Math.min(SECOND * 2 ** rest.limits, LONGEST_BACKOFF_MS);
    const pause = Math.ceil(retryAfterMs ?? backoff);
    // Several messages are under way at once: their refusals are one limit, not several.
    if (rest.until <= at) rest.limits += 1;
    rest.until = Math.max(rest.until, at + pause);
  }

  /** When the channel goes on, in epoch milliseconds; null: it does not rest. */
  pausedUntil(id: ChannelId): number | null {
    const { until } = this.#restOf(id);
    return until > this.clock.now() ? until : null;
  }

  /** The accounts that rest, each by its first channel, and until when, in epoch milliseconds. */
  get resting(): Readonly<Record<string, number>> {
    const now = this.clock.now();
    const rests = Array.from(this.#rests, ([id, { until }]) => [id, until] as const);
    return Object.fromEntries(rests.filter(([, until]) => until > now));
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
    const fresh = { lastSuccessAt: null, lastError: null };
    this.#conditions.set(id, fresh);
    return fresh;
  }

  #restOf(id: ChannelId): Rest {
    const account = this.registry.accountOf(id);
    const known = this.#rests.get(account);
    if (known !== undefined) return known;
    const fresh = { until: 0, limits: 0 };
    this.#rests.set(account, fresh);
    return fresh;
  }
}
