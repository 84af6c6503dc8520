import type { Clock } from '../hooks/index.ts';
import { Backoff } from './backoff.ts';
import { batchesOf, shortened } from './batches.ts';
import type { HookAnswer } from './hook-answer.ts';
import type { HookClient } from './hook-client.ts';
import type { MailMessage, MailPayload } from './mail-message.ts';

/** How long to wait after trouble of the service, and after an answer that only a person can change. */
const FIRST_MS = 250;
const LONGEST_MS = 60_000;
const MISCONFIGURED_MS = 60_000;

/** What a delivery tells while it goes on. */
export interface DeliveryEvents {
  /** Everything up to this message is over. */
  readonly settled: (last: MailMessage, count: number) => void;
  /** The service cannot take mail now; asked again when the wait is over. */
  readonly delayed: (answer: HookAnswer & { kind: 'later' | 'misconfigured' }) => void;
  /** This message will never be accepted; it is passed. */
  readonly passed: (message: MailMessage, reason: string) => void;
}

/** Sends mail to the hook `mail` until every message is answered. */
export class MailDelivery {
  readonly #backoff = new Backoff(FIRST_MS, LONGEST_MS);

  constructor(
    private readonly account: string,
    private readonly hook: Pick<HookClient, 'post' | 'maxBodyBytes'>,
    private readonly clock: Clock,
    private readonly events: DeliveryEvents,
  ) {}

  /**
   * Sends the messages in their order. Waits as long as it takes when the service cannot accept; a message that is
   * refused, or breaks the mapping, is found by halving and passed alone.
   * @throws when `signal` aborts; what is not settled then is sent again
   */
  async deliver(messages: readonly MailMessage[], signal: AbortSignal): Promise<void> {
    const waiting = batchesOf(this.account, messages, this.hook.maxBodyBytes);
    for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) {
      const answer = await this.#answered(batch, signal);
      const smaller = answer.kind === 'accepted' ? [] : smallerThan(batch, answer.kind);
      const last = batch.at(-1);
      if (smaller.length > 0) waiting.unshift(...smaller);
      else if (last !== undefined) {
        if (answer.kind !== 'accepted') this.events.passed(last, reasonOf(answer));
        this.events.settled(last, answer.kind === 'accepted' ? batch.length : 0);
      }
    }
  }

  /** The first answer that is about the messages themselves. */
  async #answered(
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
function smallerThan(batch: MailMessage[], kind: 'too-large' | 'refused'): MailMessage[][] {
  const [only] = batch;
  if (batch.length > 1) {
    const half = Math.ceil(batch.length / 2);
    return [batch.slice(0, half), batch.slice(half)];
  }
  if (kind === 'refused' || only === undefined) return [];
  const bytes = Buffer.byteLength(JSON.stringify(only));
  const less = shortened(only, Math.floor(bytes / 2));
  return Buffer.byteLength(JSON.stringify(less)) < bytes ? [[less]] : [];
}

function reasonOf(answer: HookAnswer): string {
  return 'reason' in answer ? answer.reason : '413 even when shortened';
}
