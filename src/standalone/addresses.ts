import { publicUrl } from '../adapters/agents/model-providers.ts';
import { DEFAULT_PROVIDERS, addressOf } from '../adapters/channels/providers.ts';
import { CHANNEL_IDS, resolveSection } from '../hooks/index.ts';
import type { ResolvedHooksOptions } from '../hooks/index.ts';
import { ChannelOptions } from './channel-options.ts';
import { isSections } from './json5-document.ts';

/** A server that the configuration makes us ask. */
export interface Address {
  /** Key of the configuration that it comes from. */
  readonly key: string;
  /** What is there, as operators call it. */
  readonly name: string;
  readonly url: string;
}

/** Where the platforms of the channels are asked. The section has no problems. */
export function channelAddresses(section: unknown): Address[] {
  if (!isSections(section)) return [];
  return CHANNEL_IDS.filter((id) => section[id] !== undefined).flatMap((id) => {
    const { provider = DEFAULT_PROVIDERS[id], ...settings } = resolveSection(
      ChannelOptions,
      section[id],
      `channels.${id}`,
    ).value;
    const url = addressOf(provider, settings);
    return url === undefined ? [] : [{ key: `channels.${id}`, name: provider, url }];
  });
}

/** Where models and other gateways are asked. */
export function modelAddresses({ agents, models }: ResolvedHooksOptions): Address[] {
  const providers = [...models.providers].flatMap(([name, { type, baseUrl = publicUrl(type) }]) =>
    baseUrl === undefined ? [] : [{ key: `models.providers.${name}`, name, url: baseUrl }],
  );
  const runners = [
    { key: 'agents.defaults.runner', runner: agents.defaults.runner },
    ...agents.list.map(({ runner }, index) => ({ key: `agents.list[${index}].runner`, runner })),
  ];
  const gateways = runners.flatMap(({ key, runner }) =>
    runner?.baseUrl === undefined ? [] : [{ key, name: 'gateway', url: runner.baseUrl }],
  );
  return [...providers, ...gateways];
}
