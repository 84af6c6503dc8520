import type { FetchFunction, LogLevel, Logger, WebClient } from '@slack/web-api';
import { DeliveryError } from '../../hooks/ports/channel.ts';
import type { Channel, DeliveryFailure, OutgoingMessage } from '../../hooks/ports/channel.ts';
import type { HttpAnswer } from '../../platform/http-client.ts';
import { getField, getText } from '../../platform/objects.ts';
import { withoutMentions } from './markdown.ts';
import { PlatformChannel, splitThread } from './platform-channel.ts';
import { SlackButtons, messageName, questionBlocks, settledBlocks } from './slack-buttons.ts';

export interface SlackOptions {
  /** Bot token (`xoxb-…`) with `chat:write`. */
  readonly token: string;
  /** Address of the Web API. @default 'https://slack.com/api' */
  readonly apiRoot?: string;
}

/** Slack answers nearly everything with 200: its own code says what happened. All others are about the message. */
const KINDS: Readonly<Record<string, DeliveryFailure>> = {
  invalid_auth: 'auth',
  not_authed: 'auth',
  account_inactive: 'auth',
  token_expired: 'auth',
  token_revoked: 'auth',
  missing_scope: 'auth',
  no_permission: 'auth',
  two_factor_setup_required: 'auth',
  team_access_not_granted: 'auth',
  not_allowed_token_type: 'auth',
  accesslimited: 'auth',
  ekm_access_denied: 'auth',
  access_denied: 'auth',
  ratelimited: 'rate-limited',
  rate_limited: 'rate-limited',
  // What the workspace's free plan allows is used up, by all its members together.
  message_limit_exceeded: 'retryable',
  // Some of it may have been done, says Slack.
  internal_error: 'unknown',
  fatal_error: 'unknown',
  // The request arrived in part.
  request_timeout: 'retryable',
  service_unavailable: 'retryable',
  // A migration, and Slack says that it ends.
  team_added_to_org: 'retryable',
  org_login_required: 'retryable',
};

/** Refusals of blocks, whose limits are not documented. A server that knows no `markdown_text` finds no text. */
const NOT_FORMATTED: readonly string[] = [
  'invalid_blocks',
  'invalid_blocks_format',
  'msg_blocks_too_long',
  'msg_too_long',
  'invalid_attachments',
  'too_many_attachments',
  'markdown_text_conflict',
  'no_text',
];

class SlackChannel extends PlatformChannel {
  override readonly provider = 'slack';
  protected override readonly limit = 12_000;
  protected override readonly recipient = {
    pattern: /^[CDGUW][A-Z0-9]{6,20}(?:\/\d{10}\.\d{6})?$/,
    expected:
      'a channel id, such as C0123456789, or one with a thread, C0123456789/1712345678.123456',
  };
  override readonly buttons = new SlackButtons(async (channel, user, text, signal) => {
    const client = await this.#client(signal);
    await this.#call(client, 'chat.postEphemeral', { channel, user, text: escaped(text) }, signal);
  });
  readonly #options: SlackOptions;

  constructor(options: SlackOptions) {
    super({ name: 'Slack', secrets: [options.token] });
    this.#options = options;
  }

  protected override form(markdown: string): string {
    return withoutMentions(markdown);
  }

  async send(
    { to, text, code, replaces }: OutgoingMessage,
    signal: AbortSignal,
  ): Promise<{ messageId?: string | undefined }> {
    signal.throwIfAborted();
    const client = await this.#client(signal);
    const { chat: channel, thread: thread_ts } = splitThread(to);
    if (replaces !== undefined) return this.#settle(client, { text, replaces }, signal);
    const post = (words: object) => this.#post(client, { channel, thread_ts, ...words }, signal);
    if (code !== undefined) {
      const { channel: at, ts } = await post(questionBlocks(text, code));
      return { messageId: messageName(at, ts) };
    }
    try {
      return await named(post({ markdown_text: text }));
    } catch (error) {
      if (!(error instanceof DeliveryError) || !NOT_FORMATTED.includes(error.code ?? ''))
        throw error;
    }
    return named(post({ text: escaped(text), mrkdwn: false }));
  }

  async #post(
    client: WebClient,
    message: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Posted> {
    const preview = { unfurl_links: false, unfurl_media: false };
    const sent = await this.#call(client, 'chat.postMessage', { ...message, ...preview }, signal);
    return { channel: getText(sent, 'channel'), ts: getText(sent, 'ts') };
  }

  /** https://docs.slack.dev/reference/methods/chat.update */
  async #settle(
    client: WebClient,
    { text, replaces }: { readonly text: string; readonly replaces: string },
    signal: AbortSignal,
  ): Promise<{ messageId: string }> {
    const { chat: channel, thread: ts } = splitThread(replaces);
    await this.#call(client, 'chat.update', { channel, ts, ...settledBlocks(text) }, signal);
    return { messageId: replaces };
  }

  async #call(
    client: WebClient,
    method: string,
    what: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<unknown> {
    try {
      return await client.apiCall(method, what);
    } catch (error) {
      signal.throwIfAborted();
      const cause = getField(error, 'original');
      throw cause instanceof DeliveryError ? cause : this.unreadable();
    }
  }

  /** Slack's client knows no signal of one call, so that each call has a client; it sees what we let through. */
  async #client(signal: AbortSignal): Promise<WebClient> {
    const { WebClient, LogLevel } = await this.library(
      '@slack/web-api',
      () => import('@slack/web-api'),
    );
    const fetchForSlack: FetchFunction = async (url, init) => {
      const { method, headers, body } = init ?? {};
      const answer = await this.request(String(url), { method, headers, body, signal });
      if (answer.status !== 200 || getField(answer.json, 'ok') !== true)
        throw this.#refused(answer);
      return new Response(answer.text, { headers: answer.headers });
    };
    return new WebClient(this.#options.token, {
      slackApiUrl: this.#options.apiRoot,
      fetch: fetchForSlack,
      retryConfig: { retries: 0 },
      allowAbsoluteUrls: false,
      logger: silentLogger(LogLevel.ERROR),
    });
  }

  #refused(answer: HttpAnswer): DeliveryError {
    const code = getText(answer.json, 'error');
    const kind = code === undefined ? undefined : toFailureKind(answer.status, code);
    return this.refusal(answer, { message: explain(answer.json, code), code, kind });
  }
}

interface Posted {
  readonly channel: string | undefined;
  readonly ts: string | undefined;
}

async function named(posting: Promise<Posted>): Promise<{ messageId: string | undefined }> {
  return { messageId: (await posting).ts };
}

function explain(json: unknown, code: string | undefined): string {
  const needed = getText(json, 'needed');
  const details =
    needed === undefined ? getText(json, 'response_metadata', 'messages', 0) : `needs ${needed}`;
  return [code?.replaceAll('_', ' '), details].filter((words) => words !== undefined).join(': ');
}

function toFailureKind(status: number, code: string): DeliveryFailure | undefined {
  return KINDS[code] ?? (status === 200 ? 'permanent' : undefined);
}

/** A text as it is: without these three signs nothing in it is a command, a link or a mention to Slack. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The error says what went wrong; the client's own lines would go to the console, past the service's log. */
function silentLogger(level: LogLevel): Logger {
  const ignore = (): void => {};
  const lines = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  return { ...lines, setLevel: ignore, setName: ignore, getLevel: () => level };
}

/** `to`: `<channel id>[/<thread_ts>]`. A text whose formatting is refused goes once more as it is. It knows no key. */
export function slack(options: SlackOptions): Channel {
  return new SlackChannel(options);
}
