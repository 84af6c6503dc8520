import { IsIn, IsNumber, IsOptional, IsPositive, IsUrl, Max } from 'class-validator';
import { channelProviders } from '../adapters/channels/providers.ts';
import type { ChannelProviderName } from '../adapters/channels/providers.ts';
import { OptionalText } from '../hooks/index.ts';

const PROVIDERS = Object.keys(channelProviders);
const ON_UNKNOWN = ['retry', 'stop'] as const;
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

/** What the channels have in common. Every change needs a restart. */
export class ChannelsOptions {
  /** How long a delivery is tried again before it is given up, in hours, over 0 and at most 168. */
  @IsNumber()
  @IsPositive()
  @Max(168)
  retryHours = 24;
}

/** One entry of the `channels` section: which platform serves the channel. Every change needs a restart. */
export class ChannelOptions {
  /** The platform; any may serve any channel. Default: that of `chan_1` … `chan_8` in docs/channels.md. */
  @IsOptional()
  @IsIn(PROVIDERS, { message: `must be one of: ${PROVIDERS.join(', ')}` })
  provider?: ChannelProviderName;

  /** Recipient when the request names none and the session knows none. */
  @OptionalText()
  to?: string;

  /** When nobody can tell whether a message arrived: `retry` may show it twice, `stop` may lose it. Default `retry`. */
  @IsOptional()
  @IsIn(ON_UNKNOWN)
  onUnknown?: (typeof ON_UNKNOWN)[number];

  /** The platform's own token, best as `${NAME}`. */
  @OptionalText()
  token?: string;

  /** Address of the platform's API: needed by mattermost, signal and imessage, else the public one. */
  @IsOptional()
  @IsUrl(URL_RULES, NO_URL)
  apiRoot?: string;

  /** whatsapp: id of the sending number. */
  @OptionalText()
  phoneNumberId?: string;

  /** signal: the sending number, with + and country code. */
  @OptionalText()
  account?: string;

  /** signal: `rpc` (default, `signal-cli daemon --http`) or `rest` (signal-cli-rest-api). */
  @IsOptional()
  @IsIn(SIGNAL_APIS)
  api?: (typeof SIGNAL_APIS)[number];

  /** imessage: password of the BlueBubbles server, best as `${NAME}`. */
  @OptionalText()
  password?: string;

  /** imessage: how the Mac sends, `apple-script` (default) or `private-api`. */
  @IsOptional()
  @IsIn(IMESSAGE_METHODS)
  method?: (typeof IMESSAGE_METHODS)[number];

  /** msteams: the bot's app id. */
  @OptionalText()
  appId?: string;

  /** msteams: the bot's client secret, best as `${NAME}`. */
  @OptionalText()
  appSecret?: string;

  /** msteams: directory id of a single-tenant bot. Default `botframework.com`. */
  @OptionalText()
  tenantId?: string;

  /** msteams: address of the token endpoint. Default: that of the tenant. */
  @IsOptional()
  @IsUrl(URL_RULES, NO_URL)
  tokenUrl?: string;
}
