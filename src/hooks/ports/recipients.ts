import type { ChannelId } from './channel.ts';
import type { DeliveryTarget } from './jobs.ts';

/** Where a message goes. Without a recipient the delivery fails, and says so. */
export interface MessageAddress {
  readonly channel: ChannelId;
  /** The first channel of the same account; what one account sends to one recipient is one line. */
  readonly account: ChannelId;
  readonly to: string | null;
  /** The operator wrote the recipient: where the message arrives, the main session has spoken. */
  readonly isLiteral: boolean;
}

export function whyNowhere({ provider, to }: DeliveryTarget): string {
  if (provider === undefined) return 'no channel is configured';
  return to === undefined
    ? 'the payload does not say where it came from'
    : `no channel has the provider ${provider}`;
}

/** Decides through which channel and to whom a message goes (behaviour.md §5). */
export abstract class Recipients {
  /**
   * Where a reply goes. `last` is where the session last spoke, if that channel is there still, else the default
   * channel. The recipient is the first that is known: the named one, the channel's own, its last one in this session,
   * and for `last` the session's last one.
   * @param session the main session of the agent that speaks
   * @returns null where no such channel is there
   */
  abstract find(target: DeliveryTarget, session: string): Promise<MessageAddress | null>;

  /** Where an event came from. Null: the payload does not say it, or nobody speaks there. */
  abstract atSource(target: DeliveryTarget): MessageAddress | null;

  /** The channel that a message would go to and that nobody serves; null: it goes elsewhere, or there is none at all. */
  abstract unserved(target: DeliveryTarget, session: string): Promise<ChannelId | null>;

  abstract serves(provider: string): boolean;

  /** Whether a text that an event brings is a message of ours. @param provider of the channels that speak where it came from */
  abstract isOwn(provider: string, text: string): boolean;
}
