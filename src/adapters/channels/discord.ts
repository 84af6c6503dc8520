import { createHash } from 'node:crypto';
import type { REST, RESTOptions } from '@discordjs/rest';
import { DeliveryError } from '../../hooks/ports/channel.ts';
import type { Channel, DeliveryFailure, OutgoingMessage } from '../../hooks/ports/channel.ts';
import type { HttpAnswer } from '../../platform/http-client.ts';
import { getField, getText, isRecord } from '../../platform/objects.ts';
import { DiscordButtons, NO_BUTTONS, buttonRow } from './discord-buttons.ts';
import { PlatformChannel } from './platform-channel.ts';
import { PHONE_COLUMNS, withoutTables } from './tables.ts';

export interface DiscordOptions {
  readonly token: string;
  /** Address of the API, without its version. @default 'https://discord.com/api' */
  readonly apiRoot?: string;
}

/** Message flag: links show no preview, so that nobody fetches them unasked. */
const SUPPRESS_EMBEDS = 4;
const NONCE_CHARS = 25;

type DiscordRequest = Parameters<RESTOptions['makeRequest']>[1];

class DiscordChannel extends PlatformChannel {
  override readonly provider = 'discord';
  override readonly knowsKeys = true;
  protected override readonly limit = 2000;
  protected override readonly recipient = {
    pattern: /^\d{15,20}$/,
    expected: 'a channel id of 15 to 20 digits (Copy Channel ID in the client)',
  };
  override readonly buttons = new DiscordButtons((to, id, signal) =>
    this.#edit({ to, id }, NO_BUTTONS, signal),
  );
  readonly #options: DiscordOptions;
  #rest: REST | undefined;

  constructor(options: DiscordOptions) {
    super({ name: 'Discord', secrets: [options.token] });
    this.#options = options;
  }

  /** `allowed_mentions` keeps every mention from notifying anybody. */
  protected override form(markdown: string): string {
    return withoutTables(markdown, PHONE_COLUMNS);
  }

  async send(
    { to, text, idempotencyKey, code, replaces }: OutgoingMessage,
    signal: AbortSignal,
  ): Promise<{ messageId: string }> {
    signal.throwIfAborted();
    if (replaces !== undefined) {
      const body = { content: text, allowed_mentions: { parse: [] }, ...NO_BUTTONS };
      await this.#edit({ to, id: replaces }, body, signal);
      return { messageId: replaces };
    }
    const rest = await this.#client();
    const body = {
      content: text,
      ...(code !== undefined && buttonRow(code)),
      nonce: createHash('sha256').update(idempotencyKey).digest('hex').slice(0, NONCE_CHARS),
      enforce_nonce: true,
      allowed_mentions: { parse: [] },
      flags: SUPPRESS_EMBEDS,
    };
    try {
      const sent = await rest.post(`/channels/${to}/messages`, { body, signal });
      const messageId = getText(sent, 'id');
      if (messageId !== undefined) return { messageId };
    } catch (error) {
      signal.throwIfAborted();
      throw this.#toDeliveryError(error);
    }
    throw this.unreadable();
  }

  async #edit(
    { to, id }: { readonly to: string; readonly id: string },
    body: object,
    signal: AbortSignal,
  ): Promise<void> {
    const rest = await this.#client();
    try {
      await rest.patch(`/channels/${to}/messages/${id}`, { body, signal });
    } catch (error) {
      signal.throwIfAborted();
      throw this.#toDeliveryError(error);
    }
  }

  /** One for all messages: Discord's client keeps its own account of the limits. Requests and retries are ours. */
  async #client(): Promise<REST> {
    const { REST } = await this.library('@discordjs/rest', () => import('@discordjs/rest'));
    this.#rest ??= new REST({
      api: this.#options.apiRoot?.replace(/\/+$/, ''),
      version: '10',
      retries: 0,
      rejectOnRateLimit: () => true,
      // Ours comes first.
      timeout: 120_000,
      makeRequest: (url, init) => this.#fetchForDiscord(url, init),
    }).setToken(this.#options.token);
    return this.#rest;
  }

  async #fetchForDiscord(url: string, init: DiscordRequest): Promise<Response> {
    const { method, headers = {}, body, signal } = init;
    const lines = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    const answer = await this.request(url, {
      method,
      headers: Object.fromEntries(lines),
      body: typeof body === 'string' ? body : undefined,
      signal: signal ?? undefined,
    });
    const { status, text, json } = answer;
    if (status >= 300 || json === undefined) throw this.#refused(answer);
    return new Response(text, { status, headers: answer.headers });
  }

  #refused(answer: HttpAnswer): DeliveryError {
    const { status, json } = answer;
    const seconds = getField(json, 'retry_after');
    const isGlobal = getField(json, 'global') !== false;
    return this.refusal(answer, {
      message: explain(json),
      code: getText(json, 'code'),
      kind: toFailureKind(status, isGlobal),
      retryAfterMs: typeof seconds === 'number' ? Math.ceil(seconds * 1000) : undefined,
    });
  }

  /** Besides our own errors, the client's foresight: the limit of one channel, or of all, is used up. */
  #toDeliveryError(error: unknown): DeliveryError {
    if (error instanceof DeliveryError) return error;
    const wait = getField(error, 'timeToReset');
    if (typeof wait !== 'number') return this.unreadable();
    const kind = getField(error, 'global') === true ? 'rate-limited' : 'retryable';
    return new DeliveryError('Discord asks to send more slowly', kind, Math.ceil(wait), '429');
  }
}

/** What Discord says; of an invalid form also the first mistake and its field, `Invalid Form Body: content: Must be …`. */
function explain(json: unknown): string {
  return [getText(json, 'message'), findMistake(getField(json, 'errors'))]
    .filter((words) => words !== undefined)
    .join(': ');
}

const MAX_DEPTH = 6;

/** Mistakes stand in lists named `_errors` below the names of their fields. */
function findMistake(errors: unknown, path: readonly string[] = []): string | undefined {
  const said = getText(errors, '_errors', 0, 'message');
  if (said !== undefined) return path.length === 0 ? said : `${path.join('.')}: ${said}`;
  if (!isRecord(errors) || path.length === MAX_DEPTH) return undefined;
  for (const [name, below] of Object.entries(errors)) {
    const found = findMistake(below, [...path, name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** 403 and 404 are about one channel; so is a limit that is not global. */
function toFailureKind(status: number, isGlobal: boolean): DeliveryFailure | undefined {
  if (status === 403) return 'permanent';
  return status === 429 && !isGlobal ? 'retryable' : undefined;
}

/** `to` is a channel id. The key becomes the message's enforced nonce, which Discord remembers for a few minutes. */
export function discord(options: DiscordOptions): Channel {
  return new DiscordChannel(options);
}
