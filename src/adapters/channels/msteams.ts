import type { Channel, DeliveryFailure, OutgoingMessage } from '../../hooks/ports/channel.ts';
import { getText } from '../../platform/objects.ts';
import { ClientTokens } from './client-tokens.ts';
import { boldHeadings, hardBreaks, withoutMentions } from './markdown.ts';
import { PlatformChannel, joinUrl, postJson } from './platform-channel.ts';
import { PHONE_COLUMNS, withoutTables } from './tables.ts';

export interface TeamsOptions {
  readonly appId: string;
  readonly appSecret: string;
  /** Directory id of the app. @default 'botframework.com' */
  readonly tenantId?: string;
  /** The Bot Connector's service URL. @default 'https://smba.trafficmanager.net/teams' */
  readonly apiRoot?: string;
  /** Where tokens come from. @default that tenant's address at login.microsoftonline.com */
  readonly tokenUrl?: string;
}

export const TEAMS_ROOT = 'https://smba.trafficmanager.net/teams';
const SCOPE = 'https://api.botframework.com/.default';

/** What a refusal means where Teams and the general rule differ: 403 is about the conversation, 412 asks to try again. */
const KINDS: Readonly<Record<number, DeliveryFailure>> = { 403: 'permanent', 412: 'retryable' };

class TeamsChannel extends PlatformChannel {
  override readonly provider = 'msteams';
  // Microsoft counts 28 to 40 KB of the whole activity.
  protected override readonly limit = 20_000;
  protected override readonly recipient = {
    pattern: /^(?:\d{1,3}|a):\S+$/i,
    expected: 'a conversation id, such as 19:…@thread.tacv2',
  };
  readonly #apiRoot: string;
  readonly #id: string;
  readonly #tokens: ClientTokens;

  constructor({ appId, appSecret, tenantId, apiRoot, tokenUrl }: TeamsOptions) {
    super({ name: 'Microsoft Teams', secrets: [appSecret] });
    const tenant = encodeURIComponent(tenantId ?? 'botframework.com');
    this.#apiRoot = apiRoot ?? TEAMS_ROOT;
    this.#id = `28:${appId}`;
    this.#tokens = new ClientTokens('Microsoft Teams', {
      tokenUrl: tokenUrl ?? `https://login.microsoftonline.com/${tenant}/oauth2/v2.0/token`,
      clientId: appId,
      clientSecret: appSecret,
      scope: SCOPE,
    });
  }

  /** No headings, no tables; a single line break is none. Without entities in the activity nothing notifies anybody. */
  protected override form(markdown: string): string {
    const text = withoutTables(markdown, PHONE_COLUMNS);
    return withoutMentions(hardBreaks(boldHeadings(text)));
  }

  /** Of an author's id. https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-id-guide */
  override isOwn(text: string): boolean {
    return text === this.#id;
  }

  async send({ to, text }: OutgoingMessage, signal: AbortSignal): Promise<{ messageId: string }> {
    const token = await this.#tokens.token(signal);
    const path = `/v3/conversations/${encodeURIComponent(to)}/activities`;
    const body = { type: 'message', text, textFormat: 'markdown' };
    const request = postJson(body, signal, { authorization: `Bearer ${token}` });
    const answer = await this.request(joinUrl(this.#apiRoot, path), request);
    const { status, json } = answer;
    const messageId = getText(json, 'id');
    if (status < 300 && messageId !== undefined) return { messageId };
    if (status === 401) this.#tokens.forget();
    const message = getText(json, 'error', 'message') ?? getText(json, 'message');
    const code = getText(json, 'error', 'code');
    throw this.refusal(answer, { message, code, kind: KINDS[status], secrets: [token] });
  }
}

/** `to` is a conversation id, of a thread `19:…@thread.tacv2;messageid=<its first message>`. No idempotency key. */
export function msteams(options: TeamsOptions): Channel {
  return new TeamsChannel(options);
}
