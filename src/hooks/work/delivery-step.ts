import { Injectable } from '@nestjs/common';
import { Clock, DeliveryError, immediateHeartbeat, mainSession } from '../ports/index.ts';
import type { AttemptNote, Change, Channel, DeliveryLease, MessageOrder } from '../ports/index.ts';
import { ChannelRegistry } from './channel-registry.ts';
import { fatality } from './crashes.ts';
import { Deadline } from './deadline.ts';
import { DELIVERY_RETRY, nextAttempt } from './retry-policy.ts';
import type { Step, StepEnd } from './step.ts';
import { summaryOf } from './summary.ts';

/** Longest wait for a platform's answer. */
const SEND_TIMEOUT_MS = 30_000;

/** One reply to one recipient, retried until it arrives or cannot. */
@Injectable()
export class DeliveryStep implements Step<DeliveryLease> {
  constructor(
    private readonly registry: ChannelRegistry,
    private readonly clock: Clock,
  ) {}

  async perform(lease: DeliveryLease, stop: AbortSignal): Promise<StepEnd> {
    const message = lease.order;
    const fatal = fatality(lease, 'delivery');
    if (fatal !== null) return this.giveUp(lease, fatal, 'unknown');
    using deadline = new Deadline(this.clock, SEND_TIMEOUT_MS, stop);
    try {
      const { provider, to } = this.#receiver(message);
      const { text, deliveryId: idempotencyKey } = message;
      const { messageId } = await deadline.race((signal) =>
        provider.send({ to, text, idempotencyKey }, signal),
      );
      return this.#delivered(lease, to, messageId);
    } catch (error) {
      if (stop.aborted) return this.#interrupted(lease);
      const failure = deadline.hasPassed
        ? new DeliveryError(`no answer within ${SEND_TIMEOUT_MS / 1000} s`, 'retryable')
        : asDeliveryError(error);
      return this.#failed(lease, failure);
    }
  }

  /** @throws DeliveryError when there is no provider or no recipient. */
  #receiver({ channel, to: named }: MessageOrder): { provider: Channel; to: string } {
    const provider = this.registry.get(channel);
    if (provider === null) {
      const reason = `${channel} has no provider; configure channels.${channel}`;
      throw new DeliveryError(reason, 'permanent');
    }
    const to = named ?? this.registry.defaultRecipient(channel);
    if (to === null) {
      const reason = `no recipient; name "to", or set channels.${channel}.to`;
      throw new DeliveryError(reason, 'permanent');
    }
    return { provider, to };
  }

  #delivered(lease: DeliveryLease, to: string, messageId: string | undefined): StepEnd {
    const message = lease.order;
    const { deliveryId: id, channel } = message;
    const session = mainSession(message.agentId);
    const at = this.clock.now();
    const attempt: AttemptNote = { at, attempt: lease.attempt, outcome: 'delivered' };
    return {
      end: { type: 'done' },
      changes: [
        {
          type: 'delivery-update',
          id,
          status: 'delivered',
          error: null,
          attempt,
          messageId,
        },
        ...(message.becomesLastRoute ? [{ type: 'route', session, channel, to, at } as const] : []),
        ...this.#heartbeat(message),
      ],
    };
  }

  /** Whether the platform took it cannot be known; the story says that the attempt was cut off. */
  #interrupted(lease: DeliveryLease): StepEnd {
    const at = this.clock.now();
    const error = 'the service stopped while the message was being sent';
    const attempt: AttemptNote = { at, attempt: lease.attempt, outcome: 'interrupted', error };
    return {
      end: { type: 'retry', at, interrupted: true },
      changes: [{ type: 'delivery-update', id: lease.order.deliveryId, attempt }],
    };
  }

  #failed(lease: DeliveryLease, error: DeliveryError): StepEnd {
    const { deliveryId: id } = lease.order;
    const now = this.clock.now();
    if (error.kind === 'retryable' || error.kind === 'rate-limited') {
      const end = nextAttempt(DELIVERY_RETRY, lease, now, error.retryAfterMs);
      if (end.type === 'retry') {
        const { message: reason } = error;
        const attempt = {
          at: now,
          attempt: lease.attempt,
          outcome: 'retry',
          error: reason,
        } as const;
        return { end, changes: [{ type: 'delivery-update', id, error: reason, attempt }] };
      }
    }
    return this.giveUp(lease, error.message);
  }

  giveUp(lease: DeliveryLease, error: string, status: 'dead' | 'unknown' = 'dead'): StepEnd {
    const message = lease.order;
    const { deliveryId: id } = message;
    const at = this.clock.now();
    const attempt: AttemptNote = { at, attempt: lease.attempt, outcome: 'failed', error };
    return {
      end: { type: 'dead' },
      changes: [
        { type: 'delivery-update', id, status, error, attempt },
        ...this.#tellMainSession(message, error),
        ...this.#heartbeat(message),
      ],
    };
  }

  /** The summary that waited for the delivery, and why it was not made. */
  #tellMainSession(message: MessageOrder, reason: string): readonly Change[] {
    const { agentId, eventId, runId, name, summaryIfUndelivered: summary, trust } = message;
    const line = {
      type: 'system-event',
      session: mainSession(agentId),
      at: this.clock.now(),
      trust: { ...trust, level: 'untrusted', verifiedBy: 'none' },
      hook: name,
      eventId: eventId ?? undefined,
      asksHeartbeat: message.wakeMode === 'now',
    } as const;
    const why = { ...line, text: summaryOf(name, 'delivery', reason) };
    if (summary === undefined || runId === null) return [why];
    return [{ type: 'run-update', id: runId, summary }, { ...line, text: summary }, why];
  }

  #heartbeat({ wakeMode, agentId }: MessageOrder): readonly Change[] {
    if (wakeMode !== 'now') return [];
    return [{ type: 'work', work: immediateHeartbeat(agentId, this.clock.now()) }];
  }
}

function asDeliveryError(error: unknown): DeliveryError {
  if (error instanceof DeliveryError) return error;
  const kind = error instanceof Error ? error.name : typeof error;
  return new DeliveryError(`the channel failed without saying why (${kind})`, 'retryable');
}
