import { DEFAULT_PROVIDERS, makeChannel } from '../adapters/channels/providers.ts';
import type { ChannelProviderName, ProviderSettings } from '../adapters/channels/providers.ts';
import { CHANNEL_IDS, resolveSection } from '../hooks/index.ts';
import type {
  Channel,
  ChannelBinding,
  ChannelBindings,
  ChannelId,
  Problem,
} from '../hooks/index.ts';
import { ChannelOptions, ChannelsOptions } from './channel-options.ts';

export type Bindings = ChannelBindings;
export { DEFAULT_PROVIDERS };

/** Connects the channels of the `channels` section with their platforms. Nothing is loaded or sent yet. */
export function bindChannels(section: unknown): { bindings: Bindings; problems: Problem[] } {
  const given = section ?? {};
  if (typeof given !== 'object' || Array.isArray(given)) {
    return { bindings: {}, problems: [{ key: 'channels', message: 'must be an object' }] };
  }
  const entries = Object.entries(given).filter(([id]) => id.startsWith('chan'));
  const rest = Object.entries(given).filter(([id]) => !id.startsWith('chan'));
  const common = resolveSection(ChannelsOptions, Object.fromEntries(rest), 'channels');
  const problems = [...common.problems];
  const bindings: Partial<Record<ChannelId, ChannelBinding>> = {};
  const accounts = new Accounts();
  for (const [id, entry] of entries) {
    if (isChannelId(id)) bindings[id] = bind(id, entry, accounts, problems);
    else problems.push(unknownChannel(id));
  }
  return { bindings: { ...bindings, retryHours: common.value.retryHours }, problems };
}

/** One channel object for all entries with the same settings, which share its account and its limits. */
class Accounts {
  readonly #made = new Map<string, Channel>();

  /** @throws Error what is wrong with the settings. */
  channel(name: ChannelProviderName, settings: ProviderSettings): Channel {
    const given = Object.entries(settings).filter(([, value]) => value !== undefined);
    const key = JSON.stringify([name, given.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
    const made = this.#made.get(key) ?? makeChannel(name, settings);
    this.#made.set(key, made);
    return made;
  }
}

function isChannelId(id: string): id is ChannelId {
  return CHANNEL_IDS.some((known) => known === id);
}

function unknownChannel(id: string): Problem {
  return { key: `channels.${id}`, message: 'is not a channel; use chan_1 to chan_8' };
}

function bind(
  id: ChannelId,
  entry: unknown,
  accounts: Accounts,
  problems: Problem[],
): ChannelBinding | undefined {
  const key = `channels.${id}`;
  const section = resolveSection(ChannelOptions, entry, key);
  if (section.problems.length > 0) {
    problems.push(...section.problems);
    return undefined;
  }
  const { provider: name = DEFAULT_PROVIDERS[id], to, onUnknown, ...settings } = section.value;
  try {
    const provider = accounts.channel(name, settings);
    const problem = to === undefined ? null : provider.expectedInsteadOf(to);
    if (problem === null) return { provider, to, onUnknown };
    problems.push({ key: `${key}.to`, message: `is no recipient of ${name}; expected ${problem}` });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    problems.push({ key, message: `cannot be used by ${name}: ${reason}` });
  }
  return undefined;
}
