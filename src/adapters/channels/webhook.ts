import { createHmac } from 'node:crypto';
import { isIP } from 'node:net';
import type { Channel, DeliveryFailure, OutgoingMessage } from '../../hooks/ports/channel.ts';
import { ROUND_HEADER } from '../../hooks/ports/rounds.ts';
import { isPublicAddress } from '../../platform/http-client.ts';
import { getText } from '../../platform/objects.ts';
import { withoutMentions } from './markdown.ts';
import { PlatformChannel, postJson } from './platform-channel.ts';

export interface WebhookOptions {
  /** Where each message is posted, `http` or `https`. */
  readonly url: string;
  /** Each `whsec_` and 24 to 64 bytes in base64. Messages are signed with all of them, so that one can follow another. */
  readonly secrets: readonly string[];
  /** True: the address may be one of this machine or of a private network. @default false */
  readonly allowPrivate?: boolean;
}

/** Refusals that mean "later" where the status alone would mean "never". */
const LATER: ReadonlyMap<number, DeliveryFailure> = new Map([[425, 'retryable']]);

class WebhookChannel extends PlatformChannel {
  override readonly provider = 'webhook';
  // `webhook-id` stays the same over attempts; receivers drop what they have seen.
  override readonly knowsKeys = true;
  protected override readonly limit = 20_000;
  protected override readonly recipient = null;
  readonly #options: WebhookOptions;
  readonly #keys: readonly Buffer[];

  constructor(options: WebhookOptions) {
    const bare = options.secrets.map((secret) => secret.replace(PREFIX, ''));
    super({ name: 'Webhook', secrets: [...options.secrets, ...bare], addressKey: 'url' });
    this.#keys = options.secrets.map(readSecret);
    this.#options = options;
  }

  protected override form(markdown: string): string {
    return withoutMentions(markdown);
  }

  async send(
    { to, text, idempotencyKey: id, round }: OutgoingMessage,
    signal: AbortSignal,
  ): Promise<{ messageId: string }> {
    const { url, allowPrivate = false } = this.#options;
    const message = { type: 'message', to, text };
    const body = JSON.stringify(message);
    const at = Math.floor(Date.now() / 1000);
    const request = postJson(message, signal, {
      'user-agent': 'nestjs-agent-hooks',
      'webhook-id': id,
      'webhook-timestamp': String(at),
      'webhook-signature': this.#keys.map((key) => sign(key, id, at, body)).join(' '),
      ...(round !== undefined && { [ROUND_HEADER]: String(round) }),
    });
    const answer = await this.request(url, { ...request, isPublicOnly: !allowPrivate });
    const { status, json } = answer;
    if (status >= 200 && status < 300) return { messageId: id };
    const reason = getText(json, 'message') ?? getText(json, 'error');
    throw this.refusal(answer, { message: reason, kind: LATER.get(status) });
  }
}

const PREFIX = /^whsec_/;

/** @throws Error what is expected of a secret, without the one that was given. */
function readSecret(secret: string): Buffer {
  const key = Buffer.from(secret.replace(PREFIX, ''), 'base64');
  const isBase64 =
    key.toString('base64').replace(/=+$/, '') === secret.replace(PREFIX, '').replace(/=+$/, '');
  if (PREFIX.test(secret) && isBase64 && key.length >= 24 && key.length <= 64) return key;
  throw new Error(
    'each of secrets must be whsec_ and 24 to 64 bytes in base64, for example from: echo whsec_$(openssl rand -base64 32)',
  );
}

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#symmetric */
function sign(key: Buffer, id: string, at: number, body: string): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`;
}

/**
 * Any server that takes a POST: `{"type": "message", "to", "text"}`, signed as Standard Webhooks
 * (https://www.standardwebhooks.com). An answer of 2xx is a delivery; the message's id is its `webhook-id`.
 * @throws Error for no or bad `secrets`, or a private address that need not be one
 */
export function webhook(options: WebhookOptions): Channel {
  const { url, secrets, allowPrivate = false } = options;
  if (secrets.length === 0) throw new Error('secrets is empty; a message must be signed');
  const host = new URL(url).hostname.replaceAll(/[[\]]/g, '');
  // A name is looked up when there is something to send, for each connection.
  if (!allowPrivate && (host === 'localhost' || (isIP(host) !== 0 && !isPublicAddress(host)))) {
    throw new Error('url is a private address; if that is meant, set allowPrivate: true');
  }
  return new WebhookChannel(options);
}
