import { createHash } from 'node:crypto';
import { DeliveryError } from '../../hooks/ports/channel.ts';
import type { Channel, OutgoingMessage } from '../../hooks/ports/channel.ts';
import type { HttpAnswer } from '../../platform/http-client.ts';
import { getText } from '../../platform/objects.ts';
import { NO_MARKS, plainMarkup } from './markdown.ts';
import type { Explanation } from './delivery-errors.ts';
import { PlatformChannel, joinUrl, postJson } from './platform-channel.ts';
import { withoutTables } from './tables.ts';

export interface IMessageOptions {
  readonly apiRoot: string;
  /** The server's password. It travels in the URL. */
  readonly password: string;
  /** How the Mac sends: `apple-script` works on every one. @default 'apple-script' */
  readonly method?: 'apple-script' | 'private-api';
}

/** From macOS 26 on `any;-;+49…` instead of `iMessage;-;+49…`. Older programs are told 16, which no macOS has. */
const FIRST_WITHOUT_SERVICE = 16;
/** How soon a message is tried again that an earlier attempt still has in hand; the server gives up after 120 s. */
const QUEUED_RETRY_MS = 30_000;
const IN_HAND = 'an earlier attempt of it is still under way';
const PHONE = /^\+[\d .()-]+$/;

/** `error` of a message in chat.db. */
const NOT_ON_IMESSAGE: Explanation = {
  kind: 'permanent',
  advice: 'the recipient is not on iMessage, which is all that this channel sends',
};

/** What the server answers 500 before it gives anything to Messages. */
const UNSENT: Readonly<Record<string, Explanation>> = {
  'iMessage Private API is not enabled!': {
    kind: 'permanent',
    advice: 'enable it in the BlueBubbles server, or leave out method',
  },
  'iMessage Private API Helper is not connected!': { kind: 'retryable' },
};

class IMessageChannel extends PlatformChannel {
  override readonly provider = 'imessage';
  // The server answers when Messages has recorded it; "Not Delivered" may come after that.
  override readonly onlyAccepts = true;
  // The server answers once the message is in chat.db, which it awaits for 120 s.
  override readonly timeoutMs = 150_000;
  // The platform states none; longer ones are hard to read on a phone.
  protected override readonly limit = 4000;
  protected override readonly recipient = null;
  readonly #options: IMessageOptions;
  /** How the Mac names conversations; undefined: it was not asked yet. */
  #service: 'any' | 'iMessage' | undefined;

  constructor(options: IMessageOptions) {
    super({ name: 'BlueBubbles', secrets: [options.password] });
    this.#options = options;
  }

  protected override form(markdown: string): string {
    return plainMarkup(withoutTables(markdown, 0), NO_MARKS);
  }

  async send(
    { to, text, idempotencyKey }: OutgoingMessage,
    signal: AbortSignal,
  ): Promise<{ messageId?: string }> {
    const body = {
      chatGuid: await this.#chat(to.trim(), signal),
      tempGuid: createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 36),
      message: text,
      method: this.#options.method ?? 'apple-script',
    };
    const answer = await this.request(this.#url('/message/text'), postJson(body, signal));
    const { status, json } = answer;
    if (status === 200 && getText(json, 'status') === '200') {
      return { messageId: getText(json, 'data', 'guid') };
    }
    throw this.#refused(answer);
  }

  #url(path: string): string {
    const { apiRoot, password } = this.#options;
    return joinUrl(apiRoot, `/api/v1${path}?password=${encodeURIComponent(password)}`);
  }

  /** The name of a conversation, which the Mac's system decides; a GUID is taken as it is. */
  async #chat(to: string, signal: AbortSignal): Promise<string> {
    if (to.includes(';')) return to;
    this.#service ??= await this.#askService(signal);
    return `${this.#service};-;${PHONE.test(to) ? `+${to.replace(/\D/g, '')}` : to}`;
  }

  async #askService(signal: AbortSignal): Promise<'any' | 'iMessage'> {
    try {
      const answer = await this.request(this.#url('/server/info'), { signal });
      const version = Number.parseInt(getText(answer.json, 'data', 'os_version') ?? '', 10);
      if (answer.status !== 200) throw this.refusal(answer, { message: ownWords(answer) });
      if (Number.isNaN(version)) throw this.unreadable();
      return version >= FIRST_WITHOUT_SERVICE ? 'any' : 'iMessage';
    } catch (error) {
      // Nothing was sent yet.
      if (!(error instanceof DeliveryError) || error.kind !== 'unknown') throw error;
      const message = 'BlueBubbles did not say which macOS it runs on';
      throw new DeliveryError(message, 'retryable', error.retryAfterMs, error.code);
    }
  }

  #refused(answer: HttpAnswer): DeliveryError {
    const { status, json } = answer;
    const message = ownWords(answer);
    if (status === 400 && /already queued/i.test(message ?? '')) {
      const retryAfterMs = QUEUED_RETRY_MS;
      return this.refusal(answer, { message: IN_HAND, kind: 'retryable', retryAfterMs });
    }
    // What the server itself answers 500 may have been shown all the same.
    if (getText(json, 'status') !== '500') return this.refusal(answer, { message });
    const error = getText(json, 'data', 'error');
    const known = error === '22' ? NOT_ON_IMESSAGE : UNSENT[message ?? ''];
    if (known !== undefined) return this.refusal(answer, { message, code: error, ...known });
    // The Mac may have got another system since it was asked.
    this.#service = undefined;
    return this.refusal(answer, { message, code: error, kind: 'unknown' });
  }
}

function ownWords({ json }: HttpAnswer): string | undefined {
  return getText(json, 'error', 'message') ?? getText(json, 'message');
}

/** BlueBubbles; `to`: a phone number, an e-mail address or a chat's GUID. Keys hold while a message is under way. */
export function imessage(options: IMessageOptions): Channel {
  return new IMessageChannel(options);
}
