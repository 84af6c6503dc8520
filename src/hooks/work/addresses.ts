import { Injectable } from '@nestjs/common';
import { Recipients, Sessions } from '../ports/index.ts';
import type { ChannelId, DeliveryTarget, MessageAddress } from '../ports/index.ts';
import { ChannelDelivery } from './channel-delivery.ts';

@Injectable()
export class Addresses extends Recipients {
  constructor(
    private readonly sessions: Sessions,
    private readonly channels: ChannelDelivery,
  ) {
    super();
  }

  async find(target: DeliveryTarget, session: string): Promise<MessageAddress | null> {
    if (target.provider !== undefined) return this.atSource(target);
    const { to, toFrom } = target;
    const isLast = target.channel === 'last';
    if (isLast && this.channels.isEmpty) return null;
    const { last, byChannel } = await this.sessions.routes(session);
    const route = isLast && last !== null && this.channels.get(last.channel) !== null ? last : null;
    const channel =
      target.channel === 'last' ? (route?.channel ?? this.channels.default) : target.channel;
    const account = this.channels.accountOf(channel);
    if (to !== undefined) return { channel, account, to, isLiteral: toFrom === 'mapping' };
    const configured = this.channels.defaultRecipient(channel);
    if (configured !== null) {
      const isLiteral = toFrom === undefined || toFrom === 'mapping';
      return { channel, account, to: configured, isLiteral };
    }
    const remembered = byChannel[channel] ?? route?.to ?? null;
    return { channel, account, to: remembered, isLiteral: false };
  }

  override atSource({ provider = '', channel: named, to }: DeliveryTarget): MessageAddress | null {
    const channel = this.channels.ofProvider(provider, named);
    if (channel === null || to === undefined) return null;
    return { channel, account: this.channels.accountOf(channel), to, isLiteral: false };
  }

  /** Asks for the session's routes only where the default channel could not be meant. */
  override async unserved(target: DeliveryTarget, session: string): Promise<ChannelId | null> {
    const isServed = (id: ChannelId): boolean => this.channels.get(id) !== null;
    if (target.channel !== 'last') return isServed(target.channel) ? null : target.channel;
    if (isServed(this.channels.default)) return null;
    const address = await this.find(target, session);
    return address === null || isServed(address.channel) ? null : address.channel;
  }

  override serves(provider: string): boolean {
    return this.channels.ofProvider(provider, 'last') !== null;
  }

  override isOwn(provider: string, text: string): boolean {
    return this.channels.isOwn(provider, text);
  }
}
