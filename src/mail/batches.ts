import type { MailMessage, MailPayload } from './mail-message.ts';
import { bounded } from './reader/bounded.ts';

/** Most messages of one request; a fan-out takes at most 200 items. */
const MOST_MESSAGES = 50;

/** Texts of a message that is cut down to its bones, in UTF-16 units. */
const BONES = 100;

/** Bytes of a request's body around its messages. */
function frameBytes(account: string): number {
  return jsonBytes({ source: 'mail', account, messages: [] } satisfies MailPayload);
}

/**
 * Divides messages, in their order, into requests of at most `maxBytes` as JSON. A message that is too large alone is
 * shortened and says so.
 */
export function batchesOf(
  account: string,
  messages: readonly MailMessage[],
  maxBytes: number,
): MailMessage[][] {
  const room = maxBytes - frameBytes(account);
  const batches: MailMessage[][] = [];
  let filled = Infinity;
  for (const whole of messages) {
    const message = shortened(whole, room);
    const bytes = jsonBytes(message) + 1;
    const last = batches.at(-1);
    if (last === undefined || filled + bytes > room || last.length >= MOST_MESSAGES) {
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
 * The message in at most `maxBytes` as JSON: less body first, then without headers and attachments, then in its bones.
 * Where even these do not fit, they are returned.
 */
export function shortened(message: MailMessage, maxBytes: number): MailMessage {
  if (jsonBytes(message) <= maxBytes) return message;
  const cut: MailMessage = { ...message, truncated: true };
  const shorter = withLessBody(cut, maxBytes);
  if (shorter !== undefined) return shorter;
  const { body: _body, ...rest } = cut;
  const bare: MailMessage = { ...rest, headers: {}, attachments: [] };
  return jsonBytes(bare) <= maxBytes ? bare : bones(bare);
}

/** Undefined: even without any body it is too large. */
function withLessBody(message: MailMessage, maxBytes: number): MailMessage | undefined {
  const { body } = message;
  if (body === undefined) return undefined;
  const excess = jsonBytes(message) - maxBytes;
  const bytesEach = jsonBytes(body) / body.length;
  // The second always fits where anything does: a UTF-16 unit is a byte at least.
  for (const most of [body.length - Math.ceil(excess / bytesEach), body.length - excess]) {
    const shorter = { ...message, body: bounded(body, Math.max(most, 0)) };
    if (jsonBytes(shorter) <= maxBytes) return shorter;
  }
  return undefined;
}

function bones(message: MailMessage): MailMessage {
  const { from, to, subject, snippet } = message;
  const brief = [from, to, subject, snippet].map((text) => bounded(text, BONES));
  const [fromBrief = '', toBrief = '', subjectBrief = '', snippetBrief = ''] = brief;
  return {
    ...message,
    from: fromBrief,
    to: toBrief,
    subject: subjectBrief,
    snippet: snippetBrief,
  };
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
