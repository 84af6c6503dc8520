import { DeliveryError } from '../../hooks/ports/channel.ts';
import type { Channel, DeliveryFailure, OutgoingMessage } from '../../hooks/ports/channel.ts';
import type { HttpAnswer } from '../../platform/http-client.ts';
import { getField, getText } from '../../platform/objects.ts';
import { withoutMentions } from './markdown.ts';
import { PlatformChannel } from './platform-channel.ts';

export interface TelegramOptions {
  /** The bot's token, as @BotFather gave it. */
  readonly token: string;
  /** Address of the Bot API server. @default 'https://api.telegram.org' */
  readonly apiRoot?: string;
}

/** The two methods of grammy's `Api` that are used, without its polyfilled types. */
interface TelegramApi {
  sendRichMessage(to: string, message: object, other?: undefined, signal?: object): Promise<Sent>;
  sendMessage(to: string, text: string, other?: object, signal?: object): Promise<Sent>;
}

interface Sent {
  readonly message_id: number;
}

/** What servers before Bot API 10.1 say of rich messages, and all of Markdown that they cannot read. */
const NOT_RICH = /: not found$|can't parse|can't find end|rich[_ ]message/i;

/** 403 is about the chat (the bot was blocked, or is no member), 404 about the token, which stands in the path. */
const KINDS: Readonly<Record<number, DeliveryFailure>> = { 403: 'permanent', 404: 'auth' };

class TelegramChannel extends PlatformChannel {
  override readonly provider = 'telegram';
  // That of a message without formatting: a part may have to go as one.
  protected override readonly limit = 4096;
  protected override readonly recipient = {
    pattern: /^(?:-?\d{1,19}|@[A-Za-z]\w{3,31})$/,
    expected: 'a chat id, such as 123456789 or -1001234567890, or the @name of a public channel',
  };
  readonly #options: TelegramOptions;

  constructor(options: TelegramOptions) {
    super({ name: 'Telegram', secrets: [options.token] });
    this.#options = options;
  }

  protected override form(markdown: string): string {
    return withoutMentions(markdown).replace(/\btg:(?=\/\/)/gi, 'tg: ');
  }

  async send({ to, text }: OutgoingMessage, signal: AbortSignal): Promise<{ messageId: string }> {
    signal.throwIfAborted();
    const api = await this.#api(signal);
    const rich = { markdown: text, skip_entity_detection: true };
    try {
      const sent = await this.#sent(api.sendRichMessage(to, rich, undefined, signal), signal);
      return { messageId: sent };
    } catch (error) {
      if (!(error instanceof DeliveryError) || !NOT_RICH.test(error.message)) throw error;
      if (error.kind !== 'permanent' && error.kind !== 'auth') throw error;
    }
    const other = { link_preview_options: { is_disabled: true } };
    return { messageId: await this.#sent(api.sendMessage(to, text, other, signal), signal) };
  }

  /** grammy's client over our own requests, whose answers we see before grammy does. */
  async #api(signal: AbortSignal): Promise<TelegramApi> {
    const { Api } = await this.library('grammy', () => import('grammy'));
    const fetchForGrammy = async (url: string, { method, headers, body }: RequestInit) => {
      const answer = await this.request(url, { method, headers, body, signal });
      const { status, json } = answer;
      if (status !== 200 || getField(json, 'ok') !== true) throw this.#refused(answer);
      return Response.json(json);
    };
    const apiRoot = this.#options.apiRoot?.replace(/\/+$/, '');
    // Node's own fetch and grammy's differ in their types only.
    const options: object = { apiRoot, fetch: fetchForGrammy };
    return new Api(this.#options.token, options);
  }

  async #sent(sending: Promise<Sent>, signal: AbortSignal): Promise<string> {
    try {
      return String((await sending).message_id);
    } catch (error) {
      signal.throwIfAborted();
      const cause = getField(error, 'error');
      // Nothing else is passed on: its message or cause could hold the URL, and with it the token.
      throw cause instanceof DeliveryError ? cause : this.unreadable();
    }
  }

  #refused(answer: HttpAnswer): DeliveryError {
    const { status, json } = answer;
    const seconds = getField(json, 'parameters', 'retry_after');
    return this.refusal(answer, {
      message: getText(json, 'description'),
      kind: KINDS[status],
      retryAfterMs: typeof seconds === 'number' ? seconds * 1000 : undefined,
    });
  }
}

/**
 * Telegram through its Bot API; `to` is a chat id or `@channelname`. Texts go as rich messages, which read Markdown; a
 * server that does not know them, or a text it cannot read, gets the same text as it is. No idempotency key.
 */
export function telegram(options: TelegramOptions): Channel {
  return new TelegramChannel(options);
}
