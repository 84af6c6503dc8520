import { createHash } from 'node:crypto';
import type { Channel, OutgoingMessage } from '../../hooks/ports/channel.ts';
import { getText } from '../../platform/objects.ts';
import { NO_MARKS, plainMarkup } from './markdown.ts';
import { PlatformChannel, joinUrl, postJson } from './platform-channel.ts';
import { withoutTables } from './tables.ts';

export interface IMessageOptions {
  /** Address of the BlueBubbles server. */
  readonly apiRoot: string;
  /** The server's password. It travels in the URL. */
  readonly password: string;
  /** How the Mac sends: `apple-script` works on every one. @default 'apple-script' */
  readonly method?: 'apple-script' | 'private-api';
}

class IMessageChannel extends PlatformChannel {
  override readonly provider = 'imessage';
  // The server answers when Messages has recorded it; "Not Delivered" may come after that.
  override readonly onlyAccepts = true;
  // The platform states none; longer ones are hard to read on a phone.
  protected override readonly limit = 4000;
  protected override readonly recipient = null;
  readonly #options: IMessageOptions;

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
    const { apiRoot, password, method = 'apple-script' } = this.#options;
    const path = `/api/v1/message/text?password=${encodeURIComponent(password)}`;
    const body = {
      chatGuid: to.includes(';') ? to.trim() : `any;-;${to.trim()}`,
      tempGuid: createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 36),
      message: text,
      method,
    };
    const answer = await this.request(joinUrl(apiRoot, path), postJson(body, signal));
    const { status, json } = answer;
    if (status === 200 && getText(json, 'status') === '200') {
      return { messageId: getText(json, 'data', 'guid') };
    }
    const message = getText(json, 'error', 'message') ?? getText(json, 'message');
    throw this.refusal(answer, { message });
  }
}

/**
 * iMessage through a BlueBubbles server; `to` is a phone number, an e-mail address or a chat's GUID. The server refuses
 * a second message under one key only while the first is under way, which is not enough to count as a key.
 */
export function imessage(options: IMessageOptions): Channel {
  return new IMessageChannel(options);
}
