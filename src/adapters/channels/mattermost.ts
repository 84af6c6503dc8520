import { createHash } from 'node:crypto';
import type { Channel, OutgoingMessage } from '../../hooks/ports/channel.ts';
import { getText } from '../../platform/objects.ts';
import { withoutMentions } from './markdown.ts';
import { PlatformChannel, joinUrl, postJson, splitThread } from './platform-channel.ts';

export interface MattermostOptions {
  /** Access token of a bot account. */
  readonly token: string;
  /** Address of the server, for example `https://chat.example.org`. */
  readonly apiRoot: string;
}

class MattermostChannel extends PlatformChannel {
  override readonly provider = 'mattermost';
  override readonly knowsKeys = true;
  // The server forgets a key 30 s after the post was saved: one whose answer is lost has to come again before that.
  override readonly timeoutMs = 10_000;
  protected override readonly limit = 16_383;
  protected override readonly recipient = {
    pattern: /^[a-z0-9]{26}(?:\/[a-z0-9]{26})?$/,
    expected:
      'a channel id of 26 small letters and digits, or one with a thread, <channel id>/<id of its first post>',
  };
  readonly #options: MattermostOptions;

  constructor(options: MattermostOptions) {
    super({ name: 'Mattermost', secrets: [options.token] });
    this.#options = options;
  }

  protected override form(markdown: string): string {
    return withoutMentions(markdown);
  }

  async send(
    { to, text, idempotencyKey }: OutgoingMessage,
    signal: AbortSignal,
  ): Promise<{ messageId: string }> {
    const { token, apiRoot } = this.#options;
    const pending = createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 40);
    const { chat: channel_id, thread: root_id } = splitThread(to);
    const body = { channel_id, root_id, message: text, pending_post_id: `hooks:${pending}` };
    const request = postJson(body, signal, { authorization: `Bearer ${token}` });
    const answer = await this.request(joinUrl(apiRoot, '/api/v4/posts'), request);
    const { status, json } = answer;
    const id = getText(json, 'id');
    if (status < 300 && id !== undefined) return { messageId: id };
    // On a refusal `id` names the reason, for example `api.context.permissions.app_error`.
    const code = status < 300 ? undefined : id;
    throw this.refusal(answer, { message: getText(json, 'message'), code });
  }
}

/**
 * Mattermost through its REST API; `to` is a channel id, or `<channel id>/<id of a thread's first post>`. The idempotency key becomes the post's `pending_post_id`, which
 * the server remembers for 30 seconds.
 */
export function mattermost(options: MattermostOptions): Channel {
  return new MattermostChannel(options);
}
