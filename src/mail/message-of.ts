import { knownHeaders } from './known-headers.ts';
import type { Attachment, MailMessage } from './mail-message.ts';
import { bounded, oneLine } from './reader/bounded.ts';
import type { ParsedMail } from './reader/parsed-mail.ts';

/** Longest snippet, in characters. */
const SNIPPET = 200;

/** What the mailbox says of a message, and the first of its bytes. */
export interface FetchedMail {
  readonly uid: number;
  readonly source: Uint8Array;
  /** Whether bytes were left out. */
  readonly isCut: boolean;
  /** When the server received it, ISO 8601. */
  readonly receivedAt: string | null;
}

/** Where a message is from and how much of it is wanted. */
export interface MessageContext {
  readonly id: string;
  readonly mailbox: string;
  readonly includeBody: boolean;
}

/** The message as it is sent. */
export function messageOf(
  mail: ParsedMail,
  { isCut, receivedAt }: FetchedMail,
  { id, mailbox, includeBody }: MessageContext,
): MailMessage {
  return {
    id,
    mailbox,
    from: mail.from,
    to: mail.to,
    subject: mail.subject,
    date: mail.date ?? receivedAt,
    snippet: oneLine(mail.text, SNIPPET),
    ...(includeBody && { body: mail.text }),
    headers: mail.headers,
    attachments: named(mail.attachments, isCut),
    ...((isCut || mail.isCut) && { truncated: true }),
  };
}

/** What is known of a message that cannot be read. */
export function unreadableMessage(
  { source, receivedAt }: FetchedMail,
  { id, mailbox }: MessageContext,
  error: string,
): MailMessage {
  const { from, subject } = knownHeaders(source);
  return {
    id,
    mailbox,
    from,
    to: '',
    subject,
    date: receivedAt,
    snippet: bounded(`(${error})`, SNIPPET),
    headers: {},
    attachments: [],
    error,
  };
}

/** The last part of a message that was cut off is larger than what came of it. */
function named(attachments: ParsedMail['attachments'], isCut: boolean): Attachment[] {
  return attachments.map(({ filename, contentType, size }, index) => ({
    filename,
    contentType,
    size: isCut && index === attachments.length - 1 ? null : size,
  }));
}
