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

interface DeliveryEvents {
  /** Everything up to this message is over; `accepted` messages more were accepted. */
  readonly settled: (last: MailMessage, accepted: number) => void;
  /** The service cannot take mail now; it is asked again when the wait is over. */
  readonly delayed: (answer: HookAnswer & { kind: 'later' | 'misconfigured' }) => void;
  readonly skipped: (message: MailMessage, reason: string) => void;
}

/** A refused request is halved until the refused message stands alone: one bad message holds back no other. */
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

  async #post(
    messages: readonly MailMessage[],
    signal: AbortSignal,
  ): Promise<HookAnswer & { kind: 'accepted' | 'too-large' | 'refused' }> {
    const payload: MailPayload = { source: 'mail', account: this.account, messages };
    const round = Math.max(0, ...messages.map(roundOf));
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

/** How messages are fitted into requests: `hooks.maxBodyBytes` limits each request, and its JSON is what counts. */

/** Most messages of one request; a fan-out takes at most 200 items. */
const MAX_MESSAGES = 50;

/** Longest texts of a message that is cut down to the least, in UTF-16 units. */
const MINIMAL_TEXT = 100;

function frameBytes(account: string): number {
  return countBytes({ source: 'mail', account, messages: [] } satisfies MailPayload);
}

/** Requests of at most `maxBytes` as JSON, of one round each. A message too large alone is shortened and says so. */
export function toBatches(
  account: string,
  messages: readonly MailMessage[],
  maxBytes: number,
): MailMessage[][] {
  const room = maxBytes - frameBytes(account);
  const batches: MailMessage[][] = [];
  let filled = Infinity;
  for (const whole of messages) {
    const message = shorten(whole, room);
    const bytes = countBytes(message) + 1;
    const last = batches.at(-1);
    const isOther = last?.[0] !== undefined && roundOf(last[0]) !== roundOf(message);
    if (last === undefined || isOther || filled + bytes > room || last.length >= MAX_MESSAGES) {
      batches.push([message]);
      filled = bytes;
    } else {
      last.push(message);
      filled += bytes;
    }
  }
  return batches;
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
