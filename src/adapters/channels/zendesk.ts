import type { Channel, OutgoingMessage } from '../../hooks/ports/channel.ts';
import { getField, getText } from '../../platform/objects.ts';
import { NO_MARKS, plainMarkup, withoutMentions } from './markdown.ts';
import { PlatformChannel, joinUrl } from './platform-channel.ts';

export interface ZendeskOptions {
  /** API token. */
  readonly token: string;
  /** E-mail address of the agent whose token it is. */
  readonly account: string;
  /** Address of the account, for example `https://acme.zendesk.com`. */
  readonly apiRoot: string;
}

class ZendeskChannel extends PlatformChannel {
  override readonly provider = 'zendesk';
  override readonly onlyAnswers = true;
  protected override readonly limit = 20_000;
  protected override readonly recipient = {
    pattern: /^[1-9]\d{0,18}$/,
    expected: 'the number of a ticket, such as 35436',
  };
  readonly #options: ZendeskOptions;

  constructor(options: ZendeskOptions) {
    super({ name: 'Zendesk', secrets: [options.token, credentials(options)] });
    this.#options = options;
  }

  protected override form(markdown: string): string {
    return withoutMentions(plainMarkup(markdown, NO_MARKS));
  }

  /** https://developer.zendesk.com/api-reference/ticketing/tickets/ticket_comments/ */
  async send({ to, text }: OutgoingMessage, signal: AbortSignal): Promise<{ messageId: string }> {
    const body = { ticket: { comment: { body: text, public: false } } };
    const answer = await this.request(
      joinUrl(this.#options.apiRoot, `/api/v2/tickets/${to}.json`),
      {
        method: 'PUT',
        headers: {
          'content-type': 'application/json',
          authorization: `Basic ${credentials(this.#options)}`,
        },
        body: JSON.stringify(body),
        signal,
      },
    );
    const { status, json } = answer;
    const id: unknown = getField(getField(json, 'audit'), 'id');
    if (status === 200 && typeof id === 'number') return { messageId: String(id) };
    throw this.refusal(answer, { message: explain(json) });
  }
}

/** What is wrong with a field says more than that something is. */
function explain(json: unknown): string | undefined {
  const details = getField(json, 'details');
  const about =
    typeof details === 'object' && details !== null ? Object.values(details).flat() : [];
  const said = about
    .map((one: unknown) => getText(one, 'description'))
    .filter((it) => it !== undefined);
  if (said.length > 0) return said.join(', ');
  return (
    getText(json, 'description') ?? getText(json, 'error', 'message') ?? getText(json, 'error')
  );
}

function credentials({ account, token }: ZendeskOptions): string {
  return Buffer.from(`${account}/token:${token}`).toString('base64');
}

/**
 * Tickets of Zendesk Support; `to` is a ticket's number, and the message becomes an internal note, which no customer sees.
 * It knows no idempotency key.
 */
export function zendesk(options: ZendeskOptions): Channel {
  return new ZendeskChannel(options);
}
