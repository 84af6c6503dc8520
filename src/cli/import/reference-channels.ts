import { DEFAULT_PROVIDERS } from '../../standalone/channel-bindings.ts';
import { isSections } from '../../standalone/json5-document.ts';

/** Names that the reference has for a platform besides ours. */
const OTHER_NAMES: Readonly<Record<string, string>> = { bluebubbles: 'imessage' };

/**
 * Our channel for a channel of the reference, which is named by its platform.
 * @param channels the `channels` section that is there: it may have bound the platform to another number.
 * @returns undefined when no channel of ours can serve the platform.
 */
export function carriedChannel(name: string, channels: unknown): string | undefined {
  const folded = name.trim().toLowerCase();
  if (folded === 'last') return 'last';
  const platform = OTHER_NAMES[folded] ?? folded;
  const bound = Object.entries(DEFAULT_PROVIDERS).map(([id, usual]) => {
    const entry = isSections(channels) ? channels[id] : undefined;
    const provider = isSections(entry) ? (entry['provider'] ?? usual) : usual;
    return { id, provider, isConfigured: isSections(entry) };
  });
  const serving = bound.filter(({ provider }) => provider === platform);
  return (serving.find(({ isConfigured }) => isConfigured) ?? serving[0])?.id;
}

/** A recipient without the prefixes that the reference takes before it, as in `channel:C012` or `telegram:123`. */
export function carriedRecipient(to: string, channel: string): string {
  const [, prefix = '', rest = ''] = /^([a-z]+):(.+)$/s.exec(to) ?? [];
  return prefix === 'channel' || prefix === channel.trim().toLowerCase() ? rest : to;
}
