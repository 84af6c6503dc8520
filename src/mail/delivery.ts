import type { Clock } from '../hooks/index.ts';
import { Backoff } from '../platform/backoff.ts';
import { shorten, toBatches } from './batches.ts';
import type { HookAnswer, HookClient } from './hook-client.ts';
import type { MailMessage, MailPayload } from './message.ts';

/** How long to wait after trouble of the service. */
const LATER_BACKOFF = { firstMs: 250, maxMs: 60_000, jitter: 0.5 };

/** How long to wait after an answer that only a person can change, in milliseconds. */
const MISCONFIGURED_MS = 60_000;

/** What a delivery reports while it goes on. */
export interface DeliveryEvents {
  /** Everything up to this message is over; `accepted` messages more were accepted. */
  readonly settled: (last: MailMessage, accepted: number) => void;
  /** The service cannot take mail now; it is asked again when the wait is over. */
  readonly delayed: (answer: HookAnswer & { kind: 'later' | 'misconfigured' }) => void;
  /** This message will never be accepted; it is skipped. */
  readonly skipped: (message: MailMessage, reason: string) => void;
}

/**
 * Sends mail to the hook `mail` until every message is answered. A request that the hook refuses is halved until the
 * message that it refuses stands alone, so that one bad message holds back no other.
 */
export class MailDelivery {
  readonly #backoff = new Backoff(LATER_BACKOFF);

  constructor(
    private readonly account: string,
    private readonly hook: Pick<HookClient, 'post' | 'maxBodyBytes'>,
    private readonly clock: Clock,
    private readonly events: DeliveryEvents,
  ) {}

  /**
   * Sends the messages in their order. Waits as long as it takes when the service cannot accept; a message that is
   * refused, or breaks the mapping, is found by halving and skipped alone.
   * @throws when `signal` aborts; what is not settled then is sent again
   */
  async deliver(messages: readonly MailMessage[], signal: AbortSignal): Promise<void> {
    const waiting = toBatches(this.account, messages, this.hook.maxBodyBytes);
    for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) {
      const answer = await this.#post(batch, signal);
      const smaller = answer.kind === 'accepted' ? [] : halve(batch, answer.kind);
      const last = batch.at(-1);
      if (smaller.length > 0) waiting.unshift(...smaller);
      else if (last !== undefined) {
        if (answer.kind !== 'accepted') this.events.skipped(last, describe(answer));
        this.events.settled(last, answer.kind === 'accepted' ? batch.length : 0);
      }
    }
  }

  /** The first answer that is about the messages themselves. */
  async #post(
    messages: readonly MailMessage[],
    signal: AbortSignal,
  ): Promise<HookAnswer & { kind: 'accepted' | 'too-large' | 'refused' }> {
    const payload: MailPayload = { source: 'mail', account: this.account, messages };
    for (;;) {
      signal.throwIfAborted();
      const answer = await this.hook.post('mail', payload, signal);
      if (answer.kind !== 'later' && answer.kind !== 'misconfigured') {
        this.#backoff.reset();
        return answer;
      }
      this.events.delayed(answer);
      await this.clock.wait(this.#waitAfter(answer), signal);
    }
  }

  #waitAfter(answer: HookAnswer & { kind: 'later' | 'misconfigured' }): number {
    if (answer.kind === 'misconfigured') return MISCONFIGURED_MS;
    return Math.max(this.#backoff.next(), answer.retryAfterMs ?? 0);
  }
}

/** Less of a batch that was refused; nothing when there is no less. Every step halves, so it ends. */
function halve(batch: MailMessage[], kind: 'too-large' | 'refused'): MailMessage[][] {
  const [only] = batch;
  if (batch.length > 1) {
    const half = Math.ceil(batch.length / 2);
    return [batch.slice(0, half), batch.slice(half)];
  }
  if (kind === 'refused' || only === undefined) return [];
  const bytes = Buffer.byteLength(JSON.stringify(only));
  const less = shorten(only, Math.floor(bytes / 2));
  return Buffer.byteLength(JSON.stringify(less)) < bytes ? [[less]] : [];
}

function describe(answer: HookAnswer): string {
  return 'reason' in answer ? answer.reason : '413 even when shortened';
}
