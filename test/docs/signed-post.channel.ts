import { createHmac } from 'node:crypto';
import { Channel, DeliveryError } from '../../src/channels.ts';
import type { OutgoingMessage } from '../../src/channels.ts';

/** POSTs each reply to a URL of the operator's, signed so that the receiver knows where it came from. */
export class SignedPostChannel extends Channel {
  override readonly provider = 'signed-post';
  // The receiver drops what comes twice under one key.
  override readonly knowsKeys = true;
  readonly #url: string;
  readonly #secret: string;

  constructor(url: string, secret: string) {
    super();
    this.#url = url;
    this.#secret = secret;
  }

  override expectedInsteadOf(to: string): string | null {
    return /^[a-z-]{1,40}$/.test(to) ? null : 'the name of a team, such as on-call';
  }

  async send({ to, text, idempotencyKey }: OutgoingMessage, signal: AbortSignal) {
    const body = JSON.stringify({ to, text });
    const signature = createHmac('sha256', this.#secret).update(body).digest('hex');
    const headers = {
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
      'x-signature': `sha256=${signature}`,
    };
    // A redirect would carry the message to a place nobody configured.
    const init = { method: 'POST', redirect: 'manual', headers, body, signal } as const;
    const answer = await fetch(this.#url, init).catch(() => {
      signal.throwIfAborted();
      throw new DeliveryError('the receiver gave no answer', 'unknown');
    });
    if (answer.ok) return { messageId: answer.headers.get('x-message-id') ?? undefined };
    if (answer.status === 429) {
      const seconds = Number(answer.headers.get('retry-after')) || 1;
      throw new DeliveryError('the receiver asks to slow down', 'rate-limited', seconds * 1000);
    }
    const kind = answer.status >= 500 ? 'retryable' : 'permanent';
    throw new DeliveryError(`the receiver answered ${answer.status}`, kind);
  }
}
