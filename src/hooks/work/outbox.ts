import { Injectable } from '@nestjs/common';
import { Clock, mainSession, newId } from '../ports/index.ts';
import type { CapabilityContract, Change, MessageOrder, RunOrder } from '../ports/index.ts';
import { isAcknowledgement } from './acknowledgement.ts';
import { Addressing } from './addressing.ts';
import { ChannelRegistry } from './channel-registry.ts';

/** What becomes of a reply: a message on its way, a delivery that ended at once, or nothing. */
export interface Dispatch {
  readonly changes: readonly Change[];
  /** True: the rest of the run's effects can wait for how the delivery ends. */
  readonly isUnderWay: boolean;
}

/** What happens when the message has ended. */
type Aftermath = Pick<MessageOrder, 'summaryIfUndelivered' | 'wakeMode'>;

/** Puts replies on their way. */
@Injectable()
export class Outbox {
  constructor(
    private readonly addressing: Addressing,
    private readonly registry: ChannelRegistry,
    private readonly clock: Clock,
  ) {}

  /** Decides where the reply of a run goes; acknowledgements and empty replies go nowhere. */
  async reply(
    run: RunOrder,
    runId: string,
    text: string,
    ackMaxChars: number,
    aftermath: Aftermath,
  ): Promise<Dispatch> {
    if (run.deliver === null) return { changes: [], isUnderWay: false };
    const session = mainSession(run.agentId);
    const address = await this.addressing.find(run.deliver, session);
    const delivery = { type: 'delivery', id: newId(), eventId: run.eventId, runId } as const;
    const unsaid = silence(text, ackMaxChars);
    if (unsaid !== null || address === null) {
      const error = unsaid ?? 'no channel is configured';
      const { channel, to } = address ?? { channel: run.deliver.channel, to: null };
      return {
        changes: [{ ...delivery, channel, to, status: 'skipped', error }],
        isUnderWay: false,
      };
    }
    const { channel, to } = address;
    const order: MessageOrder = {
      v: 1,
      deliveryId: delivery.id,
      eventId: run.eventId,
      channel,
      to,
      text,
      runId,
      agentId: run.agentId,
      becomesLastRoute: run.deliver.toFrom === 'named',
      ...(run.deliver.allowLinks === true && { allowLinks: true }),
      name: run.name,
      trust: run.trust,
      ...aftermath,
    };
    return {
      changes: [{ ...delivery, channel, to, status: 'pending' }, this.#send(order)],
      isUnderWay: true,
    };
  }

  /** The reply to a heartbeat goes where its contract says: to a named channel, or where the main session last spoke. It belongs to no event. */
  async heartbeatReply(
    agentId: string,
    text: string,
    ackMaxChars: number,
    { trust: level, mayDeliverTo }: CapabilityContract,
  ): Promise<readonly Change[]> {
    if (mayDeliverTo === null) return [];
    const route = await this.addressing.ofHeartbeat(mayDeliverTo, mainSession(agentId));
    if (route === null || silence(text, ackMaxChars) !== null) return [];
    const order: MessageOrder = {
      v: 1,
      deliveryId: newId(),
      eventId: null,
      ...route,
      text,
      runId: null,
      agentId,
      becomesLastRoute: false,
      name: 'Heartbeat',
      wakeMode: 'none',
      trust: { level, verifiedBy: 'none' },
    };
    return [this.#send(order)];
  }

  #send(order: MessageOrder): Change {
    return {
      type: 'work',
      work: {
        lane: 'delivery',
        // What one account sends to one recipient is one line, by whatever channel it goes.
        key: `${this.registry.accountOf(order.channel)} ${order.to ?? ''}`,
        kind: 'delivery',
        ref: order.deliveryId,
        ...(order.eventId !== null && { eventId: order.eventId }),
        dueAt: this.clock.now(),
        order,
      },
    };
  }
}

function silence(text: string, ackMaxChars: number): string | null {
  if (text.trim() === '') return 'the reply is empty';
  if (isAcknowledgement(text, ackMaxChars)) return 'the reply is a heartbeat acknowledgement';
  return null;
}
