import { IsIn, IsOptional, IsUrl } from 'class-validator';
import { channelProviders } from '../adapters/channels/providers.ts';
import type { ChannelProviderName } from '../adapters/channels/providers.ts';
import { OptionalText } from '../hooks/index.ts';

const PROVIDERS = Object.keys(channelProviders);

/** One entry of the `channels` section: which platform serves the channel. Every change needs a restart. */
export class ChannelOptions {
  /** The platform: `telegram`. Any provider may serve any channel. */
  @IsIn(PROVIDERS, { message: `must be one of: ${PROVIDERS.join(', ')}` })
  provider!: ChannelProviderName;

  /** Recipient when the request names none and the session knows none. */
  @OptionalText()
  to?: string;

  /** The platform's own token, best as `${NAME}`. */
  @OptionalText()
  token?: string;

  /** Address of the platform's API, when it is not the public one. */
  @IsOptional()
  @IsUrl({ require_tld: false, protocols: ['http', 'https'], require_protocol: true })
  apiRoot?: string;
}
