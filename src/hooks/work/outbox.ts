import { Injectable } from '@nestjs/common';
import {
  Clock,
  Recipients,
  Sessions,
  deliveryWork,
  mainSession,
  whyNowhere,
} from '../ports/index.ts';
import { newId } from '../../platform/new-id.ts';
import { activeTrace } from '../../platform/tracing.ts';
import type {
  CapabilityContract,
  Change,
  DeliveryJob,
  Destination,
  MessageAddress,
  RunJob,
} from '../ports/index.ts';
import { messageOf } from './acknowledgement.ts';
import { ChannelDelivery } from './channel-delivery.ts';

export interface Dispatch {
  readonly changes: readonly Change[];
  /** Absent: nothing was to be delivered. */
  readonly deliveryId?: string;
  /** True: the rest of the run's effects can wait for how the delivery ends. */
  readonly isUnderWay: boolean;
}

/** Decides whether a reply is sent at all, and through which channel to whom (behaviour.md §5, §12). */
@Injectable()
export class Outbox {
  constructor(
    private readonly addresses: Recipients,
    private readonly sessions: Sessions,
    private readonly channels: ChannelDelivery,
    private readonly clock: Clock,
  ) {}

  /** @param summaryIfUndelivered what the main session is shown if the message does not arrive */
  async reply(
    run: RunJob,
    runId: string,
    text: string,
    summaryIfUndelivered: string | undefined,
  ): Promise<Dispatch> {
    const { deliver, agentId, eventId, name, trust, wakeMode, trace, approve, round = 0 } = run;
    if (deliver === null) return { changes: [], isUnderWay: false };
    const address = await this.addresses.find(deliver, mainSession(agentId));
    const deliveryId = newId();
    const { channel, to } = address ?? { channel: deliver.channel, to: null };
    const delivery = { type: 'delivery', id: deliveryId, eventId, runId, channel, to } as const;
    const message = messageOf(text, 0);
    if (address === null || message.reason !== undefined) {
      const error = message.reason ?? whyNowhere(deliver);
      return {
        changes: [{ ...delivery, status: 'skipped', error }],
        deliveryId,
        isUnderWay: false,
      };
    }
    const sending = this.#send({
      v: 1,
      deliveryId,
      eventId,
      channel: address.channel,
      to,
      text: message.text,
      runId,
      // A person who let it begin has ended the row.
      round: approve?.run === true ? 1 : round + 1,
      agentId,
      becomesLastRoute: address.isLiteral,
      ...(deliver.allowLinks === true && { allowLinks: true }),
      ...(deliver.isUrgent === true && { isUrgent: true }),
      name,
      trust,
      wakeMode,
      ...(summaryIfUndelivered !== undefined && { summaryIfUndelivered }),
      ...(trace !== undefined && { trace }),
    });
    return { changes: [{ ...delivery, status: 'pending' }, sending], deliveryId, isUnderWay: true };
  }

  /** Of one that is not sent nothing is recorded. @param ackMaxChars `agents.defaults.heartbeat.ackMaxChars` */
  async heartbeatReply(
    agentId: string,
    text: string,
    ackMaxChars: number,
    { trust: level, mayDeliverTo }: CapabilityContract,
  ): Promise<readonly Change[]> {
    if (mayDeliverTo === null) return [];
    const message = messageOf(text, ackMaxChars);
    if (message.reason !== undefined) return [];
    const address = await this.#heartbeatAddressFor(mayDeliverTo, mainSession(agentId));
    if (address === null) return [];
    const sending = this.#send({
      v: 1,
      deliveryId: newId(),
      eventId: null,
      channel: address.channel,
      to: address.to,
      text: message.text,
      runId: null,
      agentId,
      becomesLastRoute: false,
      name: 'Heartbeat',
      wakeMode: 'none',
      trust: { level, verifiedBy: 'none' },
    });
    return [sending];
  }

  /** With `last` exactly where the main session last spoke; else as of any reply, but nowhere it could not be heard. */
  async #heartbeatAddressFor(
    target: Destination,
    session: string,
  ): Promise<Pick<MessageAddress, 'channel' | 'to'> | null> {
    if (target.channel !== 'last') return this.addresses.find(target, session);
    const { last } = await this.sessions.routes(session);
    if (last !== null && this.channels.get(last.channel) !== null) {
      return { channel: last.channel, to: target.to ?? last.to };
    }
    const address = await this.addresses.find(target, session);
    const canReach = address?.to != null && this.channels.get(address.channel) !== null;
    return canReach ? address : null;
  }

  #send(reply: DeliveryJob): Change {
    const trace = activeTrace() ?? reply.trace;
    const job = { ...reply, ...(trace !== undefined && { trace }) };
    const work = deliveryWork(job, this.channels.accountOf(job.channel), this.clock.now());
    return { type: 'work', work };
  }
}
