import type { FetchFunction, LogLevel, Logger } from '@slack/web-api';
import { DeliveryError } from '../../hooks/ports/channel.ts';
import type { Channel, DeliveryFailure, OutgoingMessage } from '../../hooks/ports/channel.ts';
import { exchange } from './exchange.ts';
import type { Answer, Platform } from './exchange.ts';
import { field, textAt } from './field.ts';
import { withoutMentions } from './mentions.ts';
import { PlatformChannel } from './platform-channel.ts';
import { SLACK_CHANNEL } from './recipients.ts';
import { refusal } from './refusal.ts';

export interface SlackOptions {
  /** Bot token (`xoxb-…`) with `chat:write`. */
  readonly token: string;
  /** Address of the Web API. @default 'https://slack.com/api' */
  readonly apiRoot?: string;
}

/** Slack answers nearly everything with 200: its own code tells what happened. All others are about the message. */
const KINDS: Readonly<Record<string, DeliveryFailure>> = {
  invalid_auth: 'auth',
  not_authed: 'auth',
  account_inactive: 'auth',
  token_expired: 'auth',
  token_revoked: 'auth',
  missing_scope: 'auth',
  no_permission: 'auth',
  org_login_required: 'auth',
  ekm_access_denied: 'auth',
  access_denied: 'auth',
  ratelimited: 'rate-limited',
  rate_limited: 'rate-limited',
  // More than about one message a second in one channel.
  message_limit_exceeded: 'retryable',
  internal_error: 'retryable',
  fatal_error: 'retryable',
  request_timeout: 'retryable',
  service_unavailable: 'retryable',
  team_added_to_org: 'retryable',
};

class SlackChannel extends PlatformChannel {
  override readonly provider = 'slack';
  protected override readonly limit = 12_000;
  protected override readonly recipient = SLACK_CHANNEL;
  readonly #options: SlackOptions;
  readonly #platform: Platform;

  constructor(options: SlackOptions) {
    super();
    this.#options = options;
    this.#platform = { name: 'Slack', secrets: [options.token] };
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
      return { messageId: textAt(sent, 'ts') };
    } catch (error) {
      signal.throwIfAborted();
      const cause = field(error, 'original');
      if (cause instanceof DeliveryError) throw cause;
      throw new DeliveryError('Slack gave an answer that could not be understood', 'unknown');
    }
  }

  /** Slack's client knows no signal of one call, so that each call has a client; it sees what we let through. */
  async #client(signal: AbortSignal) {
    const { WebClient, LogLevel } = await import('@slack/web-api');
    const asked: FetchFunction = async (url, init) => {
      const { method, headers, body } = init ?? {};
      const answer = await exchange(this.#platform, String(url), { method, headers, body }, signal);
      if (answer.status !== 200 || field(answer.body, 'ok') !== true) throw this.#refusal(answer);
      return new Response(answer.text, { headers: answer.headers });
    };
    return new WebClient(this.#options.token, {
      slackApiUrl: this.#options.apiRoot,
      fetch: asked,
      retryConfig: { retries: 0 },
      allowAbsoluteUrls: false,
      logger: silent(LogLevel.ERROR),
    });
  }

  #refusal(answer: Answer): DeliveryError {
    const said = textAt(answer.body, 'error');
    return refusal(this.#platform, answer, {
      said: said?.replaceAll('_', ' '),
      code: said,
      kind: kindOf(answer, said),
    });
  }
}

function kindOf({ status }: Answer, said: string | undefined): DeliveryFailure | undefined {
  if (said === undefined) return undefined;
  return KINDS[said] ?? (status === 200 ? 'permanent' : undefined);
}

/** What goes wrong is told by the error; the client's own lines would go to the console, past the service's log. */
function silent(level: LogLevel): Logger {
  const ignore = (): void => {};
  const lines = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  return { ...lines, setLevel: ignore, setName: ignore, getLevel: () => level };
}

/** Slack through its Web API; `to` is a channel id. It knows no idempotency key. */
export function slack(options: SlackOptions): Channel {
  return new SlackChannel(options);
}
