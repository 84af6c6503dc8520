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
  EventPage,
  Intake,
  LostLately,
  RefusalPage,
  Retried,
  RetriedPage,
  ServiceStatus,
  SessionPage,
  TestSent,
  Window,
} from '../../service/index.ts';
import { assertServed, checkedText, readReceipt } from './service-answers.ts';
import type { Receipt } from './service-answers.ts';
import { ServiceUnreachable } from './service-errors.ts';
import { placeText } from './service-place.ts';
import type { ServicePlace } from './service-place.ts';

/** Largest answer that is read, in bytes: an event holds its payload, prompts and replies. */
export const LARGEST_ANSWER = 64 * 1024 * 1024;

const PATIENCE_MS = 30_000;
/** Slow transforms are part of the answer. */
const PATIENCE_OF_SENDS_MS = 90_000;
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

export interface Page {
  /** Of the answer before. */
  readonly cursor?: string;
  /** 1 to 200. */
  readonly limit: number;
}

export interface EventsAsked extends Page {
  readonly hook?: string;
  readonly status?: string;
  readonly mapping?: string;
  /** Full key. */
  readonly session?: string;
  /** ISO 8601. */
  readonly since?: string;
  /** ISO 8601. */
  readonly until?: string;
}

/** Which refused requests. */
export interface RefusalsAsked extends Page {
  readonly hook?: string;
  readonly code?: string;
  /** ISO 8601. */
  readonly since?: string;
  readonly verified?: boolean;
}

/** Which dead runs and deliveries. */
export interface DeadWorkAsked {
  readonly hook?: string;
  /** ISO 8601. */
  readonly since?: string;
  readonly status?: string;
  readonly cursor?: string;
}

/** What is sent to a hook. */
export interface HookPost {
  /** What stands behind the prefix, as it goes on the wire. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** JSON text, unless `headers` name another type. */
  readonly body: Buffer<ArrayBuffer>;
  /** True: the headers prove who sends, and the hook token stays here. @default false */
  readonly isSigned?: boolean;
}

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
    return this.#operate('GET', 'status', 'startedAt');
  }

  /** Where its console is. Rejects where it serves none. */
  async console(): Promise<URL> {
    const at = this.operator;
    assertServed(await this.#ask('GET', at, '/console', { headers: {} }), placeText(at));
    return new URL(`${at.url.href.replace(/\/$/, '')}/console`);
  }

  pause(): Promise<Intake> {
    return this.#operate('POST', 'pause', 'paused');
  }

  resume(): Promise<Intake> {
    return this.#operate('POST', 'resume', 'paused');
  }

  async channels(): Promise<Channels['channels']> {
    const { channels } = await this.#operate<Channels>('GET', 'channels', 'channels');
    return channels;
  }

  /** Sends a test message. @param to absent: the channel's own recipient. */
  testChannel(id: string, to: string | undefined): Promise<TestSent> {
    const path = `channels/${encodeURIComponent(id)}/test`;
    return this.#operate('POST', path, 'messageId', Buffer.from(JSON.stringify({ to })));
  }

  events(asked: EventsAsked): Promise<EventPage> {
    return this.#operate('GET', `events${toQuery(asked)}`, 'events');
  }

  refusals(asked: RefusalsAsked): Promise<RefusalPage> {
    return this.#operate('GET', `refusals${toQuery(asked)}`, 'refusals');
  }

  /** What verified senders lost in the last hour. */
  async lost(): Promise<LostLately['lost']> {
    const { lost } = await this.#operate<LostLately>('GET', 'refusals/lost', 'lost');
    return lost;
  }

  event(id: string): Promise<EventDetails> {
    return this.#operate('GET', `events/${encodeURIComponent(id)}`, 'request');
  }

  /** What the sender would be answered today. */
  async replay(id: string): Promise<Receipt> {
    const path = `/ops/api/events/${encodeURIComponent(id)}/replay`;
    const at = this.operator;
    const answer = await this.#ask('POST', at, path, { headers: this.#bearer });
    return readReceipt(answer, placeText(at));
  }

  retry(id: string): Promise<Retried> {
    return this.#operate('POST', `events/${encodeURIComponent(id)}/retry`, 'retried');
  }

  retryAll(asked: DeadWorkAsked): Promise<RetriedPage> {
    return this.#operate('POST', `events/retry${toQuery(asked)}`, 'retried');
  }

  dismiss(id: string): Promise<Dismissed> {
    return this.#operate('POST', `events/${encodeURIComponent(id)}/dismiss`, 'dismissed');
  }

  dismissAll(asked: DeadWorkAsked): Promise<DismissedPage> {
    return this.#operate('POST', `events/dismiss${toQuery(asked)}`, 'dismissed');
  }

  /** @param asked body of `POST /ops/api/preview`. */
  preview(asked: object): Promise<Preview> {
    return this.#operate('POST', 'preview', 'considered', Buffer.from(JSON.stringify(asked)));
  }

  sessions(asked: Page): Promise<SessionPage> {
    return this.#operate('GET', `sessions${toQuery(asked)}`, 'sessions');
  }

  /** @param key the full one. @param page of the system events that wait. */
  session(key: string, page: Page = { limit: 1 }): Promise<SessionDetails> {
    return this.#operate('GET', `sessions/${encodeURIComponent(key)}${toQuery(page)}`, 'turns');
  }

  /** The session last spoke there, as far as it remembers. @param key the full one, of a main session. */
  async setRoute(key: string, route: Route): Promise<void> {
    await this.#operate('PUT', routeOf(key), 'ok', Buffer.from(JSON.stringify(route)));
  }

  /** @param key the full one, of a main session. */
  async clearRoutes(key: string): Promise<void> {
    await this.#operate('DELETE', routeOf(key), 'ok');
  }

  /** Opens a window in which the secret of a hook's sender is taken, or shows the one that there is. */
  async openSecretWindow(hook: string, scheme: string): Promise<SecretWindow> {
    const body = Buffer.from(JSON.stringify({ hook, scheme }));
    const answer = await this.#operate<Window>('POST', 'secret-windows', 'window', body);
    return answer.window;
  }

  async secretWindow(hook: string): Promise<SecretWindow> {
    const path = `secret-windows${toQuery({ hook })}`;
    const { window } = await this.#operate<Window>('GET', path, 'window');
    return window;
  }

  /** Closes it and forgets what it took. */
  async discardSecretWindow(hook: string): Promise<void> {
    await this.#operate('DELETE', `secret-windows${toQuery({ hook })}`, 'ok');
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

  /** @param proof a key that every such answer of the service has, and a stranger's would not. */
  async #operate<T>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    rest: string,
    proof: string,
    body?: Buffer<ArrayBuffer>,
  ): Promise<T> {
    const headers = { ...this.#bearer, ...(body !== undefined && JSON_TYPE) };
    const timeoutMs = body === undefined ? PATIENCE_MS : PATIENCE_OF_SENDS_MS;
    const at = this.operator;
    const answer = await this.#ask(method, at, `/ops/api/${rest}`, { headers, body, timeoutMs });
    const known: T = JSON.parse(checkedText(answer, proof, placeText(at)));
    return known;
  }

  /** Redirects are answers like any other, and no proxy of the environment is asked: what goes out holds a token. */
  async #ask(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    at: ServicePlace,
    path: string,
    { timeoutMs = PATIENCE_MS, ...sent }: Pick<HttpRequest, 'headers' | 'body' | 'timeoutMs'>,
  ): Promise<HttpAnswer> {
    const { url, socketPath } = at;
    const target = `${url.origin}${url.pathname.replace(/\/+$/, '')}${path}`;
    const limits = { timeoutMs, maxBytes: LARGEST_ANSWER, signal: this.signal, isDirect: true };
    try {
      return await sendHttp(target, { method, ...sent, ...limits, socketPath });
    } catch (error) {
      throw error instanceof HttpError ? ServiceUnreachable.because(placeText(at), error) : error;
    }
  }
}

function routeOf(key: string): string {
  return `sessions/${encodeURIComponent(key)}/route`;
}

function toQuery(parameters: object): string {
  const entries = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const text = String(new URLSearchParams(entries.map(([name, value]) => [name, String(value)])));
  return text === '' ? '' : `?${text}`;
}
