import { Injectable } from '@nestjs/common';
import { backoffMs } from '../../platform/time.ts';
import { CHANNEL_IDS, Clock, DeliveryError } from '../ports/index.ts';
import { newId } from '../../platform/new-id.ts';
import type { ChannelId, DeliveryFailure } from '../ports/index.ts';
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

const TEST_TEXT =
  'This is a test message of your webhook gateway. If you can read it, this channel works.';

/**
 * One channel as an operator sees it. Times are ISO 8601 in UTC; what happened is known since the service started.
 * @publicApi
 */
export interface ChannelReport {
  readonly id: ChannelId;
  /** Name of the platform. */
  readonly provider: string;
  /**
   * `untried`: nothing was sent since the start. `working`: the last message was taken. `failing`: it was not.
   * `paused`: the platform asked to send more slowly, see `pausedUntil`.
   */
  readonly state: 'untried' | 'working' | 'failing' | 'paused';
  readonly pausedUntil: string | null;
  readonly lastSuccessAt: string | null;
  readonly lastError: {
    readonly at: string;
    readonly kind: DeliveryFailure;
    readonly message: string;
  } | null;
}

/**
 * What operators ask of the channels: how they fare, and a test message.
 * @publicApi
 */
@Injectable()
export class ChannelOperations {
  readonly #never = new AbortController().signal;

  constructor(
    private readonly channels: ChannelRegistry,
    private readonly health: ChannelHealth,
  ) {}

  /** The channels that are configured, in their order. */
  list(): readonly ChannelReport[] {
    return this.channels.ids.map((id) => this.#report(id));
  }

  /**
   * Sends a test message past the outbox, at once and once.
   * @param to default: the channel's own recipient.
   * @returns null for a channel that is not configured; `accepted` as in `DeliveryStatus`.
   * @throws DeliveryError why it was not sent.
   */
  async test(
    id: string,
    to: string | undefined,
  ): Promise<{ status: 'delivered' | 'accepted'; messageId?: string } | null> {
    const channel = CHANNEL_IDS.find((known) => known === id);
    const binding = channel === undefined ? null : this.channels.binding(channel);
    if (channel === undefined || binding === null) return null;
    const recipient = to ?? binding.to;
    if (recipient === undefined) {
      throw new DeliveryError(`no recipient; name "to", or set channels.${id}.to`, 'permanent');
    }
    const [text = TEST_TEXT] = binding.provider.parts(TEST_TEXT);
    try {
      const message = { to: recipient, text, idempotencyKey: newId() };
      const sent = await this.channels.send(binding.provider, message, this.#never);
      this.health.succeeded(channel);
      return { ...sent, status: binding.provider.onlyAccepts ? 'accepted' : 'delivered' };
    } catch (error) {
      if (error instanceof DeliveryError) this.health.failed(channel, error);
      throw error;
    }
  }

  /** What a recipient of the channel looks like, if this is none; null: it is one, or the channel is not configured. */
  expectedInsteadOf(id: ChannelId, to: string): string | null {
    return this.channels.get(id)?.expectedInsteadOf(to) ?? null;
  }

  #report(id: ChannelId): ChannelReport {
    const lastSuccessAt = this.health.lastSuccessAt(id);
    const error = this.health.lastError(id);
    const pausedUntil = this.health.pausedUntil(id);
    // A recipient that cannot be reached says nothing about the channel.
    const isFailing =
      error !== null && error.kind !== 'permanent' && error.at > (lastSuccessAt ?? 0);
    const tried = lastSuccessAt === null && error === null ? 'untried' : 'working';
    return {
      id,
      provider: this.channels.get(id)?.provider ?? '',
      state: pausedUntil !== null ? 'paused' : isFailing ? 'failing' : tried,
      pausedUntil: isoTime(pausedUntil),
      lastSuccessAt: isoTime(lastSuccessAt),
      lastError: error === null ? null : { ...error, at: new Date(error.at).toISOString() },
    };
  }
}

function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
