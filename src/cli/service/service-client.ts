import createClient from 'openapi-fetch';
import type {
  EventDetails,
  Preview,
  Route,
  SecretWindow,
  SessionDetails,
} from '../../hooks/index.ts';
import { HttpError, sendHttp } from '../../platform/http-client.ts';
import type { HttpAnswer, HttpRequest } from '../../platform/http-client.ts';
import type {
  Channels,
  Dismissed,
  DismissedPage,
  Draining,
  EventPage,
  Forgotten,
  ForgottenPage,
  HookPost,
  Instances,
  Intake,
  LostLately,
  RefusalPage,
  Retried,
  RetriedPage,
  ServiceStatus,
  SessionPage,
  TestSent,
  Tokens,
} from '../../service/index.ts';
import type { operations, paths } from '../../../docs/openapi.d.ts';
import { ServiceUnreachable, assertServed, checked, readReceipt } from './service-answers.ts';
import type { Receipt } from './service-answers.ts';
import { followEvents } from './event-stream.ts';
import type { ToldEvents } from './event-stream.ts';
import { placeText, targetAt } from './service-place.ts';
import type { ServicePlace } from './service-place.ts';

/** Largest answer that is read, in bytes: an event holds its payload, prompts and replies. */
export const LARGEST_ANSWER = 64 * 1024 * 1024;

const PATIENCE_MS = 30_000;
/** Slow transforms are part of the answer. */
const PATIENCE_OF_SENDS_MS = 90_000;
/** Stands for wherever the operator API is. */
const PLACE = 'http://operator.invalid';
const JSON_TYPE = { 'content-type': 'application/json' };

/** Where the service is, and what it is shown there. */
export interface ServiceAddress {
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

/** Query of an operation of the operator API. */
type QueryOf<Operation extends keyof operations> = NonNullable<
  operations[Operation]['parameters']['query']
>;

/** Where a page begins, and how long it is. */
export type Page = QueryOf<'sessionsList'>;
/** Which events. */
export type EventsAsked = QueryOf<'eventsList'>;
/** Which refused requests. */
export type RefusalsAsked = QueryOf<'refusalsList'>;
/** What is previewed. */
export type PreviewAsked = NonNullable<
  operations['preview']['requestBody']
>['content']['application/json'];
/** Which dead runs and deliveries. */
export type DeadWorkAsked = QueryOf<'eventsRetryAll'>;

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

  /** Where its hooks are. */
  get url(): URL {
    return this.#address.url;
  }

  /** Where its operator API is. */
  get operator(): ServicePlace {
    return this.#address.operator ?? this.#address;
  }

  /** `hooks.path`. */
  get hooksPath(): string {
    return this.#address.hooksPath;
  }

  /** Whether it is the service of this configuration, or at least on this machine. */
  get isOwn(): boolean {
    return this.#address.isOwn === true;
  }

  /** Whether there is a token to send to hooks with. */
  get canSend(): boolean {
    return this.#address.hookToken !== undefined;
  }

  /** How the service is doing as a whole. */
  status(): Promise<ServiceStatus> {
    return this.#known('startedAt', this.#api.GET('/ops/api/status'));
  }

  /** Where its console is. Rejects where it serves none. */
  async console(): Promise<URL> {
    const at = this.operator;
    assertServed(await this.#ask('GET', at, '/console', { headers: {} }), placeText(at));
    return new URL(`${at.url.href.replace(/\/$/, '')}/console`);
  }

  pause(): Promise<Intake> {
    return this.#known('paused', this.#api.POST('/ops/api/pause'));
  }

  resume(): Promise<Intake> {
    return this.#known('paused', this.#api.POST('/ops/api/resume'));
  }

  /** Null: it has its ledger alone. */
  async instances(): Promise<Instances['instances']> {
    const { instances } = await this.#known('instances', this.#api.GET('/ops/api/instances'));
    return instances;
  }

  drain(id: string): Promise<Draining> {
    const params = { path: { id } };
    return this.#known('draining', this.#api.POST('/ops/api/instances/{id}/drain', { params }));
  }

  /** The end of its draining. */
  resumeInstance(id: string): Promise<Draining> {
    const params = { path: { id } };
    return this.#known('draining', this.#api.POST('/ops/api/instances/{id}/resume', { params }));
  }

  /** The tokens in force, never themselves. */
  async tokens(): Promise<Tokens['tokens']> {
    const { tokens } = await this.#known('tokens', this.#api.GET('/ops/api/tokens'));
    return tokens;
  }

  async channels(): Promise<Channels['channels']> {
    const { channels } = await this.#known('channels', this.#api.GET('/ops/api/channels'));
    return channels;
  }

  /** Sends a test message. @param to absent: the channel's own recipient. */
  testChannel(id: string, to: string | undefined): Promise<TestSent> {
    const sent = { params: { path: { id } }, body: { to } };
    return this.#known('messageId', this.#api.POST('/ops/api/channels/{id}/test', sent));
  }

  events(query: EventsAsked): Promise<EventPage> {
    return this.#known('events', this.#api.GET('/ops/api/events', { params: { query } }));
  }

  /**
   * Events that come or change, as the service tells them, until it ends the stream; the first message comes at once.
   * @param mark of the last message that came, to go on there.
   */
  async *follow(mark: string | undefined): AsyncGenerator<ToldEvents, void> {
    const headers = { ...this.#bearer, ...(mark !== undefined && { 'last-event-id': mark }) };
    yield* followEvents(this.operator, headers, this.signal);
  }

  refusals(query: RefusalsAsked): Promise<RefusalPage> {
    return this.#known('refusals', this.#api.GET('/ops/api/refusals', { params: { query } }));
  }

  /** What verified senders lost in the last hour. */
  async lost(): Promise<LostLately['lost']> {
    const { lost } = await this.#known('lost', this.#api.GET('/ops/api/refusals/lost'));
    return lost;
  }

  event(id: string): Promise<EventDetails> {
    const params = { path: { id } };
    return this.#known('request', this.#api.GET('/ops/api/events/{id}', { params }));
  }

  /** What the sender would be answered today. */
  async replay(id: string): Promise<Receipt> {
    const path = `/ops/api/events/${encodeURIComponent(id)}/replay`;
    const at = this.operator;
    const answer = await this.#ask('POST', at, path, { headers: this.#bearer });
    return readReceipt(answer, placeText(at));
  }

  retry(id: string): Promise<Retried> {
    const params = { path: { id } };
    return this.#known('retried', this.#api.POST('/ops/api/events/{id}/retry', { params }));
  }

  retryAll(query: DeadWorkAsked): Promise<RetriedPage> {
    return this.#known('retried', this.#api.POST('/ops/api/events/retry', { params: { query } }));
  }

  dismiss(id: string): Promise<Dismissed> {
    const params = { path: { id } };
    return this.#known('dismissed', this.#api.POST('/ops/api/events/{id}/dismiss', { params }));
  }

  forget(id: string): Promise<Forgotten> {
    const params = { path: { id } };
    return this.#known('leftovers', this.#api.DELETE('/ops/api/events/{id}', { params }));
  }

  forgetMatching(matching: string, cursor?: string): Promise<ForgottenPage> {
    const body = { matching, ...(cursor !== undefined && { cursor }) };
    return this.#known('leftovers', this.#api.POST('/ops/api/events/forget', { body }));
  }

  dismissAll(query: DeadWorkAsked): Promise<DismissedPage> {
    const params = { query };
    return this.#known('dismissed', this.#api.POST('/ops/api/events/dismiss', { params }));
  }

  preview(body: PreviewAsked): Promise<Preview> {
    return this.#known('considered', this.#api.POST('/ops/api/preview', { body }));
  }

  sessions(query: Page): Promise<SessionPage> {
    return this.#known('sessions', this.#api.GET('/ops/api/sessions', { params: { query } }));
  }

  /** @param key the full one. @param page of the system events that wait. */
  session(key: string, query: Page = { limit: 1 }): Promise<SessionDetails> {
    const params = { path: { key }, query };
    return this.#known('turns', this.#api.GET('/ops/api/sessions/{key}', { params }));
  }

  /** The session last spoke there, as far as it remembers. @param key the full one, of a main session. */
  async setRoute(key: string, body: Route): Promise<void> {
    const sent = { params: { path: { key } }, body };
    await this.#known('ok', this.#api.PUT('/ops/api/sessions/{key}/route', sent));
  }

  /** @param key the full one, of a main session. */
  async clearRoutes(key: string): Promise<void> {
    const params = { path: { key } };
    await this.#known('ok', this.#api.DELETE('/ops/api/sessions/{key}/route', { params }));
  }

  /** @param key the full one, of any session. */
  async clearTranscript(key: string): Promise<void> {
    const params = { path: { key } };
    await this.#known('ok', this.#api.DELETE('/ops/api/sessions/{key}/turns', { params }));
  }

  /** Opens a window in which the secret of a hook's sender is taken, or shows the one that there is. */
  async openSecretWindow(hook: string, scheme: string): Promise<SecretWindow> {
    const body = { hook, scheme };
    const opened = this.#api.POST('/ops/api/secret-windows', { body });
    return (await this.#known('window', opened)).window;
  }

  async secretWindow(hook: string): Promise<SecretWindow> {
    const params = { query: { hook } };
    const found = this.#api.GET('/ops/api/secret-windows', { params });
    return (await this.#known('window', found)).window;
  }

  /** Closes it and forgets what it took. */
  async discardSecretWindow(hook: string): Promise<void> {
    const params = { query: { hook } };
    await this.#known('ok', this.#api.DELETE('/ops/api/secret-windows', { params }));
  }

  async send({ name, headers, query, body, isSigned = false }: HookPost): Promise<Receipt> {
    const { hooksPath, hookToken = '' } = this.#address;
    const all = {
      ...JSON_TYPE,
      ...headers,
      ...(!isSigned && { authorization: `Bearer ${hookToken}` }),
    };
    const path = `${hooksPath}/${name}${toQuery(query)}`;
    const at = { url: this.url };
    const sent = { headers: all, body, timeoutMs: PATIENCE_OF_SENDS_MS };
    return readReceipt(await this.#ask('POST', at, path, sent), placeText(at));
  }

  get #bearer(): Record<string, string> {
    return { authorization: `Bearer ${this.#address.operatorToken}` };
  }

  /**
   * The operator API, typed by its own description (docs/openapi.json). An answer that is none of the service's own, or
   * a refusal, is thrown where it arrives.
   */
  readonly #api = createClient<paths>({ baseUrl: PLACE, fetch: (request) => this.#fetch(request) });

  async #fetch(request: Request): Promise<Response> {
    const at = this.operator;
    const body = Buffer.from(await request.arrayBuffer());
    const sent =
      body.length === 0
        ? { headers: this.#bearer }
        : { headers: { ...this.#bearer, ...JSON_TYPE }, body, timeoutMs: PATIENCE_OF_SENDS_MS };
    const { pathname, search } = new URL(request.url);
    const answer = await this.#ask(request.method, at, pathname + search, sent);
    return checked(answer, placeText(at));
  }

  /** @param proof a key that every such answer of the service has, and a stranger's would not. */
  async #known<T extends object>(proof: keyof T, call: Promise<{ data?: T }>): Promise<T> {
    const { data } = await call;
    if (data !== undefined && Object.hasOwn(data, proof)) return data;
    throw new ServiceUnreachable(placeText(this.operator), 'STRANGER');
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

function toQuery(parameters: object): string {
  const entries = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const text = String(new URLSearchParams(entries.map(([name, value]) => [name, String(value)])));
  return text === '' ? '' : `?${text}`;
}
