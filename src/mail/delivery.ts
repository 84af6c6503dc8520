import { ROUND_HEADER } from '../hooks/index.ts';
import type { Clock } from '../hooks/index.ts';
import { Backoff } from '../platform/time.ts';
import type { HookAnswer, HookClient } from './hook-client.ts';
import { roundOf } from './message.ts';
import type { MailMessage, MailPayload } from './message.ts';
import { truncate } from './reader/parsed-mail.ts';

const LATER_BACKOFF = { firstMs: 250, maxMs: 60_000, jitter: 0.5 };

/** How long to wait after an answer that only a person can change, in milliseconds. */
const MISCONFIGURED_MS = 60_000;

type FinalAnswer = HookAnswer & { kind: 'accepted' | 'too-large' | 'refused' };

interface DeliveryEvents {
  /** Everything up to this message is over. */
  readonly settled: (message: MailMessage, isAccepted: boolean) => void;
  /** The service cannot take mail now; it is asked again when the wait is over. */
  readonly delayed: (answer: HookAnswer & { kind: 'later' | 'misconfigured' }) => void;
  readonly skipped: (message: MailMessage, reason: string) => void;
}

/** One message a request: what a mapping's conditions say of it is said of no other, and no bad one holds back others. */
export class MailDelivery {
  readonly #backoff = new Backoff(LATER_BACKOFF);

  constructor(
    private readonly account: string,
    private readonly hook: Pick<HookClient, 'post' | 'maxBodyBytes'>,
    private readonly clock: Clock,
    private readonly events: DeliveryEvents,
  ) {}

  /** Waits as long as it takes. @throws when `signal` aborts; what is not settled then is sent again */
  async deliver(messages: readonly MailMessage[], signal: AbortSignal): Promise<void> {
    const room = this.hook.maxBodyBytes - frameBytes(this.account);
    for (const message of messages) {
      const answer = await this.#deliverOne(shorten(message, room), signal);
      if (answer.kind !== 'accepted') this.events.skipped(message, describe(answer));
      this.events.settled(message, answer.kind === 'accepted');
    }
  }

  /** What is too large for the hook is halved, until there is no less. */
  async #deliverOne(message: MailMessage, signal: AbortSignal): Promise<FinalAnswer> {
    const answer = await this.#post(message, signal);
    if (answer.kind !== 'too-large') return answer;
    const bytes = countBytes(message);
    const less = shorten(message, Math.floor(bytes / 2));
    return countBytes(less) < bytes ? this.#deliverOne(less, signal) : answer;
  }

  async #post(message: MailMessage, signal: AbortSignal): Promise<FinalAnswer> {
    const payload: MailPayload = { source: 'mail', account: this.account, messages: [message] };
    const round = roundOf(message);
    const headers: Record<string, string> = round === 0 ? {} : { [ROUND_HEADER]: `${round}` };
    for (;;) {
      signal.throwIfAborted();
      const answer = await this.hook.post('mail', payload, signal, headers);
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

function describe(answer: HookAnswer): string {
  return 'reason' in answer ? answer.reason : '413 even when shortened';
}

/** How a message is fitted into a request: `hooks.maxBodyBytes` limits it, and its JSON is what counts. */

/** Longest texts of a message that is cut down to the least, in UTF-16 units. */
const MINIMAL_TEXT = 100;

function frameBytes(account: string): number {
  return countBytes({ source: 'mail', account, messages: [] } satisfies MailPayload);
}

/** Less body, then no headers and attachments, then hardly more than names, even if that exceeds `maxBytes`. */
export function shorten(message: MailMessage, maxBytes: number): MailMessage {
  if (countBytes(message) <= maxBytes) return message;
  const cut: MailMessage = { ...message, truncated: true };
  const shorter = withLessBody(cut, maxBytes);
  if (shorter !== undefined) return shorter;
  const { body: _body, ...rest } = cut;
  const bare: MailMessage = { ...rest, headers: {}, attachments: [] };
  return countBytes(bare) <= maxBytes ? bare : toMinimal(bare);
}

/** Undefined: even without any body it is too large. */
function withLessBody(message: MailMessage, maxBytes: number): MailMessage | undefined {
  const { body } = message;
  if (body === undefined) return undefined;
  const excess = countBytes(message) - maxBytes;
  const bytesEach = countBytes(body) / body.length;
  // The second always fits where anything does: a UTF-16 unit is a byte at least.
  for (const most of [body.length - Math.ceil(excess / bytesEach), body.length - excess]) {
    const shorter = { ...message, body: truncate(body, Math.max(most, 0)) };
    if (countBytes(shorter) <= maxBytes) return shorter;
  }
  return undefined;
}

function toMinimal(message: MailMessage): MailMessage {
  const { from, to, subject, snippet } = message;
  const brief = [from, to, subject, snippet].map((text) => truncate(text, MINIMAL_TEXT));
  const [fromBrief = '', toBrief = '', subjectBrief = '', snippetBrief = ''] = brief;
  return {
    ...message,
    from: fromBrief,
    to: toBrief,
    subject: subjectBrief,
    snippet: snippetBrief,
  };
}

function countBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
