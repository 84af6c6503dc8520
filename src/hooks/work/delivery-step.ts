import { Injectable } from '@nestjs/common';
import { Clock, DeliveryError } from '../ports/index.ts';
import type { ChannelBinding, DeliveryLease, MessageOrder, WorkPart } from '../ports/index.ts';
import { ChannelHealth } from './channel-health.ts';
import { ChannelRegistry } from './channel-registry.ts';
import { fatality } from './crashes.ts';
import { cutUp, delivered, givenUp, noteOf, postponed, progressed } from './delivery-end.ts';
import { plainParts } from './plain-parts.ts';
import { DELIVERY_RETRY, nextAttempt } from './retry-policy.ts';
import { send } from './sending.ts';
import type { Step, StepEnd } from './step.ts';

const LOST_ANSWER = 'the service ended while the message was being sent; it may have arrived';

/** Who sends, and to whom. */
interface Address {
  readonly binding: ChannelBinding;
  readonly to: string;
}

/** One part of a reply to one recipient, retried until it arrives or cannot; then the next part, until all are sent. */
@Injectable()
export class DeliveryStep implements Step<DeliveryLease> {
  constructor(
    private readonly registry: ChannelRegistry,
    private readonly health: ChannelHealth,
    private readonly clock: Clock,
  ) {}

  /** The channels that rest, by the first word of their keys, and until when: what was not begun waits in the ledger. */
  get resting(): Readonly<Record<string, number>> {
    return this.health.resting;
  }

  async perform(lease: DeliveryLease, stop: AbortSignal): Promise<StepEnd> {
    const message = lease.order;
    const { channel } = message;
    const fatal = fatality(lease, 'delivery');
    if (fatal !== null) return this.giveUp(lease, fatal, 'unknown');
    const binding = this.registry.binding(channel);
    try {
      const address = this.#address(message, binding);
      const texts = lease.part === undefined ? textsOf(message, address.binding) : [];
      if (texts.length > 1) return cutUp(lease, texts);
      if (lease.crashes > 0 && stopsWhenUnknown(binding)) {
        return this.giveUp(lease, LOST_ANSWER, 'unknown');
      }
      const pausedUntil = this.health.pausedUntil(channel);
      if (pausedUntil !== null) return postponed(pausedUntil);
      const part = lease.part ?? { text: texts[0] ?? '', place: 1, count: 1 };
      return await this.#send(lease, address, part, stop);
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      return this.#failed(lease, binding, error);
    }
  }

  giveUp(lease: DeliveryLease, error: string, status: 'dead' | 'unknown' = 'dead'): StepEnd {
    return givenUp(lease, error, status, this.clock.now());
  }

  async #send(
    lease: DeliveryLease,
    { binding, to }: Address,
    { text, place, count }: WorkPart,
    stop: AbortSignal,
  ): Promise<StepEnd> {
    const { deliveryId, channel } = lease.order;
    if (stop.aborted) return postponed(this.clock.now());
    const idempotencyKey = count === 1 ? deliveryId : `${deliveryId}:${place}`;
    try {
      const outgoing = { to, text, idempotencyKey };
      const { messageId } = await send(binding.provider, outgoing, this.clock, stop);
      this.health.succeeded(channel);
      if (place < count) return progressed(lease, messageId);
      return delivered(lease, to, place === 1 ? messageId : undefined, this.clock.now());
    } catch (error) {
      if (stop.aborted) return this.#interrupted(lease, binding);
      if (error instanceof DeliveryError) this.health.failed(channel, error);
      throw error;
    }
  }

  /** @throws DeliveryError when there is no provider or no recipient. */
  #address(message: MessageOrder, binding: ChannelBinding | null): Address {
    const { channel } = message;
    if (binding === null) {
      const reason = `${channel} has no provider; configure channels.${channel}`;
      throw new DeliveryError(reason, 'permanent');
    }
    const to = message.to ?? binding.to;
    if (to === undefined) {
      const reason = `no recipient; name "to", or set channels.${channel}.to`;
      throw new DeliveryError(reason, 'permanent');
    }
    return { binding, to };
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

/** @throws DeliveryError when there is no text. */
function textsOf(message: MessageOrder, { provider }: ChannelBinding): readonly string[] {
  const { text, trust, allowLinks } = message;
  const showsLinks = trust.level === 'trusted' || allowLinks === true;
  const texts = showsLinks ? provider.parts(text) : plainParts(provider, text);
  if (texts.length === 0) throw new DeliveryError('there is no text to send', 'permanent');
  return texts;
}

/** Whether a message that may have arrived is not sent again: never on platforms that know it when they see it twice. */
function stopsWhenUnknown(binding: ChannelBinding | null): boolean {
  return binding !== null && !binding.provider.knowsKeys && binding.onUnknown === 'stop';
}
