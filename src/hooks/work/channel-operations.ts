import { Injectable } from '@nestjs/common';
import { CHANNEL_IDS, Clock, DeliveryError, newId } from '../ports/index.ts';
import type { ChannelId, DeliveryFailure } from '../ports/index.ts';
import { ChannelHealth } from './channel-health.ts';
import { ChannelRegistry } from './channel-registry.ts';
import { send } from './sending.ts';

const TEST_TEXT =
  'This is a test message of your webhook gateway. If you can read it, this channel works.';

/** One channel as an operator sees it. Times are ISO 8601 in UTC; what happened is known since the service started. */
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

/** What operators ask of the channels. */
@Injectable()
export class ChannelOperations {
  readonly #never = new AbortController().signal;

  constructor(
    private readonly registry: ChannelRegistry,
    private readonly health: ChannelHealth,
    private readonly clock: Clock,
  ) {}

  /** The channels that are configured, in their order. */
  list(): readonly ChannelReport[] {
    return this.registry.ids.map((id) => this.#report(id));
  }

  /**
   * Sends a test message past the outbox, at once and once.
   * @param to default: the channel's own recipient.
   * @returns null for a channel that is not configured.
   * @throws DeliveryError why it was not sent.
   */
  async test(id: string, to: string | undefined): Promise<{ messageId?: string } | null> {
    const channel = CHANNEL_IDS.find((known) => known === id);
    const binding = channel === undefined ? null : this.registry.binding(channel);
    if (channel === undefined || binding === null) return null;
    const recipient = to ?? binding.to;
    if (recipient === undefined) {
      throw new DeliveryError(`no recipient; name "to", or set channels.${id}.to`, 'permanent');
    }
    const [text = TEST_TEXT] = binding.provider.parts(TEST_TEXT);
    try {
      const message = { to: recipient, text, idempotencyKey: newId() };
      const sent = await send(binding.provider, message, this.clock, this.#never);
      this.health.succeeded(channel);
      return sent;
    } catch (error) {
      if (error instanceof DeliveryError) this.health.failed(channel, error);
      throw error;
    }
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
      provider: this.registry.get(id)?.provider ?? '',
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
