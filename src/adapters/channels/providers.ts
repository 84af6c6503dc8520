import type { Channel, ChannelId } from '../../hooks/ports/channel.ts';
import type { OptionalPackage } from '../../platform/optional-package.ts';
import { discord } from './discord.ts';
import { gitea } from './gitea.ts';
import { GITHUB_ROOT, github } from './github.ts';
import { GITLAB_ROOT, gitlab } from './gitlab.ts';
import { imessage } from './imessage.ts';
import { jira } from './jira.ts';
import { LINEAR_ROOT, linear } from './linear.ts';
import { mattermost } from './mattermost.ts';
import type { MattermostOptions } from './mattermost.ts';
import { TEAMS_ROOT, msteams } from './msteams.ts';
import { signal } from './signal.ts';
import { slack } from './slack.ts';
import { telegram } from './telegram.ts';
import { webhook } from './webhook.ts';
import { WHATSAPP_ROOT, whatsapp } from './whatsapp.ts';
import type { WhatsAppOptions } from './whatsapp.ts';

// A new platform is a file beside this one and a row here. Making a channel connects to nothing and loads no SDK.

export interface ProviderSettings {
  readonly token?: string;
  readonly apiRoot?: string;
  readonly format?: 'auto' | 'rich' | 'plain';
  readonly phoneNumberId?: string;
  readonly account?: string;
  readonly api?: 'rpc' | 'rest';
  readonly password?: string;
  readonly method?: 'apple-script' | 'private-api';
  readonly appId?: string;
  readonly appSecret?: string;
  readonly tenantId?: string;
  readonly tokenUrl?: string;
  readonly template?: WhatsAppOptions['template'];
  readonly url?: string;
  readonly secrets?: readonly string[];
  readonly allowPrivate?: boolean;
  readonly repositories?: readonly string[];
  readonly projects?: readonly string[];
  readonly accountId?: string;
  readonly buttons?: MattermostOptions['buttons'];
}

export type ProviderSetting = keyof ProviderSettings;

interface Provider {
  readonly knows: readonly ProviderSetting[];
  /** Where it is asked when no `apiRoot` is given; undefined: there is no public place. */
  readonly publicRoot: string | undefined;
  /** The platform's own library, loaded with the first message; absent: it needs none. */
  readonly package?: OptionalPackage;
  /** Loads no library and sends nothing. @throws Error naming the settings that are missing. */
  readonly make: (settings: ProviderSettings) => Channel;
}

type With<Needed extends ProviderSetting> = ProviderSettings &
  Required<Pick<ProviderSettings, Needed>>;

function row<Needed extends ProviderSetting>(
  needs: readonly Needed[],
  takes: readonly ProviderSetting[],
  make: (settings: With<Needed>) => Channel,
  publicRoot?: string,
): Provider {
  return {
    knows: [...needs, ...takes],
    publicRoot,
    make: (settings) => {
      if (isComplete(settings, needs)) return make(settings);
      const missing = needs.filter((key) => !isGiven(settings[key]));
      throw new Error(`${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing`);
    },
  };
}

function isComplete<Needed extends ProviderSetting>(
  settings: ProviderSettings,
  needs: readonly Needed[],
): settings is With<Needed> {
  return needs.every((key) => isGiven(settings[key]));
}

function isGiven(value: ProviderSettings[ProviderSetting]): boolean {
  return typeof value === 'string' ? value.trim() !== '' : value !== undefined;
}

function withPackage(name: OptionalPackage, provider: Provider): Provider {
  return { ...provider, package: name };
}

export const channelProviders = {
  whatsapp: row(['token', 'phoneNumberId'], ['apiRoot', 'template'], whatsapp, WHATSAPP_ROOT),
  telegram: withPackage(
    'grammy',
    row(['token'], ['apiRoot', 'format'], telegram, 'https://api.telegram.org'),
  ),
  discord: withPackage(
    '@discordjs/rest',
    row(['token'], ['apiRoot'], discord, 'https://discord.com/api'),
  ),
  slack: withPackage('@slack/web-api', row(['token'], ['apiRoot'], slack, 'https://slack.com/api')),
  mattermost: row(['token', 'apiRoot'], ['buttons'], mattermost),
  signal: row(['apiRoot', 'account'], ['api', 'token'], signal),
  imessage: row(['apiRoot', 'password'], ['method'], imessage),
  msteams: row(['appId', 'appSecret'], ['tenantId', 'apiRoot', 'tokenUrl'], msteams, TEAMS_ROOT),
  webhook: row(['url', 'secrets'], ['allowPrivate'], webhook),
  github: row(['token', 'repositories'], ['apiRoot'], github, GITHUB_ROOT),
  gitlab: row(['token', 'repositories'], ['apiRoot'], gitlab, GITLAB_ROOT),
  gitea: row(['token', 'apiRoot', 'repositories'], [], gitea),
  jira: row(['token', 'account', 'accountId', 'projects', 'apiRoot'], [], jira),
  linear: row([], ['token', 'appId', 'appSecret', 'apiRoot', 'tokenUrl'], linear, LINEAR_ROOT),
};

export type ChannelProviderName = keyof typeof channelProviders;

export const DEFAULT_PROVIDERS: Readonly<Record<ChannelId, ChannelProviderName>> = {
  chan_1: 'whatsapp',
  chan_2: 'telegram',
  chan_3: 'discord',
  chan_4: 'slack',
  chan_5: 'mattermost',
  chan_6: 'signal',
  chan_7: 'imessage',
  chan_8: 'msteams',
};

/** Visible ASCII: tokens travel in headers and URLs. */
const TOKEN = /^[!-~]*$/;

/** @throws Error naming the settings that are missing, that this provider does not know, or that cannot be right */
export function makeChannel(name: ChannelProviderName, settings: ProviderSettings): Channel {
  const { knows, make } = channelProviders[name];
  const known: readonly string[] = knows;
  const unknown = Object.entries(settings)
    .filter(([key, value]) => value !== undefined && !known.includes(key))
    .map(([key]) => key);
  if (unknown.length > 0) throw new Error(`it does not know ${unknown.join(' and ')}`);
  const channel = make(settings);
  if (!TOKEN.test(settings.token ?? '')) {
    throw new Error('token holds a blank, a line break or a sign that no token has');
  }
  return channel;
}

/** The library that a provider's first message loads; undefined: it needs none. */
export function channelPackage(name: ChannelProviderName): OptionalPackage | undefined {
  return channelProviders[name].package;
}

export interface TokenQuestion {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const TOKEN_QUESTIONS: Partial<
  Record<ChannelProviderName, (token: string) => Omit<TokenQuestion, 'url'> & { path: string }>
> = {
  telegram: (token) => ({ method: 'GET', path: `/bot${token}/getMe`, headers: {} }),
  discord: (token) => ({
    method: 'GET',
    path: '/v10/users/@me',
    headers: { authorization: `Bot ${token}` },
  }),
  slack: (token) => ({
    method: 'POST',
    path: '/auth.test',
    headers: { authorization: `Bearer ${token}` },
  }),
  mattermost: (token) => ({
    method: 'GET',
    path: '/api/v4/users/me',
    headers: { authorization: `Bearer ${token}` },
  }),
  github: (token) => ({
    method: 'GET',
    path: '/user',
    headers: { authorization: `Bearer ${token}`, 'user-agent': 'nestjs-agent-hooks' },
  }),
  gitlab: (token) => ({
    method: 'GET',
    path: '/api/v4/user',
    headers: { 'private-token': token },
  }),
  gitea: (token) => ({
    method: 'GET',
    path: '/api/v1/user',
    headers: { authorization: `token ${token}` },
  }),
};

/** The question that these settings make; undefined: the platform has none. */
export function tokenQuestion(
  name: ChannelProviderName,
  settings: ProviderSettings,
): TokenQuestion | undefined {
  const root = findAddress(name, settings);
  const { token } = settings;
  const asked = token === undefined ? undefined : TOKEN_QUESTIONS[name]?.(token);
  if (asked === undefined || root === undefined) return undefined;
  const { path, method, headers } = asked;
  return { method, url: `${root.replace(/\/+$/, '')}${path}`, headers };
}

/** Where a provider with these settings is asked; undefined when it is nowhere. */
export function findAddress(
  name: ChannelProviderName,
  settings: ProviderSettings,
): string | undefined {
  return settings.url ?? settings.apiRoot ?? channelProviders[name].publicRoot;
}
