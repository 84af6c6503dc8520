import { Injectable } from '@nestjs/common';
import { Clock, DeliveryError } from '../ports/index.ts';
import type { ChannelBinding, DeliveryLease, MessageOrder } from '../ports/index.ts';
import { ChannelHealth } from './channel-health.ts';
import { ChannelRegistry } from './channel-registry.ts';
import { fatality } from './crashes.ts';
import { delivered, givenUp, noteOf, postponed, progressed } from './delivery-end.ts';
import { plainParts } from './plain-parts.ts';
import { DELIVERY_RETRY, nextAttempt } from './retry-policy.ts';
import { send } from './sending.ts';
import type { Step, StepEnd } from './step.ts';

const LOST_ANSWER = 'the service ended while the message was being sent; it may have arrived';

/** A message that can be sent: by whom, to whom, in which parts. */
interface Sendable {
  readonly binding: ChannelBinding;
  readonly to: string;
  readonly parts: readonly string[];
}

/** One part of a reply to one recipient, retried until it arrives or cannot; then the next part, until all are sent. */
@Injectable()
export class DeliveryStep implements Step<DeliveryLease> {
  constructor(
    private readonly registry: ChannelRegistry,
    private readonly health: ChannelHealth,
    private readonly clock: Clock,
  ) {}

  async perform(lease: DeliveryLease, stop: AbortSignal): Promise<StepEnd> {
    const message = lease.order;
    const { channel } = message;
    const fatal = fatality(lease, 'delivery');
    if (fatal !== null) return this.giveUp(lease, fatal, 'unknown');
    const binding = this.registry.binding(channel);
    if (lease.crashes > 0 && stopsWhenUnknown(binding)) {
      return this.giveUp(lease, LOST_ANSWER, 'unknown');
    }
    const pausedUntil = this.health.pausedUntil(channel);
    if (pausedUntil !== null) return postponed(pausedUntil);
    try {
      return await this.#send(lease, this.#sendable(message, binding), stop);
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      return this.#failed(lease, binding, error);
    }
  }

  giveUp(lease: DeliveryLease, error: string, status: 'dead' | 'unknown' = 'dead'): StepEnd {
    return givenUp(lease, error, status, this.clock.now());
  }

  async #send(lease: DeliveryLease, sendable: Sendable, stop: AbortSignal): Promise<StepEnd> {
    const { deliveryId, channel, partsSent = 0 } = lease.order;
    const { binding, to, parts } = sendable;
    if (stop.aborted) return postponed(this.clock.now());
    const text = parts[partsSent] ?? '';
    const idempotencyKey = parts.length === 1 ? deliveryId : `${deliveryId}:${partsSent + 1}`;
    try {
      const outgoing = { to, text, idempotencyKey };
      const { messageId } = await send(binding.provider, outgoing, this.clock, stop);
      this.health.succeeded(channel);
      if (partsSent + 1 < parts.length) return progressed(lease, parts, messageId);
      return delivered(lease, to, partsSent === 0 ? messageId : undefined, this.clock.now());
    } catch (error) {
      if (stop.aborted) return this.#interrupted(lease, binding);
      if (error instanceof DeliveryError) this.health.failed(channel, error);
      throw error;
    }
  }

  /** @throws DeliveryError when there is no provider, no recipient or no text. */
  #sendable(message: MessageOrder, binding: ChannelBinding | null): Sendable {
    const { channel, text } = message;
    if (binding === null) {
      const reason = `${channel} has no provider; configure channels.${channel}`;
      throw new DeliveryError(reason, 'permanent');
    }
    const to = message.to ?? binding.to;
    if (to === undefined) {
      const reason = `no recipient; name "to", or set channels.${channel}.to`;
      throw new DeliveryError(reason, 'permanent');
    }
    const showsLinks = message.trust.level === 'trusted' || message.allowLinks === true;
    const { provider } = binding;
    const parts = message.parts ?? (showsLinks ? provider.parts(text) : plainParts(provider, text));
    if (parts.length === 0) throw new DeliveryError('there is no text to send', 'permanent');
    return { binding, to, parts };
  }

  /** Whether the platform took it cannot be known; the story says that the attempt was cut off. */
  #interrupted(lease: DeliveryLease, binding: ChannelBinding): StepEnd {
    if (stopsWhenUnknown(binding)) return this.giveUp(lease, LOST_ANSWER, 'unknown');
    const at = this.clock.now();
    const attempt = noteOf(lease, at, 'unknown', LOST_ANSWER);
    return {
      end: { type: 'retry', at, interrupted: true },
      changes: [{ type: 'delivery-update', id: lease.order.deliveryId, attempt }],
    };
  }

  #failed(lease: DeliveryLease, binding: ChannelBinding | null, error: DeliveryError): StepEnd {
    const { kind, message, retryAfterMs } = error;
    if (kind === 'permanent' || kind === 'auth') return this.giveUp(lease, message);
    const isUnknown = kind === 'unknown';
    if (isUnknown && stopsWhenUnknown(binding)) return this.giveUp(lease, message, 'unknown');
    const policy = { ...DELIVERY_RETRY, maxAgeMs: this.registry.retryMs };
    const at = this.clock.now();
    const end = nextAttempt(policy, lease, at, retryAfterMs);
    if (end.type !== 'retry') return this.giveUp(lease, message, isUnknown ? 'unknown' : 'dead');
    const attempt = noteOf(lease, at, isUnknown ? 'unknown' : 'retry', message);
    const { deliveryId: id } = lease.order;
    return { end, changes: [{ type: 'delivery-update', id, error: message, attempt }] };
  }
}

/** Whether a message that may have arrived is not sent again: never on platforms that know it when they see it twice. */
function stopsWhenUnknown(binding: ChannelBinding | null): boolean {
  return binding !== null && !binding.provider.knowsKeys && binding.onUnknown === 'stop';
}
