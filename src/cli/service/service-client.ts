import type {
  EventStory,
  EventSummary,
  Preview,
  SessionStory,
  SessionSummary,
} from '../../hooks/index.ts';
import { exchange } from './http-exchange.ts';
import type { Answered } from './http-exchange.ts';
import { readReceipt } from './receipt.ts';
import type { Receipt } from './receipt.ts';
import type { ServiceAddress } from './service-address.ts';
import { provenText } from './service-answer.ts';
import { ServiceUnreachable } from './service-refusal.ts';

const PATIENCE_MS = 30_000;
/** Slow transforms are part of the answer. */
const PATIENCE_OF_SENDS_MS = 90_000;
const JSON_TYPE = { 'content-type': 'application/json' };

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

/** What is sent to a hook. */
export interface HookPost {
  /** What stands behind the prefix, as it goes on the wire. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: Buffer;
}

/**
 * The operator API and the hooks of the running service. Each token goes to its own side of that one address and
 * nowhere else. Every call rejects with `ServiceUnreachable` (3) when nobody answers, or `ServiceRefusal` (1).
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

  /** Whether there is a token to send to hooks with. */
  get canSend(): boolean {
    return this.#address.hookToken !== undefined;
  }

  events(asked: EventsAsked): Promise<{ events: EventSummary[]; nextCursor: string | null }> {
    return this.#operate('GET', `events${queryOf(asked)}`, 'events');
  }

  event(id: string): Promise<EventStory> {
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

  /** @param asked body of `POST /ops/api/preview`. */
  preview(asked: object): Promise<Preview> {
    return this.#operate('POST', 'preview', 'considered', Buffer.from(JSON.stringify(asked)));
  }

  sessions(asked: Page): Promise<{ sessions: SessionSummary[]; nextCursor: string | null }> {
    return this.#operate('GET', `sessions${queryOf(asked)}`, 'sessions');
  }

  /** @param key the full one. */
  session(key: string): Promise<SessionStory> {
    return this.#operate('GET', `sessions/${encodeURIComponent(key)}`, 'turns');
  }

  async send({ name, headers, query, body }: HookPost): Promise<Receipt> {
    const { hooksPath, hookToken = '' } = this.#address;
    const all = { ...headers, ...JSON_TYPE, authorization: `Bearer ${hookToken}` };
    const path = `${hooksPath}/${name}${queryOf(query)}`;
    return readReceipt(await this.#ask('POST', path, all, body, PATIENCE_OF_SENDS_MS), this.url);
  }

  get #operator(): Record<string, string> {
    return { authorization: `Bearer ${this.#address.operatorToken}` };
  }

  /** @param proof a key that every such answer of the service has, and a stranger's would not. */
  async #operate<T>(
    method: 'GET' | 'POST',
    rest: string,
    proof: string,
    body?: Buffer,
  ): Promise<T> {
    const headers = { ...this.#operator, ...(body !== undefined && JSON_TYPE) };
    const patience = body === undefined ? PATIENCE_MS : PATIENCE_OF_SENDS_MS;
    const answer = await this.#ask(method, `/ops/api/${rest}`, headers, body, patience);
    const known: T = JSON.parse(provenText(answer, proof, this.url));
    return known;
  }

  async #ask(
    method: 'GET' | 'POST',
    path: string,
    headers: Record<string, string>,
    body?: Buffer,
    timeoutMs = PATIENCE_MS,
  ): Promise<Answered> {
    const { url } = this.#address;
    const { signal } = this;
    const full = `${url.pathname.replace(/\/+$/, '')}${path}`;
    try {
      return await exchange({ method, origin: url, path: full, headers, body, timeoutMs, signal });
    } catch (error) {
      throw ServiceUnreachable.from(url, error);
    }
  }
}

function queryOf(parameters: object): string {
  const entries = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const text = String(new URLSearchParams(entries.map(([name, value]) => [name, String(value)])));
  return text === '' ? '' : `?${text}`;
}
