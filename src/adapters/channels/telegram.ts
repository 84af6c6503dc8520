import { DeliveryError } from '../../hooks/ports/channel.ts';
import type { Channel, DeliveryFailure, OutgoingMessage } from '../../hooks/ports/channel.ts';
import type { HttpAnswer } from '../../platform/http-client.ts';
import { getField, getText } from '../../platform/objects.ts';
import { withoutMentions } from './markdown.ts';
import { PlatformChannel, splitThread } from './platform-channel.ts';
import { PHONE_COLUMNS, withoutTables } from './tables.ts';
import { entityText, hasTable, richHtml } from './telegram-text.ts';

export interface TelegramOptions {
  /** The bot's token, as @BotFather gave it. */
  readonly token: string;
  /** Address of the Bot API server. @default 'https://api.telegram.org' */
  readonly apiRoot?: string;
  /**
   * What messages are sent as: `plain`, text with bold, italic and code; `rich`, rich messages (Bot API 10.1), which
   * have tables and headings, too; `auto`, rich ones where there is a table and plain ones else. @default 'auto'
   */
  readonly format?: 'auto' | 'rich' | 'plain';
}

/** The two methods of grammy's `Api` that are used, without its polyfilled types. */
interface TelegramApi {
  sendRichMessage(to: string, message: object, other?: object, signal?: object): Promise<Sent>;
  sendMessage(to: string, text: string, other?: object, signal?: object): Promise<Sent>;
}

interface Sent {
  readonly message_id: number;
}

/** 403 is about the chat (the bot was blocked, or is no member), 404 about the token, which stands in the path. */
const KINDS: Readonly<Record<number, DeliveryFailure>> = { 403: 'permanent', 404: 'auth' };

/** The topic of a forum that is sent to without naming one. */
const GENERAL_TOPIC = '1';

class TelegramChannel extends PlatformChannel {
  override readonly provider = 'telegram';
  // That of a text: a rich message may have to go as one.
  protected override readonly limit = 4096;
  protected override readonly recipient = {
    pattern: /^(?:-?\d{1,19}|@[A-Za-z]\w{3,31})(?:\/[1-9]\d{0,9})?$/,
    expected:
      'a chat id, such as 123456789 or -1001234567890, or the @name of a public channel, and behind it /42 for a topic',
  };
  readonly #options: TelegramOptions;

  constructor(options: TelegramOptions) {
    super({ name: 'Telegram', secrets: [options.token] });
    this.#options = options;
  }

  /** Markdown still: what it is sent as is decided message by message. The rows of a table have to stay together. */
  protected override form(markdown: string): string {
    const text = withoutMentions(markdown);
    const isOneMessage = text.length <= this.limit && this.#options.format !== 'plain';
    return isOneMessage ? text : withoutTables(text, PHONE_COLUMNS);
  }

  override shown(part: string): string {
    return entityText(part, this.limit).text;
  }

  async send({ to, text }: OutgoingMessage, signal: AbortSignal): Promise<{ messageId: string }> {
    signal.throwIfAborted();
    const { chat, thread } = splitThread(to);
    const topic =
      thread === undefined || thread === GENERAL_TOPIC ? {} : { message_thread_id: Number(thread) };
    const api = await this.#api(signal);
    const { format = 'auto' } = this.#options;
    if (format === 'rich' || (format === 'auto' && hasTable(text))) {
      try {
        const sending = api.sendRichMessage(chat, { html: richHtml(text) }, topic, signal);
        return { messageId: await this.#sent(sending, signal) };
      } catch (error) {
        if (!isRefused(error)) throw error;
      }
    }
    const { text: plain, entities } = entityText(text, this.limit);
    const other = { ...topic, entities, link_preview_options: { is_disabled: true } };
    return { messageId: await this.#sent(api.sendMessage(chat, plain, other, signal), signal) };
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
    const description = getText(json, 'description');
    const moved = getText(json, 'parameters', 'migrate_to_chat_id');
    return this.refusal(answer, {
      message:
        moved === undefined ? description : `${description}; its chat id is ${moved} now, use that`,
      kind: KINDS[status],
      retryAfterMs: typeof seconds === 'number' ? seconds * 1000 : undefined,
    });
  }
}

/**
 * Whether a server does not know rich messages (404) or did not take this one (400). If it is about the chat or the token
 * the text that is sent instead gets the same answer.
 */
function isRefused(error: unknown): boolean {
  return error instanceof DeliveryError && (error.code === '400' || error.code === '404');
}

/**
 * Telegram through its Bot API; `to` is a chat id or `@channelname`, with `/<topic>` behind it for a topic. A rich message
 * that is refused is sent as text, once. No idempotency key.
 */
export function telegram(options: TelegramOptions): Channel {
  return new TelegramChannel(options);
}
