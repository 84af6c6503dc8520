import { createHash } from 'node:crypto';
import type { Channel, OutgoingMessage } from '../../hooks/ports/channel.ts';
import { below, exchange, json } from './exchange.ts';
import type { Platform } from './exchange.ts';
import { textAt } from './field.ts';
import { withoutMentions } from './mentions.ts';
import { PlatformChannel } from './platform-channel.ts';
import { MATTERMOST_CHANNEL } from './recipients.ts';
import { refusal } from './refusal.ts';

export interface MattermostOptions {
  /** Access token of a bot account. */
  readonly token: string;
  /** Address of the server, for example `https://chat.example.org`. */
  readonly apiRoot: string;
}

class MattermostChannel extends PlatformChannel {
  override readonly provider = 'mattermost';
  override readonly knowsKeys = true;
  protected override readonly limit = 16_383;
  protected override readonly recipient = MATTERMOST_CHANNEL;
  readonly #options: MattermostOptions;
  readonly #platform: Platform;

  constructor(options: MattermostOptions) {
    super();
    this.#options = options;
    this.#platform = { name: 'Mattermost', secrets: [options.token] };
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
    const body = { channel_id: to, message: text, pending_post_id: `hooks:${pending}` };
    const init = json(body, { authorization: `Bearer ${token}` });
    const answer = await exchange(this.#platform, below(apiRoot, '/api/v4/posts'), init, signal);
    const messageId = textAt(answer.body, 'id');
    if (answer.status >= 300 || messageId === undefined) {
      const said = textAt(answer.body, 'message');
      // On a refusal `id` names the reason, for example `api.context.permissions.app_error`.
      throw refusal(this.#platform, answer, {
        said,
        code: answer.status < 300 ? undefined : messageId,
      });
    }
    return { messageId };
  }
}

/**
 * Mattermost through its REST API; `to` is a channel id. The idempotency key becomes the post's `pending_post_id`, which
 * the server remembers for 30 seconds.
 */
export function mattermost(options: MattermostOptions): Channel {
  return new MattermostChannel(options);
}
