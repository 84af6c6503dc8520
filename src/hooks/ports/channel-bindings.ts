import type { Channel, ChannelId } from './channel.ts';

/** One channel of the gateway. */
export interface ChannelBinding {
  /** One object on several channels is one account of its platform: they share its rate limits, and the order per recipient. */
  readonly provider: Channel;
  /** Recipient when nobody named one and the channel has none to remember. */
  readonly to?: string;
  /**
   * What to do when nobody can tell whether a message arrived, and the platform knows no idempotency keys: `retry` may
   * show it twice, `stop` may lose it. @default 'retry'
   */
  readonly onUnknown?: 'retry' | 'stop';
}

/** The channels by id, and what they have in common. */
export interface ChannelBindings extends Readonly<Partial<Record<ChannelId, ChannelBinding>>> {
  /** How long a delivery is tried again, in hours from its acceptance, over 0 and at most 168. @default 24 */
  readonly retryHours?: number;
}

/** DI token of {@link ChannelBindings}. */
export const CHANNEL_BINDINGS = Symbol('CHANNEL_BINDINGS');
