import type { Channel, ChannelId } from './channel.ts';

/** One channel of the gateway. */
export interface ChannelBinding {
  readonly provider: Channel;
  /** Recipient when nobody named one and the channel has none to remember. */
  readonly to?: string;
}

export type ChannelBindings = Readonly<Partial<Record<ChannelId, ChannelBinding>>>;

/** DI token of {@link ChannelBindings}. */
export const CHANNEL_BINDINGS = Symbol('CHANNEL_BINDINGS');
