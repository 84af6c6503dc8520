import { Injectable } from '@nestjs/common';
import { newId } from '../../platform/new-id.ts';
import { CHANNEL_IDS, DeliveryError } from '../ports/index.ts';
import type { ChannelId, DeliveryFailure } from '../ports/index.ts';
import { BackendHealth } from './backend-health.ts';
import type { RestingBackend } from './backend-health.ts';
import { ChannelHealth } from './channel-health.ts';
import { ChannelRegistry } from './channels.ts';

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
 * What operators ask about the services that work depends on: how the channels fare, which backends of agents cannot be
 * asked, and a test message. All of it is known since the start of this process; another instance knows its own.
 * @publicApi
 */
@Injectable()
export class ExternalServices {
  readonly #never = new AbortController().signal;

  constructor(
    private readonly registry: ChannelRegistry,
    private readonly health: ChannelHealth,
    private readonly agents: BackendHealth,
  ) {}

  /** The channels that are configured, in their order. */
  channels(): readonly ChannelReport[] {
    return this.registry.ids.map((id) => this.#report(id));
  }

  /**
   * The model providers, gateways and programs that no turn may ask now, the longest first. One whose rest is over, and
   * that no turn waits for, is left out.
   */
  backends(): readonly RestingBackend[] {
    return this.agents.list();
  }

  /**
   * Sends a test message past the outbox, at once and once.
   * @param to default: the channel's own recipient.
   * @returns null for a channel that is not configured; `accepted` as in `DeliveryStatus`.
   * @throws DeliveryError why it was not sent.
   */
  async testChannel(
    id: string,
    to: string | undefined,
  ): Promise<{ status: 'delivered' | 'accepted'; messageId?: string } | null> {
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
      const sent = await this.registry.send(binding.provider, message, this.#never);
      this.health.succeeded(channel);
      return { ...sent, status: binding.provider.onlyAccepts ? 'accepted' : 'delivered' };
    } catch (error) {
      if (error instanceof DeliveryError) this.health.failed(channel, error);
      throw error;
    }
  }

  /** What a recipient of the channel looks like, if this is none; null: it is one, or the channel is not configured. */
  expectedInsteadOf(id: ChannelId, to: string): string | null {
    return this.registry.get(id)?.expectedInsteadOf(to) ?? null;
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
