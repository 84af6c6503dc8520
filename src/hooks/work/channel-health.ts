import { Injectable } from '@nestjs/common';
import { backoffMs } from '../../platform/time.ts';
import { Clock } from '../ports/index.ts';
import type { ChannelId, DeliveryError, DeliveryFailure } from '../ports/index.ts';
import { ChannelRegistry } from './channels.ts';

/** How long an account rests when its platform says no time. */
const REST = { firstMs: 1000, maxMs: 60_000 };

/** Why a channel did not take a message. */
export interface ChannelFailure {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly kind: DeliveryFailure;
  readonly message: string;
}

/** Of one channel, since the start. */
interface Condition {
  lastSuccessAt: number | null;
  lastError: ChannelFailure | null;
}

/** Of one account, whichever of its channels was limited. Nothing of it is sent before `until`. */
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
    private readonly channels: ChannelRegistry,
    private readonly clock: Clock,
  ) {}

  succeeded(id: ChannelId): void {
    this.#conditionOf(id).lastSuccessAt = this.clock.now();
    this.#restOf(id).limits = 0;
  }

  /** A rate limit makes the whole account rest: as long as the platform asks, else longer each time. */
  failed(id: ChannelId, { kind, message, retryAfterMs }: DeliveryError): void {
    const at = this.clock.now();
    this.#conditionOf(id).lastError = { at, kind, message };
    if (kind !== 'rate-limited') return;
    const now = this.clock.elapsed();
    const rest = this.#restOf(id);
    const pause = Math.ceil(retryAfterMs ?? backoffMs(REST, rest.limits));
    // Several messages are under way at once: their refusals are one limit, not several.
    if (rest.until <= now) rest.limits += 1;
    rest.until = Math.max(rest.until, now + pause);
  }

  /** When the channel goes on, in epoch milliseconds; null: it does not rest. */
  pausedUntil(id: ChannelId): number | null {
    const left = this.#restOf(id).until - this.clock.elapsed();
    return left > 0 ? this.clock.now() + left : null;
  }

  /** The accounts that rest, each by its first channel, and until when, in epoch milliseconds. */
  get resting(): Readonly<Record<string, number>> {
    const [now, elapsed] = [this.clock.now(), this.clock.elapsed()];
    const rests = Array.from(
      this.#rests,
      ([id, { until }]) => [id, now + until - elapsed] as const,
    );
    return Object.fromEntries(rests.filter(([, until]) => until > now));
  }

  lastSuccessAt(id: ChannelId): number | null {
    return this.#conditions.get(id)?.lastSuccessAt ?? null;
  }

  lastError(id: ChannelId): ChannelFailure | null {
    return this.#conditions.get(id)?.lastError ?? null;
  }

  #conditionOf(id: ChannelId): Condition {
    const known = this.#conditions.get(id);
    if (known !== undefined) return known;
    const fresh = { lastSuccessAt: null, lastError: null };
    this.#conditions.set(id, fresh);
    return fresh;
  }

  #restOf(id: ChannelId): Rest {
    const account = this.channels.accountOf(id);
    const known = this.#rests.get(account);
    if (known !== undefined) return known;
    const fresh = { until: 0, limits: 0 };
    this.#rests.set(account, fresh);
    return fresh;
  }
}
