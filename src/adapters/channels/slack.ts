import type { FetchFunction, LogLevel, Logger } from '@slack/web-api';
import { DeliveryError } from '../../hooks/ports/channel.ts';
import type { Channel, DeliveryFailure, OutgoingMessage } from '../../hooks/ports/channel.ts';
import type { HttpAnswer } from '../../platform/http-client.ts';
import { getField, getText } from '../../platform/objects.ts';
import { withoutMentions } from './markdown.ts';
import { PlatformChannel } from './platform-channel.ts';

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

class SlackChannel extends PlatformChannel {
  override readonly provider = 'slack';
  protected override readonly limit = 12_000;
  protected override readonly recipient = {
    pattern: /^[CDGUW][A-Z0-9]{6,20}$/,
    expected: 'a channel id, such as C0123456789',
  };
  readonly #options: SlackOptions;

  constructor(options: SlackOptions) {
    super({ name: 'Slack', secrets: [options.token] });
    this.#options = options;
  }

  protected override form(markdown: string): string {
    return withoutMentions(markdown);
  }

  async send({ to, text }: OutgoingMessage, signal: AbortSignal): Promise<{ messageId?: string }> {
    signal.throwIfAborted();
    const client = await this.#client(signal);
    try {
      const sent = await client.apiCall('chat.postMessage', {
        channel: to,
        markdown_text: text,
        unfurl_links: false,
        unfurl_media: false,
      });
      return { messageId: getText(sent, 'ts') };
    } catch (error) {
      signal.throwIfAborted();
      const cause = getField(error, 'original');
      throw cause instanceof DeliveryError ? cause : this.unreadable();
    }
  }

  /** Slack's client knows no signal of one call, so that each call has a client; it sees what we let through. */
  async #client(signal: AbortSignal) {
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
    return this.refusal(answer, { message: code?.replaceAll('_', ' '), code, kind });
  }
}

function toFailureKind(status: number, code: string): DeliveryFailure | undefined {
  return KINDS[code] ?? (status === 200 ? 'permanent' : undefined);
}

/** The error says what went wrong; the client's own lines would go to the console, past the service's log. */
function silentLogger(level: LogLevel): Logger {
  const ignore = (): void => {};
  const lines = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  return { ...lines, setLevel: ignore, setName: ignore, getLevel: () => level };
}

/** Slack through its Web API; `to` is a channel id. It knows no idempotency key. */
export function slack(options: SlackOptions): Channel {
  return new SlackChannel(options);
}
