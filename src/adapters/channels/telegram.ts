import { Channel, DeliveryError, type OutgoingMessage } from '../../hooks/ports/channel.ts';
import { splitText } from './split-text.ts';
import { fromAnswer, fromNetwork } from './telegram-error.ts';

export interface TelegramOptions {
  /** The bot's token, as @BotFather gave it. */
  readonly token: string;
  /** Address of the Bot API server. @default 'https://api.telegram.org' */
  readonly apiRoot?: string;
}

/** Longest text of one message, in UTF-16 units (https://core.telegram.org/bots/api#sendmessage). */
const MESSAGE_LIMIT = 4096;
/** How many deliveries are remembered; the oldest is forgotten first. */
const REMEMBERED = 1000;

/** What Telegram has taken of one delivery. */
interface Progress {
  parts: number;
  firstId?: string;
}

/**
 * The one method of grammy's `Api` that is used. grammy types its signal after a polyfill, which differs from Node's
 * in types only.
 */
interface TelegramApi {
  sendMessage(
    to: string,
    text: string,
    other?: undefined,
    signal?: { readonly aborted: boolean },
  ): Promise<{ readonly message_id: number }>;
}

class TelegramChannel extends Channel {
  private api: TelegramApi | undefined;
  /** By idempotency key. The platform knows no such key, so a repeated attempt goes on where the last one failed. */
  private readonly taken = new Map<string, Progress>();

  constructor(private readonly options: TelegramOptions) {
    super();
  }

  async send(message: OutgoingMessage, signal: AbortSignal): Promise<{ messageId?: string }> {
    const parts = splitText(message.text, MESSAGE_LIMIT);
    if (parts.length === 0) throw new DeliveryError('there is no text to send', 'permanent');
    const progress = this.progressOf(message.idempotencyKey);
    for (const part of parts.slice(progress.parts)) {
      const id = await this.sendPart(message.to, part, signal);
      progress.firstId ??= id;
      progress.parts += 1;
    }
    return { messageId: progress.firstId };
  }

  private async sendPart(to: string, text: string, signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    const { Api, GrammyError, HttpError } = await import('grammy');
    const api: TelegramApi = (this.api ??= new Api(this.options.token, {
      apiRoot: this.options.apiRoot?.replace(/\/+$/, ''),
      // Followed, a redirect would carry the token to a server nobody configured.
      baseFetchConfig: { redirect: 'error' },
    }));
    try {
      const sent = await api.sendMessage(to, text, undefined, signal);
      return String(sent.message_id);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof GrammyError) throw fromAnswer(error, this.options.token);
      if (error instanceof HttpError) throw fromNetwork(error);
      // Not rethrown: its message or cause could hold the URL, and with it the token.
      throw new DeliveryError('Telegram gave an answer that could not be understood', 'retryable');
    }
  }

  private progressOf(key: string): Progress {
    const known = this.taken.get(key);
    if (known !== undefined) return known;
    const progress: Progress = { parts: 0 };
    this.taken.set(key, progress);
    const oldest = this.taken.keys().next().value;
    if (this.taken.size > REMEMBERED && oldest !== undefined) this.taken.delete(oldest);
    return progress;
  }
}

/**
 * Telegram through its Bot API; `to` is a chat id or `@channelname`. The text goes out as it is, without formatting;
 * a text over 4096 characters becomes several messages in order, and the first one's id is given back.
 * Within this process a repeated attempt (same idempotency key) sends only the parts that have not been taken yet;
 * a part whose answer was lost may appear twice. 401 is `auth`, other 4xx are `permanent`, 429 is `rate-limited`,
 * 5xx and network errors are `retryable`. Nothing is sent before the first message, and nothing is retried here.
 */
export function telegram(options: TelegramOptions): Channel {
  return new TelegramChannel(options);
}
