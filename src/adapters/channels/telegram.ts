import { DeliveryError } from '../../hooks/ports/channel.ts';
import type { Channel, DeliveryFailure, OutgoingMessage } from '../../hooks/ports/channel.ts';
import { exchange } from './exchange.ts';
import type { Answer, Platform } from './exchange.ts';
import { field, textAt } from './field.ts';
import { withoutMentions } from './mentions.ts';
import { PlatformChannel } from './platform-channel.ts';
import { TELEGRAM_CHAT } from './recipients.ts';
import { refusal } from './refusal.ts';

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
  protected override readonly recipient = TELEGRAM_CHAT;
  readonly #options: TelegramOptions;
  readonly #platform: Platform;

  constructor(options: TelegramOptions) {
    super();
    this.#options = options;
    this.#platform = { name: 'Telegram', secrets: [options.token] };
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

  /** grammy's client over our own exchange, which sees every answer before grammy does. */
  async #api(signal: AbortSignal): Promise<TelegramApi> {
    const { Api } = await import('grammy');
    const asked = async (url: string, { method, headers, body }: RequestInit) => {
      const request = { method, headers, body };
      const answer = await exchange(this.#platform, url, request, signal);
      if (answer.status !== 200 || field(answer.body, 'ok') !== true) throw this.#refusal(answer);
      return Response.json(answer.body);
    };
    // Node's own fetch and grammy's differ in their types only.
    const options: object = { apiRoot: this.#options.apiRoot?.replace(/\/+$/, ''), fetch: asked };
    return new Api(this.#options.token, options);
  }

  async #sent(sending: Promise<Sent>, signal: AbortSignal): Promise<string> {
    try {
      return String((await sending).message_id);
    } catch (error) {
      signal.throwIfAborted();
      const cause: unknown = field(error, 'error');
      if (cause instanceof DeliveryError) throw cause;
      // Not rethrown: its message or cause could hold the URL, and with it the token.
      throw new DeliveryError('Telegram gave an answer that could not be understood', 'unknown');
    }
  }

  #refusal(answer: Answer): DeliveryError {
    const seconds = field(answer.body, 'parameters', 'retry_after');
    return refusal(this.#platform, answer, {
      said: textAt(answer.body, 'description'),
      kind: KINDS[answer.status],
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
