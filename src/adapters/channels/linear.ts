import type { Channel, DeliveryFailure, OutgoingMessage } from '../../hooks/ports/channel.ts';
import type { HttpAnswer } from '../../platform/http-client.ts';
import { getField, getText } from '../../platform/objects.ts';
import { ClientTokens } from './client-tokens.ts';
import type { Explanation } from './delivery-errors.ts';
import { withoutMentions } from './markdown.ts';
import { OwnIds } from './marker.ts';
import { PlatformChannel, joinUrl, postJson } from './platform-channel.ts';

export interface LinearOptions {
  /** Personal API key (`lin_api_…`) or access token of an app. Absent: the app's own credentials are used. */
  readonly token?: string;
  /** Client id of an app with client credentials tokens, which answers as an agent. */
  readonly appId?: string;
  readonly appSecret?: string;
  /** Address of the API. @default 'https://api.linear.app' */
  readonly apiRoot?: string;
  /** Where tokens come from. @default 'https://api.linear.app/oauth/token' */
  readonly tokenUrl?: string;
}

export const LINEAR_ROOT = 'https://api.linear.app';
/** Activities need `write`; the others let people name the agent and give it issues. https://linear.app/developers/agents */
const SCOPE = 'read,write,app:assignable,app:mentionable';

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const PLACE = new RegExp(
  `^(?:session/(${UUID})|([A-Z][A-Z\\d]{0,9}-[1-9]\\d{0,8}|${UUID})(?:/(${UUID}))?)$`,
);

/** github:linear/linear packages/sdk/src/schema.graphql. */
const ACTIVITY = `mutation ($input: AgentActivityCreateInput!) {
  agentActivityCreate(input: $input) { success } }`;
const COMMENT =
  'mutation ($input: CommentCreateInput!) { commentCreate(input: $input) { success } }';

/** What a person who waits for the session's agent is shown. https://linear.app/developers/agent-interaction */
const THOUGHT = { type: 'thought', body: 'Working on it…' };

const NO_TOKEN = 'authentication error';

/** `extensions.type` of errors (packages/sdk/src/error.ts); all others are about the message. */
const KINDS: Readonly<Record<string, DeliveryFailure>> = {
  [NO_TOKEN]: 'auth',
  forbidden: 'auth',
  ratelimited: 'rate-limited',
  'internal error': 'retryable',
  'network error': 'retryable',
  'lock timeout': 'retryable',
  unknown: 'retryable',
  other: 'retryable',
};

/** What it says of an id that it has: an earlier attempt arrived. */
const IS_THERE = /^conflict on insert of /i;

class LinearChannel extends PlatformChannel {
  override readonly provider = 'linear';
  override readonly onlyAnswers = true;
  override readonly knowsKeys = true;
  protected override readonly limit = 20_000;
  protected override readonly recipient = {
    pattern: PLACE,
    expected: 'an issue, such as WEB-44, with /<id of a comment> its thread, or session/<id>',
  };
  readonly #root: string;
  readonly #token: string | undefined;
  readonly #tokens: ClientTokens | undefined;
  readonly #ids: OwnIds;

  constructor({ token, appId, appSecret, apiRoot, tokenUrl }: LinearOptions) {
    super({ name: 'Linear', secrets: [token ?? '', appSecret ?? ''] });
    const isApp = token === undefined && appId !== undefined && appSecret !== undefined;
    if (token === undefined && !isApp) throw new Error('token is missing, or appId and appSecret');
    this.#root = apiRoot ?? LINEAR_ROOT;
    this.#token = token;
    this.#ids = new OwnIds(token ?? appSecret ?? '');
    if (!isApp) return;
    this.#tokens = new ClientTokens('Linear', {
      tokenUrl: tokenUrl ?? joinUrl(this.#root, '/oauth/token'),
      clientId: appId,
      clientSecret: appSecret,
      scope: SCOPE,
    });
  }

  /** Of an id: it names a comment that this channel made. */
  override isOwn(text: string): boolean {
    return this.#ids.isOwn(text);
  }

  /** An address of a person's profile is a mention. https://linear.app/developers/agent-interaction */
  protected override form(markdown: string): string {
    return withoutMentions(markdown).replaceAll('/profiles/', '/\u200bprofiles/');
  }

  async send(message: OutgoingMessage, signal: AbortSignal): Promise<{ messageId: string }> {
    const { to, text: body, idempotencyKey } = message;
    const [, agentSessionId, issueId, parentId] = PLACE.exec(to) ?? [];
    const id = this.#ids.of(idempotencyKey);
    if (agentSessionId !== undefined) {
      const content = { type: 'response', body };
      await this.#ask(ACTIVITY, { input: { id, agentSessionId, content } }, signal);
    } else {
      await this.#ask(COMMENT, { input: { id, issueId, parentId, body } }, signal);
    }
    return { messageId: id };
  }

  /** A session whose agent shows no sign of life for ten seconds is shown as unresponsive; a comment needs none. */
  override async acknowledge(
    { to, idempotencyKey }: Pick<OutgoingMessage, 'to' | 'idempotencyKey'>,
    signal: AbortSignal,
  ): Promise<void> {
    const [, agentSessionId] = PLACE.exec(to) ?? [];
    if (agentSessionId === undefined) return;
    const id = this.#ids.of(idempotencyKey);
    // What follows takes its place.
    const input = { id, agentSessionId, content: THOUGHT, ephemeral: true };
    await this.#ask(ACTIVITY, { input }, signal);
  }

  async #ask(query: string, variables: object, signal: AbortSignal): Promise<void> {
    const token = (await this.#tokens?.token(signal)) ?? this.#token ?? '';
    const authorization = token.startsWith('lin_api_') ? token : `Bearer ${token}`;
    const request = postJson({ query, variables }, signal, { authorization });
    const answer = await this.request(joinUrl(this.#root, '/graphql'), request);
    const { status, json } = answer;
    const error = getField(json, 'errors', 0);
    if (status === 200 && error === undefined && getField(json, 'data') != null) return;
    if (IS_THERE.test(getText(error, 'message') ?? '')) return;
    const explained = explain(answer, error);
    const isOver = this.#tokens !== undefined && (status === 401 || explained.code === NO_TOKEN);
    // The next attempt asks for a new token, and whether the app is refused is said there.
    if (isOver) this.#tokens?.forget();
    const kind = isOver ? 'retryable' : explained.kind;
    throw this.refusal(answer, { ...explained, kind, secrets: [token] });
  }
}

function explain({ status, headers }: HttpAnswer, error: unknown): Explanation {
  const type = getText(error, 'extensions', 'type');
  const message =
    getText(error, 'extensions', 'userPresentableMessage') ?? getText(error, 'message');
  const kind = type === undefined ? undefined : (KINDS[type] ?? 'permanent');
  const reset = Number(headers.get('x-ratelimit-requests-reset') ?? Number.NaN);
  const isTold = headers.has('retry-after') || !Number.isFinite(reset);
  return {
    message,
    code: type,
    kind: status === 429 ? 'rate-limited' : kind,
    ...(kind === 'rate-limited' && !isTold && { retryAfterMs: Math.max(0, reset - Date.now()) }),
  };
}

/** `to`: `<issue's identifier or id>[/<comment>]`, `session/<id>`; nothing comes twice. @throws Error without login */
export function linear(options: LinearOptions): Channel {
  return new LinearChannel(options);
}
