import type { Channel } from '../../hooks/ports/channel.ts';
import { telegram } from './telegram.ts';

/** One entry of `channels` in the configuration: the provider's own settings, all of them text. */
export type ChannelSection = Readonly<Record<string, string | undefined>>;

/** Makes a channel of its settings. @throws Error naming the setting that is missing. */
export type ChannelFactory = (section: ChannelSection) => Channel;

/**
 * Every platform a channel can be bound to with `provider: "<name>"`. A new platform is one file and one row.
 * - `telegram`: `token` (required), `apiRoot`
 */
export const channelProviders = {
  telegram: (section) =>
    telegram({ token: required(section, 'token'), apiRoot: section['apiRoot'] }),
} satisfies Record<string, ChannelFactory>;

/** The names that `provider` may have. */
export type ChannelProviderName = keyof typeof channelProviders;

function required(section: ChannelSection, setting: string): string {
  const value = section[setting]?.trim();
  if (value === undefined || value === '') throw new Error(`${setting} is missing`);
  return value;
}
