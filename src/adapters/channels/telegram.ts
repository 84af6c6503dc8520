import { DeliveryError } from '../../hooks/ports/channel.ts';
import type {
  Buttons,
  Channel,
  DeliveryFailure,
  OutgoingMessage,
} from '../../hooks/ports/channel.ts';
import type { HttpAnswer } from '../../platform/http-client.ts';
import { getField, getText } from '../../platform/objects.ts';
import { withoutMentions } from './markdown.ts';
import { PlatformChannel, splitThread } from './platform-channel.ts';
import { PHONE_COLUMNS, withoutTables } from './tables.ts';
import type { Sent, TelegramApi } from './telegram-api.ts';
import { NO_KEYBOARD, POLL_TIMEOUT_MS, TelegramButtons, keyboard } from './telegram-buttons.ts';
import { codeBlocks, entityText, hasTable, richHtml } from './telegram-text.ts';

export interface TelegramOptions {
  readonly token: string;
  /** Address of the Bot API server. @default 'https://api.telegram.org' */
  readonly apiRoot?: string;
  /** `rich`: tables and headings (Bot API 10.1); `auto`: rich where there is a table, else `plain`. @default 'auto' */
  readonly format?: 'auto' | 'rich' | 'plain';
}

/** 403 is about the chat (the bot was blocked, or is no member), 404 about the token, which stands in the path. */
const KINDS: Readonly<Record<number, DeliveryFailure>> = { 403: 'permanent', 404: 'auth' };

/** What it says of an edit that changes nothing. https://core.telegram.org/api/errors#400-bad-request */
const NOT_MODIFIED = /message is not modified/;

/** Of a topic that was deleted (tdlib/telegram-bot-api, Client.cpp). One that was closed still is one. */
const NO_TOPIC = /message thread not found/;

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
  override readonly buttons: Buttons = new TelegramButtons(
    (part) => codeBlocks(entityText(part, this.limit)),
    (signal, method) => this.#ask(signal, method, { timeoutMs: POLL_TIMEOUT_MS }),
  );
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

  async send(message: OutgoingMessage, signal: AbortSignal): Promise<{ messageId: string }> {
    signal.throwIfAborted();
    const { to, text, code, replaces } = message;
    const { chat, thread } = splitThread(to);
    const topic =
      thread === undefined || thread === GENERAL_TOPIC ? {} : { message_thread_id: Number(thread) };
    const { format = 'auto' } = this.#options;
    const isQuestion = code !== undefined || replaces !== undefined;
    if (!isQuestion && (format === 'rich' || (format === 'auto' && hasTable(text)))) {
      try {
        const rich = { html: richHtml(text) };
        return await this.#sent(to, signal, (api) =>
          api.sendRichMessage(chat, rich, topic, signal),
        );
      } catch (error) {
        if (!isRefused(error)) throw error;
      }
    }
    const { text: plain, entities } = entityText(text, this.limit);
    const formed = { entities, link_preview_options: { is_disabled: true } };
    if (replaces !== undefined) {
      await this.#edit(signal, { chat, id: replaces, text: plain }, formed);
      return { messageId: replaces };
    }
    const other = { ...topic, ...formed, ...(code !== undefined && keyboard(code)) };
    return this.#sent(to, signal, (api) => api.sendMessage(chat, plain, other, signal));
  }

  /** A message that says it already is edited. */
  async #edit(
    signal: AbortSignal,
    { chat, id, text }: { readonly chat: string; readonly id: string; readonly text: string },
    formed: object,
  ): Promise<void> {
    const other = { ...formed, ...NO_KEYBOARD };
    try {
      await this.#ask(signal, (api) => api.editMessageText(chat, Number(id), text, other, signal));
    } catch (error) {
      if (!(error instanceof DeliveryError && NOT_MODIFIED.test(error.message))) throw error;
    }
  }

  /** grammy's client over our own requests, whose answers we see before grammy does. */
  async #api(signal: AbortSignal, { timeoutMs, to }: AskOptions): Promise<TelegramApi> {
    const { Api } = await this.library('grammy', () => import('grammy'));
    const fetchForGrammy = async (url: string, { method, headers, body }: RequestInit) => {
      const answer = await this.request(url, { method, headers, body, signal, timeoutMs });
      const { status, json } = answer;
      if (status !== 200 || getField(json, 'ok') !== true) throw this.#refused(answer, to);
      return Response.json(json);
    };
    const apiRoot = this.#options.apiRoot?.replace(/\/+$/, '');
    // Node's own fetch and grammy's differ in their types only.
    const options: object = { apiRoot, fetch: fetchForGrammy };
    return new Api(this.#options.token, options);
  }

  async #sent(
    to: string,
    signal: AbortSignal,
    method: (api: TelegramApi) => Promise<Sent>,
  ): Promise<{ messageId: string }> {
    return { messageId: String((await this.#ask(signal, method, { to })).message_id) };
  }

  async #ask<T>(
    signal: AbortSignal,
    method: (api: TelegramApi) => Promise<T>,
    options: AskOptions = {},
  ): Promise<T> {
    const api = await this.#api(signal, options);
    try {
      return await method(api);
    } catch (error) {
      signal.throwIfAborted();
      const cause = getField(error, 'error');
      // Nothing else is passed on: its message or cause could hold the URL, and with it the token.
      throw cause instanceof DeliveryError ? cause : this.unreadable();
    }
  }

  #refused(answer: HttpAnswer, to: string | undefined): DeliveryError {
    const { status, json } = answer;
    const seconds = getField(json, 'parameters', 'retry_after');
    const description = getText(json, 'description');
    const moved = getText(json, 'parameters', 'migrate_to_chat_id');
    return this.refusal(answer, {
      message:
        moved === undefined ? description : `${description}; its chat id is ${moved} now, use that`,
      kind: KINDS[status],
      retryAfterMs: typeof seconds === 'number' ? seconds * 1000 : undefined,
      instead: to === undefined ? undefined : insteadOf(to, description, moved),
    });
  }
}

interface AskOptions {
  readonly timeoutMs?: number;
  /** Of a message. */
  readonly to?: string;
}

/** The chat whose topic is gone, or the group's new id. https://core.telegram.org/bots/api#responseparameters */
function insteadOf(to: string, description = '', moved?: string): string | undefined {
  const { chat, thread } = splitThread(to);
  if (moved !== undefined) return thread === undefined ? moved : `${moved}/${thread}`;
  return thread !== undefined && NO_TOPIC.test(description) ? chat : undefined;
}

/** 404: it knows no rich messages; 400: not this one. If it is about the chat or the token, the text fails the same. */
function isRefused(error: unknown): boolean {
  if (!(error instanceof DeliveryError) || error.instead !== undefined) return false;
  return error.code === '400' || error.code === '404';
}

/** `to`: a chat id or `@channelname`, `[/<topic>]`. A refused rich message is sent as text, once. It knows no key. */
export function telegram(options: TelegramOptions): Channel {
  return new TelegramChannel(options);
}
