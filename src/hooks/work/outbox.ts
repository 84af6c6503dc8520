import { Injectable } from '@nestjs/common';
import { Clock, Sessions, mainSession } from '../ports/index.ts';
import { newId } from '../../platform/new-id.ts';
import type {
  CapabilityContract,
  Change,
  ChannelId,
  DeliveryJob,
  DeliveryTarget,
  Destination,
  NewWork,
  RunJob,
} from '../ports/index.ts';
import { ChannelRegistry } from './channels.ts';

/** Serves `last` before the main session has spoken anywhere. */
const FALLBACK_CHANNEL: ChannelId = 'chan_1';

/** Where a reply goes. Without a recipient the delivery fails, and says so. */
interface Address {
  readonly channel: ChannelId;
  readonly to: string | null;
}

/** What becomes of a reply: a message on its way, a delivery that ended at once, or nothing. */
export interface Dispatch {
  readonly changes: readonly Change[];
  /** True: the rest of the run's effects can wait for how the delivery ends. */
  readonly isUnderWay: boolean;
}

/** Decides whether a reply is sent at all, and through which channel to whom (behaviour.md §5, §12). */
@Injectable()
export class Outbox {
  constructor(
    private readonly sessions: Sessions,
    private readonly channels: ChannelRegistry,
    private readonly clock: Clock,
  ) {}

  /**
   * The reply of a run: acknowledgements and empty replies go nowhere, and the run's record says why.
   * @param ackMaxChars `agents.defaults.heartbeat.ackMaxChars`
   * @param atEnd what happens when the message has ended.
   */
  async reply(
    run: RunJob,
    runId: string,
    text: string,
    ackMaxChars: number,
    atEnd: Pick<DeliveryJob, 'summaryIfUndelivered' | 'wakeMode'>,
  ): Promise<Dispatch> {
    const { deliver, agentId, eventId, name, trust } = run;
    if (deliver === null) return { changes: [], isUnderWay: false };
    const address = await this.#addressFor(deliver, mainSession(agentId));
    const delivery = { type: 'delivery', id: newId(), eventId, runId } as const;
    const notSent = reasonNotToSend(text, ackMaxChars);
    if (notSent !== null || address === null) {
      const error = notSent ?? 'no channel is configured';
      const { channel, to } = address ?? { channel: deliver.channel, to: null };
      const skipped = { ...delivery, channel, to, status: 'skipped', error } as const;
      return { changes: [skipped], isUnderWay: false };
    }
    const message = this.#send({
      v: 1,
      deliveryId: delivery.id,
      eventId,
      ...address,
      text,
      runId,
      agentId,
      becomesLastRoute: deliver.toFrom === 'named',
      ...(deliver.allowLinks === true && { allowLinks: true }),
      name,
      trust,
      ...atEnd,
    });
    return {
      changes: [{ ...delivery, ...address, status: 'pending' }, message],
      isUnderWay: true,
    };
  }

  /**
   * The reply to a heartbeat goes where its contract says: to a named channel, or where the main session last spoke. It
   * belongs to no event, so nothing is recorded of one that is not sent.
   */
  async heartbeatReply(
    agentId: string,
    text: string,
    ackMaxChars: number,
    { trust: level, mayDeliverTo }: CapabilityContract,
  ): Promise<readonly Change[]> {
    if (mayDeliverTo === null) return [];
    const address = await this.#heartbeatAddressFor(mayDeliverTo, mainSession(agentId));
    if (address === null || reasonNotToSend(text, ackMaxChars) !== null) return [];
    const message = this.#send({
      v: 1,
      deliveryId: newId(),
      eventId: null,
      ...address,
      text,
      runId: null,
      agentId,
      becomesLastRoute: false,
      name: 'Heartbeat',
      wakeMode: 'none',
      trust: { level, verifiedBy: 'none' },
    });
    return [message];
  }

  /**
   * The recipient is the first that is known: the one that was named, the channel's last one in this session, the
   * channel's configured one, and for `last` the session's last one.
   * @param session the main session of the agent that speaks.
   * @returns null when no channel was named and none is configured.
   */
  async #addressFor(target: DeliveryTarget, session: string): Promise<Address | null> {
    const isLast = target.channel === 'last';
    if (this.channels.isEmpty && isLast) return null;
    const { last, byChannel } = await this.sessions.routes(session);
    const channel =
      target.channel === 'last' ? (last?.channel ?? FALLBACK_CHANNEL) : target.channel;
    const lastRecipient = isLast ? last?.to : undefined;
    const known = byChannel[channel] ?? this.channels.defaultRecipient(channel) ?? lastRecipient;
    return { channel, to: target.to ?? known ?? null };
  }

  /** The channel that was named, or where the main session last spoke; null when it never did, or its channel is gone. */
  async #heartbeatAddressFor(
    { channel, to }: Destination,
    session: string,
  ): Promise<Address | null> {
    if (channel !== 'last') return this.#addressFor({ channel, to, toFrom: 'named' }, session);
    const { last } = await this.sessions.routes(session);
    if (last === null || this.channels.get(last.channel) === null) return null;
    return { channel: last.channel, to: to ?? last.to };
  }

  #send(job: DeliveryJob): Change {
    const work = deliveryWork(job, this.channels.accountOf(job.channel), this.clock.now());
    return { type: 'work', work };
  }
}

/** What one account sends to one recipient is one line, by whatever channel it goes. */
export function deliveryWork(job: DeliveryJob, account: ChannelId, dueAt: number): NewWork {
  return {
    lane: 'delivery',
    key: `${account} ${job.to ?? ''}`,
    kind: 'delivery',
    ref: job.deliveryId,
    ...(job.eventId !== null && { eventId: job.eventId }),
    dueAt,
    job,
  };
}

function reasonNotToSend(text: string, ackMaxChars: number): string | null {
  if (text.trim() === '') return 'the reply is empty';
  if (isAcknowledgement(text, ackMaxChars)) return 'the reply is a heartbeat acknowledgement';
  return null;
}

const TOKEN_AT_START = /^HEARTBEAT_OK\b/;
const TOKEN_AT_END = /\bHEARTBEAT_OK$/;

/** A reply that only says "seen": HEARTBEAT_OK at its start or end, and at most `maxOtherChars` other characters. */
function isAcknowledgement(reply: string, maxOtherChars: number): boolean {
  const text = reply.trim();
  const token = [TOKEN_AT_START, TOKEN_AT_END].find((place) => place.test(text));
  return token !== undefined && text.replace(token, '').trim().length <= maxOtherChars;
}
