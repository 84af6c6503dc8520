import { IsBoolean, IsIn, IsNotEmpty, IsOptional, IsString, IsUrl, Matches } from 'class-validator';
import {
  DEFAULT_PROVIDERS,
  channelProviders,
  makeChannel,
} from '../../adapters/channels/providers.ts';
import type { ChannelProviderName, ProviderSettings } from '../../adapters/channels/providers.ts';
import {
  CHANNEL_IDS,
  Option,
  OptionalSection,
  OptionalText,
  QuietHoursOptions,
  TextList,
  defaultChannel,
  optionKeys,
  resolveSection,
  toHours,
  PositiveNumber,
} from '../../hooks/index.ts';
import type {
  Channel,
  ChannelBinding,
  ChannelBindings,
  ChannelId,
  Problem,
  ResolvedHooksOptions,
} from '../../hooks/index.ts';

const PROVIDERS = Object.keys(channelProviders);
const ON_UNKNOWN = ['retry', 'stop'] as const;
const TELEGRAM_FORMATS = ['auto', 'rich', 'plain'] as const;
const SIGNAL_APIS = ['rpc', 'rest'] as const;
const IMESSAGE_METHODS = ['apple-script', 'private-api'] as const;
const URL_RULES = {
  require_tld: false,
  protocols: ['http', 'https'],
  require_protocol: true,
  // What stands behind the path would end up in the middle of an address.
  allow_query_components: false,
  allow_fragments: false,
  disallow_auth: true,
};
const NO_URL = {
  message: 'must be a URL such as https://chat.example.org, without user, ? and #',
};

/** `template` of a channel: a message template of WhatsApp that Meta approved, with one variable in its body, `{{1}}`. */
export class ChannelTemplateOptions {
  /** Its name in the WhatsApp Manager: small letters, digits and underscores. */
  @Matches(/^[a-z\d_]{1,512}$/, { message: 'must be small letters, digits and underscores' })
  name!: string;

  /** Its language as Meta writes it, for example `en_US` or `de`. */
  @Matches(/^[a-z]{2,3}(?:_[A-Z]{2})?$/, {
    message: 'must be as Meta writes it, such as en_US or de',
  })
  language!: string;
}

/** `buttons` of a channel: how a Mattermost server tells taps, which it signs with nothing. */
export class ChannelButtonsOptions {
  /** Address of a hook of yours that verifies `mattermost`, as the Mattermost server reaches it. */
  @Option({ secret: 'inside' })
  @IsUrl(URL_RULES, NO_URL)
  url!: string;

  /** What every tap shows and the hook verifies, best as `${NAME}`. */
  @Option({ secret: true, mayHaveBlanks: true })
  @IsString()
  @IsNotEmpty()
  secret!: string;
}
const WEBHOOK_RULES = { ...URL_RULES, allow_query_components: true };
const NO_WEBHOOK = {
  message: 'must be a URL such as https://receiver.example.org/messages, without user and #',
};

/** One entry of the `channels` section: which platform serves the channel. */
export class ChannelOptions {
  /**
   * The platform: `whatsapp`, `telegram`, `discord`, `slack`, `mattermost`, `signal`, `imessage`, `msteams`,
   * `webhook`, a server of your own, or `github`, `gitlab`, `gitea`, which comment; any may serve any channel. Default for
   * `chan_1` … `chan_8`: in this order.
   */
  @IsOptional()
  @IsIn(PROVIDERS, { message: `must be one of: ${PROVIDERS.join(', ')}` })
  provider?: ChannelProviderName;

  /** Recipient when nobody names one. */
  @OptionalText()
  to?: string;

  /** When nobody can tell whether a message arrived: `retry` may show it twice, `stop` may lose it. @default 'retry' */
  @IsOptional()
  @IsIn(ON_UNKNOWN)
  onUnknown?: (typeof ON_UNKNOWN)[number];

  /** When nothing is sent there but questions and notices: it is held, and sent after that. Default: never. */
  @OptionalSection(QuietHoursOptions)
  quietHours?: QuietHoursOptions;

  /**
   * The platform's own token, best as `${NAME}`: whatsapp, telegram, discord, slack, mattermost, github,
   * gitlab, gitea; signal behind a proxy.
   */
  @Option({ secret: true })
  @OptionalText()
  token?: string;

  /** Address of the platform's API: needed by mattermost, signal, imessage and gitea, else the public one. */
  @Option({ secret: 'inside' })
  @IsOptional()
  @IsUrl(URL_RULES, NO_URL)
  apiRoot?: string;

  /**
   * telegram: `plain` sends text with bold, italic and code, `rich` rich messages (Bot API 10.1), `auto` rich ones where
   * there is a table and plain ones else. @default 'auto'
   */
  @IsOptional()
  @IsIn(TELEGRAM_FORMATS)
  format?: (typeof TELEGRAM_FORMATS)[number];

  /** whatsapp: id of the sending number. */
  @OptionalText()
  phoneNumberId?: string;

  /** whatsapp: every message is sent as this template, so that it also arrives when the person wrote more than 24 hours ago. */
  @OptionalSection(ChannelTemplateOptions)
  template?: ChannelTemplateOptions;

  /** mattermost: how it tells taps on the buttons of its messages. Absent: they have none. */
  @OptionalSection(ChannelButtonsOptions)
  buttons?: ChannelButtonsOptions;

  /** signal: the sending number, with + and country code. jira: e-mail address of the account. */
  @OptionalText()
  account?: string;

  /** signal: `rpc` (`signal-cli daemon --http`) or `rest` (signal-cli-rest-api). @default 'rpc' */
  @IsOptional()
  @IsIn(SIGNAL_APIS)
  api?: (typeof SIGNAL_APIS)[number];

  /** imessage: password of the BlueBubbles server, best as `${NAME}`. */
  @Option({ secret: true, mayHaveBlanks: true })
  @OptionalText()
  password?: string;

  /** imessage: how the Mac sends, `apple-script` or `private-api`. @default 'apple-script' */
  @IsOptional()
  @IsIn(IMESSAGE_METHODS)
  method?: (typeof IMESSAGE_METHODS)[number];

  /** msteams: the bot's app id. linear: the app's client id. */
  @OptionalText()
  appId?: string;

  /** msteams, linear: the client secret of the bot or app, best as `${NAME}`. */
  @Option({ secret: true })
  @OptionalText()
  appSecret?: string;

  /** msteams: directory id of a single-tenant bot. @default 'botframework.com' */
  @OptionalText()
  tenantId?: string;

  /** msteams, linear: address of the token endpoint. Default: that of the tenant, or Linear's. */
  @Option({ secret: 'inside' })
  @IsOptional()
  @IsUrl(URL_RULES, NO_URL)
  tokenUrl?: string;

  /** webhook: where each message is posted; may have a query. */
  @Option({ secret: 'inside' })
  @IsOptional()
  @IsUrl(WEBHOOK_RULES, NO_WEBHOOK)
  url?: string;

  /** webhook: what messages are signed with, best as `['${NAME}']`, each `whsec_` and 24 to 64 bytes in base64; several while one follows another. */
  @Option({ secret: true })
  @IsOptional()
  @TextList()
  secrets?: string[];

  /** webhook: true, if its address may be one of this machine or of a private network. @default false */
  @IsOptional()
  @IsBoolean()
  allowPrivate?: boolean;

  /** github, gitlab, gitea: where it may comment, as `acme/shop`, `acme/*` or `*`. */
  @IsOptional()
  @TextList()
  repositories?: string[];

  /** jira: keys of the projects where it may comment, as `SHOP`, or `*`. */
  @IsOptional()
  @TextList()
  projects?: string[];

  /** jira: Atlassian account id of `account`, the end of the address of its profile. */
  @OptionalText()
  accountId?: string;
}

/** The `channels` section: what the channels have in common, and which platform serves each. */
export class ChannelsOptions {
  /**
   * Where replies go that name no channel, until the main session has spoken somewhere: `chan_1` … `chan_8`. Default: the
   * only channel that is configured, else `chan_1`.
   */
  @IsOptional()
  @IsIn(CHANNEL_IDS, { message: 'must be one of chan_1 to chan_8' })
  default?: ChannelId;

  /** How long a delivery is tried again before it is given up, in hours, over 0 and at most 168. @default 24 */
  @PositiveNumber(168)
  retryHours = 24;

  @OptionalSection(ChannelOptions)
  chan_1?: ChannelOptions;

  @OptionalSection(ChannelOptions)
  chan_2?: ChannelOptions;

  @OptionalSection(ChannelOptions)
  chan_3?: ChannelOptions;

  @OptionalSection(ChannelOptions)
  chan_4?: ChannelOptions;

  @OptionalSection(ChannelOptions)
  chan_5?: ChannelOptions;

  @OptionalSection(ChannelOptions)
  chan_6?: ChannelOptions;

  @OptionalSection(ChannelOptions)
  chan_7?: ChannelOptions;

  @OptionalSection(ChannelOptions)
  chan_8?: ChannelOptions;
}

/** Connects the channels of the `channels` section with their platforms. Nothing is loaded or sent yet. */
export function bindChannels(section: unknown): {
  options: ChannelsOptions;
  bindings: ChannelBindings;
  problems: Problem[];
} {
  const { value: options, problems: found } = resolveSection(ChannelsOptions, section, 'channels');
  const problems = found.map((problem) =>
    isUnknownChannel(problem.key) ? { ...problem, message: NO_CHANNEL } : problem,
  );
  const bindings: Partial<Record<ChannelId, ChannelBinding>> = {};
  const accounts = new Accounts();
  for (const [id, entry] of channelEntries(options)) {
    const key = `channels.${id}`;
    if (problems.some((one) => one.key === key || one.key.startsWith(`${key}.`))) continue;
    const binding = bind(id, entry, accounts);
    if ('message' in binding) problems.push(binding);
    else bindings[id] = binding;
  }
  const { retryHours, default: chosen } = options;
  return {
    options,
    bindings: { ...bindings, ...(chosen !== undefined && { default: chosen }), retryHours },
    problems,
  };
}

const NO_CHANNEL = 'is not a channel; use chan_1 to chan_8';

function isUnknownChannel(key: string): boolean {
  const [, name = ''] = key.split('.');
  return name.startsWith('chan') && !optionKeys(ChannelsOptions).includes(name);
}

export function channelEntries(options: ChannelsOptions): [ChannelId, ChannelOptions][] {
  return CHANNEL_IDS.flatMap((id): [ChannelId, ChannelOptions][] => {
    const entry = options[id];
    return entry === undefined ? [] : [[id, entry]];
  });
}

export function currentBindings(read: () => ChannelBindings): ChannelBindings {
  const keys = [...CHANNEL_IDS, 'default', 'retryHours'] as const;
  const getters = keys.map((key) => [key, { get: () => read()[key], enumerable: true }] as const);
  return Object.defineProperties({}, Object.fromEntries(getters));
}

/** The default channel is there but nobody to speak to: replies fail unless a mapping says literally whom to tell. */
export function unknownRecipient(
  { hooks: { mappings, enabled } }: ResolvedHooksOptions,
  bindings: ChannelBindings,
): Problem[] {
  const id = defaultChannel(bindings);
  const binding = bindings[id];
  const isKnown = mappings.some(({ to }) => to !== undefined && !to.includes('{{'));
  if (!enabled || binding === undefined || binding.to !== undefined || isKnown) return [];
  const message =
    'is not set, so replies of hooks that name no recipient cannot be delivered; set it';
  return [{ key: `channels.${id}.to`, message }];
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

function bind(
  id: ChannelId,
  { provider = DEFAULT_PROVIDERS[id], to, onUnknown, quietHours, ...settings }: ChannelOptions,
  accounts: Accounts,
): ChannelBinding | Problem {
  const key = `channels.${id}`;
  try {
    const channel = accounts.channel(provider, settings);
    const problem = to === undefined ? null : channel.expectedInsteadOf(to);
    const quiet = quietHours && toHours(quietHours);
    if (problem === null) return { provider: channel, to, onUnknown, quietHours: quiet };
    return { key: `${key}.to`, message: `is no recipient of ${provider}; expected ${problem}` };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { key, message: `cannot be used by ${provider}: ${reason}` };
  }
}
