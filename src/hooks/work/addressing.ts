import { Injectable } from '@nestjs/common';
import { Conversations } from '../ports/index.ts';
import type { ChannelId, DeliverOrder, Destination } from '../ports/index.ts';
import { ChannelRegistry } from './channel-registry.ts';

/** `last` without a last route. */
const FALLBACK_CHANNEL: ChannelId = 'chan_1';

/** Where a reply goes. Without a recipient the delivery fails, and says so. */
export interface Address {
  readonly channel: ChannelId;
  readonly to: string | null;
}

/** Decides channel and recipient of a reply (behaviour.md §5, §12). */
@Injectable()
export class Addressing {
  constructor(
    private readonly conversations: Conversations,
    private readonly registry: ChannelRegistry,
  ) {}

  /**
   * @param session the main session of the agent that speaks.
   * @returns null when nobody named a channel and none is configured.
   */
  async find(order: DeliverOrder, session: string): Promise<Address | null> {
    if (this.registry.isEmpty && order.channel === 'last') return null;
    const { last, byChannel } = await this.conversations.routes(session);
    const channel = order.channel === 'last' ? (last?.channel ?? FALLBACK_CHANNEL) : order.channel;
    const lastRecipient = order.channel === 'last' ? last?.to : undefined;
    const to =
      order.to ?? byChannel[channel] ?? this.registry.defaultRecipient(channel) ?? lastRecipient;
    return { channel, to: to ?? null };
  }

  /** The channel that was named, or where the main session last spoke; null when it never did, or its channel is gone. */
  async ofHeartbeat({ channel, to }: Destination, session: string): Promise<Address | null> {
    if (channel !== 'last') return this.find({ channel, to, toFrom: 'named' }, session);
    const { last } = await this.conversations.routes(session);
    if (last === null || this.registry.get(last.channel) === null) return null;
    return { channel: last.channel, to: to ?? last.to };
  }
}
