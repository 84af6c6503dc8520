import type { MailMessage, MailPayload } from './message.ts';
import { truncate } from './reader/parsed-mail.ts';

/** How messages are fitted into requests: `hooks.maxBodyBytes` limits each request, and its JSON is what counts. */

/** Most messages of one request; a fan-out takes at most 200 items. */
const MAX_MESSAGES = 50;

/** Longest texts of a message that is cut down to the least, in UTF-16 units. */
const MINIMAL_TEXT = 100;

/** Bytes of a request's body around its messages. */
function frameBytes(account: string): number {
  return countBytes({ source: 'mail', account, messages: [] } satisfies MailPayload);
}

/**
 * Divides messages, in their order, into requests of at most `maxBytes` as JSON. A message that is too large alone is
 * shortened and says so.
 */
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
    if (last === undefined || filled + bytes > room || last.length >= MAX_MESSAGES) {
      batches.push([message]);
      filled = bytes;
    } else {
      last.push(message);
      filled += bytes;
    }
  }
  return batches;
}

/**
 * The message in at most `maxBytes` as JSON: less body first, then without headers and attachments, then with hardly more than its names.
 * Where even these do not fit, they are returned.
 */
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

/** Every text that a sender can make long is cut. */
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

/** Bytes of the value as JSON. */
function countBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
