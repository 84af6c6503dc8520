import { createHash } from 'node:crypto';
import type {
  Buttons,
  Channel,
  DeliveryError,
  OutgoingMessage,
} from '../../hooks/ports/channel.ts';
import type { HttpAnswer } from '../../platform/http-client.ts';
import { getText } from '../../platform/objects.ts';
import { withoutMentions } from './markdown.ts';
import { MattermostButtons, NO_ACTIONS, attachedActions } from './mattermost-buttons.ts';
import { PlatformChannel, joinUrl, postJson, splitThread } from './platform-channel.ts';

export interface MattermostOptions {
  readonly token: string;
  /** Address of the server, for example `https://chat.example.org`. */
  readonly apiRoot: string;
  /** A hook of ours that verifies `mattermost`, as its server reaches it, and its secret. Absent: no buttons. */
  readonly buttons?: { readonly url: string; readonly secret: string };
}

/** Of a thread whose first post was deleted (server/channels/app/post.go, CreatePost). */
const NO_ROOT = 'api.post.create_post.root_id.app_error';

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
  override readonly buttons: Buttons | null;
  readonly #options: MattermostOptions;
  /** The bot's; asked for before the first message, which the server may report before it answers. */
  #userId: string | undefined;

  constructor(options: MattermostOptions) {
    const { token, buttons } = options;
    super({ name: 'Mattermost', secrets: [token, ...(buttons ? [buttons.secret] : [])] });
    this.#options = options;
    const strip = (id: string, signal: AbortSignal) => this.#edit(id, {}, signal);
    this.buttons = buttons === undefined ? null : new MattermostButtons(strip);
  }

  protected override form(markdown: string): string {
    return withoutMentions(markdown);
  }

  /** Of an author's id. */
  override isOwn(text: string): boolean {
    return text !== '' && text === this.#userId;
  }

  async send(
    { to, text, idempotencyKey, code, replaces }: OutgoingMessage,
    signal: AbortSignal,
  ): Promise<{ messageId: string }> {
    if (replaces !== undefined) {
      await this.#edit(replaces, { message: text }, signal);
      return { messageId: replaces };
    }
    const { buttons } = this.#options;
    const pending = createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 40);
    const { chat: channel_id, thread: root_id } = splitThread(to);
    const props = code === undefined || !buttons ? undefined : attachedActions(code, buttons);
    const body = { channel_id, root_id, message: text, pending_post_id: `hooks:${pending}`, props };
    this.#userId ??= await this.#ownId(signal);
    const answer = await this.#ask('POST', '/api/v4/posts', signal, body);
    const id = getText(answer.json, 'id');
    if (answer.status < 300 && id !== undefined) return { messageId: id };
    throw this.#refused(answer, id === NO_ROOT && root_id !== undefined ? channel_id : undefined);
  }

  async #ownId(signal: AbortSignal): Promise<string> {
    const answer = await this.#ask('GET', '/api/v4/users/me', signal);
    const id = getText(answer.json, 'id');
    if (answer.status < 300 && id !== undefined) return id;
    throw this.#refused(answer);
  }

  /** A message that is gone, or that its server lets nobody edit any more, is settled: taps on it are answered. */
  async #edit(id: string, what: { readonly message?: string }, signal: AbortSignal): Promise<void> {
    const path = `/api/v4/posts/${encodeURIComponent(id)}/patch`;
    const answer = await this.#ask('PUT', path, signal, { ...what, props: NO_ACTIONS });
    if (answer.status < 300) return;
    const failure = this.#refused(answer);
    if (failure.kind !== 'permanent') throw failure;
  }

  #ask(method: string, path: string, signal: AbortSignal, body?: object): Promise<HttpAnswer> {
    const { token, apiRoot } = this.#options;
    const request = postJson(body, signal, { authorization: `Bearer ${token}` });
    return this.request(joinUrl(apiRoot, path), { ...request, method });
  }

  /** On a refusal `id` names the reason, for example `api.context.permissions.app_error`. */
  #refused(answer: HttpAnswer, instead?: string): DeliveryError {
    const code = answer.status < 300 ? undefined : getText(answer.json, 'id');
    return this.refusal(answer, { message: getText(answer.json, 'message'), code, instead });
  }
}

/** `to`: `<channel id>[/<id of a thread's first post>]`. The key becomes `pending_post_id`, known for 30 seconds. */
export function mattermost(options: MattermostOptions): Channel {
  return new MattermostChannel(options);
}
