import type { Channel, OutgoingMessage } from '../../hooks/ports/channel.ts';
import type { HttpAnswer } from '../../platform/http-client.ts';
import { getField, getText, isRecord } from '../../platform/objects.ts';
import type { Explanation } from './delivery-errors.ts';
import { NO_MARKS, plainMarkup, withoutMentions } from './markdown.ts';
import { PlatformChannel, joinUrl, postJson } from './platform-channel.ts';

export interface JiraOptions {
  readonly token: string;
  /** E-mail address of the account whose token it is. */
  readonly account: string;
  /** Its Atlassian account id, by which its own comments are known when Jira tells of them. */
  readonly accountId: string;
  /** Keys of the projects where it may comment, whatever a message names; `*` is everywhere. */
  readonly projects: readonly string[];
  /** Address of the site, `https://acme.atlassian.net`, or for a token with scopes `https://api.atlassian.com/ex/jira/<cloud id>`. */
  readonly apiRoot: string;
}

const ISSUE = /^([A-Z][A-Z\d_]{1,99})-[1-9]\d{0,9}$/;
const PROJECT = /^(?:\*|[A-Z][A-Z\d_]{1,99})$/;

/** On requests of a service desk, which customers read, a comment is an internal note; elsewhere it changes nothing. */
const INTERNAL = [{ key: 'sd.public.comment', value: { internal: true } }];

class JiraChannel extends PlatformChannel {
  override readonly provider = 'jira';
  override readonly onlyAnswers = true;
  protected override readonly limit = 20_000;
  protected override readonly recipient = null;
  readonly #options: JiraOptions;

  /** @throws Error when `projects` names none, or something else */
  constructor(options: JiraOptions) {
    super({ name: 'Jira', secrets: [options.token, credentials(options)] });
    const { projects } = options;
    const wrong = projects.find((one) => !PROJECT.test(one));
    if (projects.length === 0) throw new Error('projects is empty; name where it may comment');
    if (wrong !== undefined) throw new Error(`projects holds "${wrong}"; write SHOP or *`);
    this.#options = options;
  }

  override expectedInsteadOf(to: string): string | null {
    const { projects } = this.#options;
    const [, project = ''] = ISSUE.exec(to) ?? [];
    if (project !== '' && (projects.includes('*') || projects.includes(project))) return null;
    return `an issue in one of ${projects.join(', ')} (projects), such as SHOP-15`;
  }

  /** Of the id of an author: webhooks bring no properties of comments, and text would be seen. */
  override isOwn(text: string): boolean {
    return text === this.#options.accountId;
  }

  protected override form(markdown: string): string {
    return withoutMentions(plainMarkup(markdown, NO_MARKS));
  }

  /** https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-comments/ */
  async send({ to, text }: OutgoingMessage, signal: AbortSignal): Promise<{ messageId: string }> {
    const url = joinUrl(this.#options.apiRoot, `/rest/api/3/issue/${to}/comment`);
    const headers = {
      accept: 'application/json',
      authorization: `Basic ${credentials(this.#options)}`,
    };
    const comment = { body: asDocument(text), properties: INTERNAL };
    const answer = await this.request(url, postJson(comment, signal, headers));
    const id = getText(answer.json, 'id');
    if (answer.status === 201 && id !== undefined) return { messageId: id };
    throw this.refusal(answer, explain(answer));
  }
}

/** Paragraphs of the Atlassian Document Format: nothing in their text is a mention, a link or a macro. */
function asDocument(text: string): object {
  const content = text.split(/\n{2,}/).map((paragraph) => ({
    type: 'paragraph',
    content: paragraph
      .split('\n')
      .flatMap((line, at) => [
        ...(at > 0 ? [{ type: 'hardBreak' }] : []),
        ...(line === '' ? [] : [{ type: 'text', text: line }]),
      ]),
  }));
  return { type: 'doc', version: 1, content };
}

function explain({ json }: HttpAnswer): Explanation {
  const errors = getField(json, 'errors');
  const fields = isRecord(errors) ? Object.values(errors).map(String) : [];
  const message = getText(json, 'errorMessages', 0) ?? getText(json, 'message');
  return { message: message ?? (fields.length > 0 ? fields.join(', ') : undefined) };
}

function credentials({ account, token }: JiraOptions): string {
  return Buffer.from(`${account}:${token}`).toString('base64');
}

/** `to`: an issue key; a service desk's comments are internal. No idempotency key. @throws Error without `projects` */
export function jira(options: JiraOptions): Channel {
  return new JiraChannel(options);
}
