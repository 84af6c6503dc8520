import { readFile } from 'node:fs/promises';
import { getMetadataStorage } from 'class-validator';
import * as options from '../../src/hooks/options/index.ts';
import { MailAuthOptions, MailOAuth2Options, MailOptions } from '../../src/mail/index.ts';
import {
  ChannelOptions,
  ChannelTemplateOptions,
  ChannelsOptions,
} from '../../src/service/configuration/channels-section.ts';
import {
  GatewayAuthOptions,
  GatewayOptions,
  OpsOptions,
} from '../../src/service/configuration/sections.ts';
import {
  PostgresStoreOptions,
  SqliteStoreOptions,
  StoreOptions,
} from '../../src/service/configuration/store-section.ts';

/** Every options class, by the place in the configuration that it describes. */
const SECTIONS: readonly [string, new () => object][] = [
  ['gateway', GatewayOptions],
  ['gateway.auth', GatewayAuthOptions],
  ['hooks', options.HooksOptions],
  ['hooks.authFailures', options.AuthFailuresOptions],
  ['hooks.schemes.*', options.SchemeOptions],
  ['hooks.tokens[]', options.TokenOptions],
  ['hooks.endpoints', options.EndpointsOptions],
  ['hooks.mappings[]', options.MappingOptions],
  ['hooks.mappings[].match', options.MatchOptions],
  ['hooks.mappings[].verify', options.VerifyOptions],
  ['hooks.mappings[].verify.senders[]', options.SigningSenderOptions],
  ['hooks.mappings[].transform', options.TransformOptions],
  ['hooks.agentLimits', options.RunLimitsOptions],
  ['hooks.transformLimits', options.TransformLimitsOptions],
  ['hooks.mail', MailOptions],
  ['hooks.mail.auth', MailAuthOptions],
  ['hooks.mail.auth.oauth2', MailOAuth2Options],
  ['agents', options.AgentsOptions],
  ['agents.defaults', options.AgentDefaultsOptions],
  ['agents.defaults.heartbeat', options.HeartbeatOptions],
  ['agents.defaults.heartbeat.activeHours', options.ActiveHoursOptions],
  ['agents.list[]', options.AgentOptions],
  ['agents.list[].runner', options.RunnerOptions],
  ['agents.list[].tools', options.ToolOptions],
  ['agents.list[].tools.mcp.*', options.McpServerOptions],
  ['models', options.ModelsOptions],
  ['models.providers.*', options.ProviderOptions],
  ['channels', ChannelsOptions],
  ['channels.*', ChannelOptions],
  ['channels.*.template', ChannelTemplateOptions],
  ['store', StoreOptions],
  ['store.postgres', PostgresStoreOptions],
  ['store.sqlite', SqliteStoreOptions],
  ['ops', OpsOptions],
];

function keysOf(place: string, section: new () => object): string[] {
  const metadata = getMetadataStorage().getTargetValidationMetadatas(section, '', true, false);
  return [...new Set(metadata.map(({ propertyName }) => `${place}.${propertyName}`))];
}

/** Keys that only hold other keys may be described by those. */
function isLeaf(key: string, all: readonly string[]): boolean {
  return !all.some((other) => other.startsWith(`${key}.`) || other.startsWith(`${key}[]`));
}

describe('docs/configuration.md', () => {
  it('describes every key of every section, and no other', async () => {
    const text = await readFile(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
    const documented = Array.from(text.matchAll(/^\| `([^`]+)`/gm), (match) => match[1] ?? '');
    const places = SECTIONS.map(([place]) => place);
    const keys = SECTIONS.flatMap(([place, section]) => keysOf(place, section));
    const leaves = keys.filter((key) => isLeaf(key, [...keys, ...places.map((p) => `${p}.`)]));
    const groups = documented.filter((key) => keys.includes(key) && !leaves.includes(key));
    expect(documented.toSorted()).toEqual([...leaves, ...groups].toSorted());
  });
});
