import { channelProviders } from '../adapters/channels/providers.ts';
import type { ChannelFactory } from '../adapters/channels/providers.ts';
import { CHANNEL_IDS, resolveSection } from '../hooks/index.ts';
import type { ChannelBinding, ChannelId, Problem } from '../hooks/index.ts';
import { ChannelOptions } from './channel-options.ts';

export type Bindings = Partial<Record<ChannelId, ChannelBinding>>;

/** Connects the channels of the `channels` section with their platforms. Nothing is sent yet. */
export function bindChannels(section: unknown): { bindings: Bindings; problems: Problem[] } {
  const bindings: Bindings = {};
  const problems: Problem[] = [];
  const given = section ?? {};
  if (typeof given !== 'object' || Array.isArray(given)) {
    return { bindings, problems: [{ key: 'channels', message: 'must be an object' }] };
  }
  for (const [id, entry] of Object.entries(given)) {
    if (isChannelId(id)) bindings[id] = bind(id, entry, problems);
    else problems.push(unknownChannel(id));
  }
  return { bindings, problems };
}

function isChannelId(id: string): id is ChannelId {
  return CHANNEL_IDS.some((known) => known === id);
}

function unknownChannel(id: string): Problem {
  return { key: `channels.${id}`, message: 'is not a channel; use chan_1 to chan_8' };
}

function bind(id: ChannelId, entry: unknown, problems: Problem[]): ChannelBinding | undefined {
  const key = `channels.${id}`;
  const section = resolveSection(ChannelOptions, entry, key);
  if (section.problems.length > 0) {
    problems.push(...section.problems);
    return undefined;
  }
  const { provider, to, ...settings } = section.value;
  const make: ChannelFactory = channelProviders[provider];
  try {
    return { provider: make(settings), ...(to !== undefined && { to }) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    problems.push({ key, message: `cannot be used by ${provider}: ${reason}` });
    return undefined;
  }
}
