import type { EventDetails } from '../../hooks/index.ts';
import { HttpError, sendHttp } from '../../platform/http-client.ts';
import type { HttpAnswer, HttpRequest } from '../../platform/http-client.ts';
import type { EventPage, HookPost } from '../../service/index.ts';
import type { AnswerTo, Call, GivenTo, QueryOf } from './operations.ts';
import { ServiceUnreachable, checked, readReceipt } from './service-answers.ts';
import type { Receipt } from './service-answers.ts';
import { followEvents } from './event-stream.ts';
import type { ToldEvents } from './event-stream.ts';
import type { ShownRequest } from '../senders/curl-command.ts';
import { placeText, targetAt } from './service-place.ts';
import type { ServicePlace } from './service-place.ts';

/** Largest answer that is read, in bytes: an event holds its payload, prompts and replies. */
export const LARGEST_ANSWER = 64 * 1024 * 1024;

const PATIENCE_MS = 30_000;
/** Slow transforms are part of the answer. */
const PATIENCE_OF_SENDS_MS = 90_000;
const JSON_TYPE = { 'content-type': 'application/json' };

interface ServiceAddress {
  /** Where its hooks are; a reverse proxy may serve them under a path of its own. */
  readonly url: URL;
  /** Where its operator API is. @default there, too */
  readonly operator?: ServicePlace;
  /** Shown to the operator API only. */
  readonly operatorToken: string;
  /** Shown to hooks only; absent: hooks cannot be sent to. */
  readonly hookToken?: string;
  /** `hooks.path`, with its leading slash. */
  readonly hooksPath: string;
  /** True: what is secret in the configuration may be shown there. @default false */
  readonly isOwn?: boolean;
}

interface Given {
  /** What stands for the words in braces of its route. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: object;
  readonly body?: unknown;
}

export type EventsAsked = QueryOf<'GET /ops/api/events'>;

/**
 * The operator API and the hooks of the running service. Each token goes to its own side of that one address and
 * nowhere else. Every call rejects with `ServiceUnreachable` (3) when there is no answer, or `ServiceRefusal` (1).
 */
export class ServiceClient {
  readonly #address: ServiceAddress;

  /** @param signal gives up whatever is under way; calls then reject with its reason. */
  constructor(
    address: ServiceAddress,
    readonly signal?: AbortSignal,
  ) {
    this.#address = address;
  }

  get url(): URL {
    return this.#address.url;
  }

  get operator(): ServicePlace {
    return this.#address.operator ?? this.#address;
  }

  get hooksPath(): string {
    return this.#address.hooksPath;
  }

  /** Whether it is the service of this configuration, or at least on this machine. */
  get isOwn(): boolean {
    return this.#address.isOwn === true;
  }

  get canSend(): boolean {
    return this.#address.hookToken !== undefined;
  }

  /** @param proof a key that every such answer of the service has, and a stranger's would not */
  ask<C extends Call>(call: C, proof: keyof AnswerTo<C>, given: GivenTo<C>): Promise<AnswerTo<C>>;
  async ask(call: string, proof: string, { path, query, body }: Given): Promise<object> {
    const [method = '', route = ''] = call.split(' ');
    const target = route.replaceAll(/\{(\w+)\}/g, (_, name) =>
      encodeURIComponent(path?.[name] ?? ''),
    );
    const at = this.operator;
    const sent =
      body === undefined
        ? { headers: this.#bearer }
        : {
            headers: { ...this.#bearer, ...JSON_TYPE },
            body: Buffer.from(JSON.stringify(body)),
            timeoutMs: PATIENCE_OF_SENDS_MS,
          };
    const answer = await this.#ask(method, at, target + toQuery(query ?? {}), sent);
    const data = checked(answer, placeText(at));
    if (Object.hasOwn(data, proof)) return data;
    throw new ServiceUnreachable(placeText(at), 'STRANGER');
  }

  events(query: EventsAsked): Promise<EventPage> {
    return this.ask('GET /ops/api/events', 'events', { query });
  }

  event(id: string): Promise<EventDetails> {
    return this.ask('GET /ops/api/events/{id}', 'request', { path: { id } });
  }

  /** The first message comes at once. @param mark of the last message that came, to go on there */
  async *follow(mark: string | undefined): AsyncGenerator<ToldEvents, void> {
    const headers = { ...this.#bearer, ...(mark !== undefined && { 'last-event-id': mark }) };
    yield* followEvents(this.operator, headers, this.signal);
  }

  async replay(id: string): Promise<Receipt> {
    const path = `/ops/api/events/${encodeURIComponent(id)}/replay`;
    const at = this.operator;
    const answer = await this.#ask('POST', at, path, { headers: this.#bearer });
    return readReceipt(answer, placeText(at));
  }

  async send(post: HookPost): Promise<Receipt> {
    const { hookToken = '' } = this.#address;
    const at = { url: this.url };
    const { body } = post;
    const sent = { headers: headersOf(post, hookToken), body, timeoutMs: PATIENCE_OF_SENDS_MS };
    return readReceipt(await this.#ask('POST', at, this.#pathOf(post), sent), placeText(at));
  }

  /** What {@link send} would post. @param token stands for the hook token */
  describe(post: HookPost, token: string): ShownRequest {
    const url = targetAt({ url: this.url }, this.#pathOf(post));
    return { url, headers: headersOf(post, token), body: post.body };
  }

  #pathOf({ name, query }: HookPost): string {
    return `${this.hooksPath}/${name}${toQuery(query)}`;
  }

  get #bearer(): Record<string, string> {
    return { authorization: `Bearer ${this.#address.operatorToken}` };
  }

  /** Redirects are answers like any other, and no proxy of the environment is asked: what goes out holds a token. */
  async #ask(
    method: string,
    at: ServicePlace,
    path: string,
    { timeoutMs = PATIENCE_MS, ...sent }: Pick<HttpRequest, 'headers' | 'body' | 'timeoutMs'>,
  ): Promise<HttpAnswer> {
    const target = targetAt(at, path);
    const { socketPath } = at;
    const limits = { timeoutMs, maxBytes: LARGEST_ANSWER, signal: this.signal, isDirect: true };
    try {
      return await sendHttp(target, { method, ...sent, ...limits, socketPath });
    } catch (error) {
      throw error instanceof HttpError ? ServiceUnreachable.because(placeText(at), error) : error;
    }
  }
}

function headersOf({ headers, isSigned = false }: HookPost, token: string): Record<string, string> {
  return { ...JSON_TYPE, ...headers, ...(!isSigned && { authorization: `Bearer ${token}` }) };
}

function toQuery(parameters: object): string {
  const entries = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const text = String(new URLSearchParams(entries.map(([name, value]) => [name, String(value)])));
  return text === '' ? '' : `?${text}`;
}
