import { createHash } from 'node:crypto';
import type { REST, RESTOptions } from '@discordjs/rest';
import { DeliveryError } from '../../hooks/ports/channel.ts';
import type { Channel, OutgoingMessage } from '../../hooks/ports/channel.ts';
import { exchange } from './exchange.ts';
import type { Answer, Platform } from './exchange.ts';
import { field, textAt } from './field.ts';
import { PlatformChannel } from './platform-channel.ts';
import { DISCORD_CHANNEL } from './recipients.ts';
import { refusal } from './refusal.ts';

export interface DiscordOptions {
  /** The bot's token. */
  readonly token: string;
  /** Address of the API, without its version. @default 'https://discord.com/api' */
  readonly apiRoot?: string;
}

/** Message flag: links show no preview, so that nobody fetches them unasked. */
const SUPPRESS_EMBEDS = 4;
const NONCE_CHARS = 25;
const NEVER = new AbortController().signal;

/** A request as Discord's client makes it; its body is JSON. */
type DiscordRequest = Parameters<RESTOptions['makeRequest']>[1];

class DiscordChannel extends PlatformChannel {
  override readonly provider = 'discord';
  override readonly knowsKeys = true;
  protected override readonly limit = 2000;
  protected override readonly recipient = DISCORD_CHANNEL;
  readonly #options: DiscordOptions;
  readonly #platform: Platform;
  #rest: Promise<REST> | undefined;

  constructor(options: DiscordOptions) {
    super();
    this.#options = options;
    this.#platform = { name: 'Discord', secrets: [options.token] };
  }

  /** `allowed_mentions` keeps every mention from notifying anybody. */
  protected override form(markdown: string): string {
    return markdown;
  }

  async send(
    { to, text, idempotencyKey }: OutgoingMessage,
    signal: AbortSignal,
  ): Promise<{ messageId: string }> {
    signal.throwIfAborted();
    const rest = await (this.#rest ??= this.#client());
    const body = {
      content: text,
      nonce: createHash('sha256').update(idempotencyKey).digest('hex').slice(0, NONCE_CHARS),
      enforce_nonce: true,
      allowed_mentions: { parse: [] },
      flags: SUPPRESS_EMBEDS,
    };
    try {
      const sent = await rest.post(`/channels/${to}/messages`, { body, signal });
      const messageId = textAt(sent, 'id');
      if (messageId !== undefined) return { messageId };
    } catch (error) {
      signal.throwIfAborted();
      throw asDeliveryError(error);
    }
    throw new DeliveryError('Discord gave an answer that could not be understood', 'unknown');
  }

  /** Discord's client keeps its own account of the limits; requests are ours, and so are retries. */
  async #client(): Promise<REST> {
    const { REST } = await import('@discordjs/rest');
    const rest = new REST({
      api: this.#options.apiRoot?.replace(/\/+$/, ''),
      version: '10',
      retries: 0,
      rejectOnRateLimit: () => true,
      // Ours comes first.
      timeout: 120_000,
      makeRequest: (url, init) => this.#request(url, init),
    });
    return rest.setToken(this.#options.token);
  }

  async #request(url: string, init: DiscordRequest): Promise<Response> {
    const { method, headers = {}, body, signal } = init;
    const lines = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    const request = {
      method,
      headers: Object.fromEntries(lines),
      body: typeof body === 'string' ? body : undefined,
    };
    const answer = await exchange(this.#platform, url, request, signal ?? NEVER);
    if (answer.status >= 300 || answer.body === undefined) throw this.#refusal(answer);
    return new Response(answer.text, { status: answer.status, headers: answer.headers });
  }

  #refusal(answer: Answer): DeliveryError {
    const seconds = field(answer.body, 'retry_after');
    const isGlobal = field(answer.body, 'global') !== false;
    return refusal(this.#platform, answer, {
      said: textAt(answer.body, 'message'),
      code: textAt(answer.body, 'code'),
      kind: kindOf(answer.status, isGlobal),
      retryAfterMs: typeof seconds === 'number' ? Math.ceil(seconds * 1000) : undefined,
    });
  }
}

/** 403 and 404 are about one channel; so is a limit that is not global. */
function kindOf(status: number, isGlobal: boolean) {
  if (status === 403) return 'permanent';
  return status === 429 && !isGlobal ? 'retryable' : undefined;
}

/** Besides our own errors, the client's foresight: the limit of one channel, or of all, is used up. */
function asDeliveryError(error: unknown): DeliveryError {
  if (error instanceof DeliveryError) return error;
  const wait = field(error, 'timeToReset');
  if (typeof wait === 'number') {
    const kind = field(error, 'global') === true ? 'rate-limited' : 'retryable';
    return new DeliveryError('Discord asks to send more slowly', kind, Math.ceil(wait), '429');
  }
  return new DeliveryError('Discord gave an answer that could not be understood', 'unknown');
}

/**
 * Discord through its REST API; `to` is a channel id. The idempotency key becomes the message's enforced nonce, which
 * Discord remembers for a few minutes.
 */
export function discord(options: DiscordOptions): Channel {
  return new DiscordChannel(options);
}
