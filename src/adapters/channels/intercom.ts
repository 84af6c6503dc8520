import type { Channel, OutgoingMessage } from '../../hooks/ports/channel.ts';
import { getText } from '../../platform/objects.ts';
import { NO_MARKS, plainMarkup, withoutMentions } from './markdown.ts';
import { PlatformChannel, joinUrl, postJson } from './platform-channel.ts';

export interface IntercomOptions {
  /** Access token of an app. */
  readonly token: string;
  /** Id of the teammate in whose name notes are written. */
  readonly account: string;
  /** Address of the API; of other regions `https://api.eu.intercom.io`, `https://api.au.intercom.io`. @default 'https://api.intercom.io' */
  readonly apiRoot?: string;
}

export const INTERCOM_ROOT = 'https://api.intercom.io';

class IntercomChannel extends PlatformChannel {
  override readonly provider = 'intercom';
  override readonly onlyAnswers = true;
  protected override readonly limit = 20_000;
  protected override readonly recipient = {
    pattern: /^\d{1,25}$/,
    expected: 'the id of a conversation, such as 215470000000001',
  };
  readonly #options: IntercomOptions;

  constructor(options: IntercomOptions) {
    super({ name: 'Intercom', secrets: [options.token] });
    this.#options = options;
  }

  protected override form(markdown: string): string {
    return withoutMentions(plainMarkup(markdown, NO_MARKS));
  }

  /** https://developers.intercom.com/docs/references/rest-api/api.intercom.io/conversations/replyconversation */
  async send({ to, text }: OutgoingMessage, signal: AbortSignal): Promise<{ messageId: string }> {
    const { token, account, apiRoot = INTERCOM_ROOT } = this.#options;
    const note = { message_type: 'note', type: 'admin', admin_id: account, body: asHtml(text) };
    const request = postJson(note, signal, {
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      'intercom-version': '2.11',
    });
    const answer = await this.request(joinUrl(apiRoot, `/conversations/${to}/reply`), request);
    const { status, json } = answer;
    const id = getText(json, 'id');
    if (status === 200 && getText(json, 'type') === 'conversation' && id !== undefined) {
      return { messageId: id };
    }
    const code = getText(json, 'errors', 0, 'code');
    throw this.refusal(answer, { message: getText(json, 'errors', 0, 'message'), code });
  }
}

/** The body of a note is HTML, of which a text needs its lines alone. */
function asHtml(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<p>${escaped.replaceAll('\n', '<br>')}</p>`;
}

/**
 * Conversations of Intercom; `to` is a conversation's id, and the message becomes a note, which no customer sees. It knows
 * no idempotency key.
 */
export function intercom(options: IntercomOptions): Channel {
  return new IntercomChannel(options);
}
