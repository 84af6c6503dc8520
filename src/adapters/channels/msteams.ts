import { DeliveryError } from '../../hooks/ports/channel.ts';
import type { Channel, OutgoingMessage } from '../../hooks/ports/channel.ts';
import { below, exchange, json } from './exchange.ts';
import type { Answer, Platform } from './exchange.ts';
import { textAt } from './field.ts';
import { withoutMentions } from './mentions.ts';
import { ClientCredentials } from './client-credentials.ts';
import { PlatformChannel } from './platform-channel.ts';
import { TEAMS_CONVERSATION } from './recipients.ts';
import { refusal } from './refusal.ts';

export interface TeamsOptions {
  /** The bot's Microsoft app id. */
  readonly appId: string;
  /** Its client secret. */
  readonly appSecret: string;
  /** Directory id of the app. @default 'botframework.com' */
  readonly tenantId?: string;
  /** The Bot Connector's service URL. @default 'https://smba.trafficmanager.net/teams' */
  readonly apiRoot?: string;
  /** Where tokens come from. @default that tenant's address at login.microsoftonline.com */
  readonly tokenUrl?: string;
}

/** Where it is asked unless the options say otherwise. */
export const TEAMS_ROOT = 'https://smba.trafficmanager.net/teams';
const SCOPE = 'https://api.botframework.com/.default';

class TeamsChannel extends PlatformChannel {
  override readonly provider = 'msteams';
  // Microsoft counts 28 to 40 KB of the whole activity.
  protected override readonly limit = 20_000;
  protected override readonly recipient = TEAMS_CONVERSATION;
  readonly #options: TeamsOptions;
  readonly #platform: Platform;
  readonly #credentials: ClientCredentials;

  constructor(options: TeamsOptions) {
    super();
    this.#options = options;
    const { appId, appSecret, tenantId = 'botframework.com' } = options;
    const login = `https://login.microsoftonline.com/${encodeURIComponent(tenantId)}`;
    const url = options.tokenUrl ?? `${login}/oauth2/v2.0/token`;
    this.#platform = { name: 'Microsoft Teams', secrets: [appSecret] };
    const tokens = { ...this.#platform, addressKey: 'tokenUrl' } as const;
    this.#credentials = new ClientCredentials(tokens, {
      url,
      appId,
      appSecret,
      scope: SCOPE,
    });
  }

  /** Without entities in the activity nothing notifies anybody; what looks like a mention stays text. */
  protected override form(markdown: string): string {
    return withoutMentions(markdown);
  }

  async send({ to, text }: OutgoingMessage, signal: AbortSignal): Promise<{ messageId: string }> {
    const token = await this.#credentials.token(signal);
    const platform = { ...this.#platform, secrets: [...this.#platform.secrets, token] };
    const path = `/v3/conversations/${encodeURIComponent(to)}/activities`;
    const url = below(this.#options.apiRoot ?? TEAMS_ROOT, path);
    const body = { type: 'message', text, textFormat: 'markdown' };
    const init = json(body, { authorization: `Bearer ${token}` });
    const answer = await exchange(platform, url, init, signal);
    const messageId = textAt(answer.body, 'id');
    if (answer.status >= 300 || messageId === undefined) throw this.#refusal(platform, answer);
    return { messageId };
  }

  #refusal(platform: Platform, answer: Answer): DeliveryError {
    const { status, body } = answer;
    // The next attempt asks for a new one.
    if (status === 401) this.#credentials.forget();
    const said = textAt(body, 'error', 'message') ?? textAt(body, 'message');
    const kind = status === 403 ? 'permanent' : status === 412 ? 'retryable' : undefined;
    return refusal(platform, answer, { said, code: textAt(body, 'error', 'code'), kind });
  }
}

/**
 * Microsoft Teams through the Bot Connector, with the bot's client credentials; `to` is a conversation id. It knows no
 * idempotency key.
 */
export function msteams(options: TeamsOptions): Channel {
  return new TeamsChannel(options);
}
