import type {
  EventDetails,
  EventSummary,
  LostRequests,
  Preview,
  RefusedRequest,
  Route,
  SecretWindow,
  SessionDetails,
  SessionSummary,
} from '../../hooks/index.ts';
import { HttpError, sendHttp } from '../../platform/http-client.ts';
import type { HttpAnswer } from '../../platform/http-client.ts';
import { isRecord } from '../../platform/objects.ts';
import { ServiceRefusal, ServiceUnreachable } from './service-errors.ts';

/** Largest answer that is read, in bytes: an event holds its payload, prompts and replies. */
export const LARGEST_ANSWER = 64 * 1024 * 1024;

const PATIENCE_MS = 30_000;
/** Slow transforms are part of the answer. */
const PATIENCE_OF_SENDS_MS = 90_000;
const JSON_TYPE = { 'content-type': 'application/json' };

/** Where the service is, and what it is shown there. */
export interface ServiceAddress {
  /** Without a trailing slash in its path; a reverse proxy may serve it under a path of its own. */
  readonly url: URL;
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
}

/** Which refused requests. */
export interface RefusalsAsked extends Page {
  readonly hook?: string;
  readonly code?: string;
  /** ISO 8601. */
  readonly since?: string;
  readonly verified?: boolean;
}

/** What senders lost at one hook for one reason, as a sentence without its stop, and what to do. */
export interface Lost extends LostRequests {
  readonly what: string;
  readonly todo: string;
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

/** What the sender of a request is answered. */
export interface Receipt {
  readonly status: number;
  /** Null: an answer without a body that names none. */
  readonly eventId: string | null;
  /** True: the same key came before, and nothing new was done. */
  readonly isRepeat: boolean;
  readonly warnings: readonly string[];
  /** Set when the request was kept as a failed event: why it failed. */
  readonly failure?: { readonly code: string; readonly error: string };
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

  get url(): URL {
    return this.#address.url;
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

  events(asked: EventsAsked): Promise<{ events: EventSummary[]; nextCursor: string | null }> {
    return this.#operate('GET', `events${toQuery(asked)}`, 'events');
  }

  refusals(
    asked: RefusalsAsked,
  ): Promise<{ refusals: RefusedRequest[]; nextCursor: string | null }> {
    return this.#operate('GET', `refusals${toQuery(asked)}`, 'refusals');
  }

  /** What verified senders lost in the last hour. */
  async lost(): Promise<readonly Lost[]> {
    const { lost } = await this.#operate<{ lost: Lost[] }>('GET', 'refusals/lost', 'lost');
    return lost;
  }

  event(id: string): Promise<EventDetails> {
    return this.#operate('GET', `events/${encodeURIComponent(id)}`, 'request');
  }

  /** What the sender would be answered today. */
  async replay(id: string): Promise<Receipt> {
    const path = `/ops/api/events/${encodeURIComponent(id)}/replay`;
    return readReceipt(await this.#ask('POST', path, this.#operator), this.url);
  }

  retry(id: string): Promise<{ retried: number }> {
    return this.#operate('POST', `events/${encodeURIComponent(id)}/retry`, 'retried');
  }

  retryAll(asked: DeadWorkAsked): Promise<{ retried: number; nextCursor: string | null }> {
    return this.#operate('POST', `events/retry${toQuery(asked)}`, 'retried');
  }

  dismiss(id: string): Promise<{ dismissed: number }> {
    return this.#operate('POST', `events/${encodeURIComponent(id)}/dismiss`, 'dismissed');
  }

  dismissAll(asked: DeadWorkAsked): Promise<{ dismissed: number; nextCursor: string | null }> {
    return this.#operate('POST', `events/dismiss${toQuery(asked)}`, 'dismissed');
  }

  /** @param asked body of `POST /ops/api/preview`. */
  preview(asked: object): Promise<Preview> {
    return this.#operate('POST', 'preview', 'considered', Buffer.from(JSON.stringify(asked)));
  }

  sessions(asked: Page): Promise<{ sessions: SessionSummary[]; nextCursor: string | null }> {
    return this.#operate('GET', `sessions${toQuery(asked)}`, 'sessions');
  }

  /** @param key the full one. */
  session(key: string): Promise<SessionDetails> {
    return this.#operate('GET', `sessions/${encodeURIComponent(key)}`, 'turns');
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
    const answer = await this.#operate<WindowAnswer>('POST', 'secret-windows', 'window', body);
    return answer.window;
  }

  async secretWindow(hook: string): Promise<SecretWindow> {
    const path = `secret-windows${toQuery({ hook })}`;
    const { window } = await this.#operate<WindowAnswer>('GET', path, 'window');
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
    return readReceipt(await this.#ask('POST', path, all, body, PATIENCE_OF_SENDS_MS), this.url);
  }

  get #operator(): Record<string, string> {
    return { authorization: `Bearer ${this.#address.operatorToken}` };
  }

  /** @param proof a key that every such answer of the service has, and a stranger's would not. */
  async #operate<T>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    rest: string,
    proof: string,
    body?: Buffer<ArrayBuffer>,
  ): Promise<T> {
    const headers = { ...this.#operator, ...(body !== undefined && JSON_TYPE) };
    const patience = body === undefined ? PATIENCE_MS : PATIENCE_OF_SENDS_MS;
    const answer = await this.#ask(method, `/ops/api/${rest}`, headers, body, patience);
    const known: T = JSON.parse(checkedText(answer, proof, this.url));
    return known;
  }

  /** Redirects are answers like any other, and no proxy of the environment is asked: what goes out holds a token. */
  async #ask(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    headers: Record<string, string>,
    body?: Buffer<ArrayBuffer>,
    timeoutMs = PATIENCE_MS,
  ): Promise<HttpAnswer> {
    const { url } = this.#address;
    const target = `${url.origin}${url.pathname.replace(/\/+$/, '')}${path}`;
    const limits = { timeoutMs, maxBytes: LARGEST_ANSWER, signal: this.signal, isDirect: true };
    try {
      return await sendHttp(target, { method, headers, body, ...limits });
    } catch (error) {
      throw error instanceof HttpError ? ServiceUnreachable.because(url, error) : error;
    }
  }
}

interface WindowAnswer {
  readonly window: SecretWindow;
}

function routeOf(key: string): string {
  return `sessions/${encodeURIComponent(key)}/route`;
}

function toQuery(parameters: object): string {
  const entries = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const text = String(new URLSearchParams(entries.map(([name, value]) => [name, String(value)])));
  return text === '' ? '' : `?${text}`;
}

/** @throws ServiceRefusal unless an event was kept; ServiceUnreachable */
function readReceipt(answer: HttpAnswer, url: URL): Receipt {
  const { status, headers } = answer;
  const isRepeat = headers.get('idempotent-replayed') === 'true';
  if (status === 204) {
    return { status, eventId: toText(headers.get('event-id')), isRepeat, warnings: [] };
  }
  const body = parseAnswer(answer, url);
  const { eventId, warnings, code, error } = body;
  const id = toText(eventId);
  if (status >= 400 && id !== null) {
    const failure = { code: toText(code) ?? '', error: toText(error) ?? '' };
    return { status, eventId: id, isRepeat, warnings: [], failure };
  }
  throwIfRefused(answer, body, url);
  return { status, eventId: id, isRepeat, warnings: toTexts(warnings) };
}

function toText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function toTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

/** An answer as JSON object. @throws ServiceUnreachable when it is none that this service gives */
function parseAnswer({ status, json }: HttpAnswer, url: URL): Record<string, unknown> {
  if (status >= 300 && status < 400) throw new ServiceUnreachable(url, 'REDIRECT');
  if (isRecord(json)) return json;
  throw new ServiceUnreachable(url, 'STRANGER');
}

/**
 * The JSON text of an answer of 2xx.
 * @param proof a key it has.
 * @throws ServiceRefusal, ServiceUnreachable
 */
function checkedText(answer: HttpAnswer, proof: string, url: URL): string {
  const body = parseAnswer(answer, url);
  throwIfRefused(answer, body, url);
  if (!Object.hasOwn(body, proof)) throw new ServiceUnreachable(url, 'STRANGER');
  return answer.text;
}

/** @throws ServiceRefusal, ServiceUnreachable when the status is none of success. */
function throwIfRefused(
  { status }: HttpAnswer,
  { error, code }: Record<string, unknown>,
  url: URL,
): void {
  if (status >= 200 && status < 300) return;
  if (typeof error !== 'string' || typeof code !== 'string') {
    throw new ServiceUnreachable(url, 'STRANGER');
  }
  throw new ServiceRefusal(status, code, error);
}
