import { hash } from 'node:crypto';
import type { FetchedMail } from './imap-session.ts';
import { toUtf8 } from './reader/charset.ts';
import { toOneLine, truncate } from './reader/parsed-mail.ts';
import type { ParsedMail } from './reader/parsed-mail.ts';

/** What the hook `mail` is sent (docs/mail.md), and how it comes of a fetched and parsed message. */

/** A part of a message that is named, not sent. */
interface Attachment {
  readonly filename: string;
  readonly contentType: string;
  /** Bytes; null when the message was cut before its end. */
  readonly size: number | null;
}

export interface MailMessage {
  /** Unique per message of a mailbox, the same after any restart; the preset's `dedupeKey`. */
  readonly id: string;
  readonly mailbox: string;
  readonly from: string;
  /** The bare address of the only sender, in small letters; empty when there are several, or none. */
  readonly fromAddress: string;
  /** Whether the mailbox's own server says that it comes from the domain of `fromAddress`; unknown: none is believed. */
  readonly authentic: boolean | 'unknown';
  readonly to: string;
  readonly subject: string;
  /** As the sender claims, ISO 8601; when that cannot be read, as the server received it. */
  readonly date: string | null;
  /** The first words of the text; without a `body` also how much may be unseen. */
  readonly snippet: string;
  /** Behind the text: how much may be unseen, and what that is. Absent when `hooks.mail.includeBody` is false. */
  readonly body?: string;
  /** Headers that help to place the message, by lower-case name; those that are absent are left out. */
  readonly headers: Readonly<Record<string, string>>;
  readonly attachments: readonly Attachment[];
  /** True: something of the text was left out. */
  readonly truncated?: true;
  /** Why the message could not be read; then only what is known of it is sent. */
  readonly error?: string;
}

/** Names the round in the `Message-ID` of a mail that our message had sent: `<hooks-round.2.anything@example.org>`. */
const NAMED_ROUND = /<hooks-round\.([1-9]\d?)\.[^>]*>/gi;

/** The round that a mail belongs to which a program wrote in answer to one of ours; 0: a person wrote it, or to nobody of us. */
export function roundOf({ headers }: MailMessage): number {
  if (!isAutomatic(headers)) return 0;
  const answered = `${headers['in-reply-to'] ?? ''} ${headers['references'] ?? ''}`;
  return Math.max(0, ...Array.from(answered.matchAll(NAMED_ROUND), ([, round]) => Number(round)));
}

/** RFC 3834, and what programs send that are older or do not know it. */
function isAutomatic(headers: MailMessage['headers']): boolean {
  const { 'auto-submitted': submitted = 'no', precedence = '' } = headers;
  if (!/^no\s*(?:[;(]|$)/i.test(submitted)) return true;
  if (/^(?:auto_reply|bulk|junk|list)\b/i.test(precedence)) return true;
  const marks = ['x-autoreply', 'x-autorespond', 'x-auto-response-suppress'];
  return marks.some((name) => name in headers) || headers['return-path'] === '<>';
}

/** The body of a request to the hook, with one message. */
export interface MailPayload {
  readonly source: 'mail';
  readonly account: string;
  readonly messages: readonly MailMessage[];
}

/** Longest snippet, in characters. */
const MAX_SNIPPET = 200;

/** How many bytes of a message that nobody can read are looked at. */
const MAX_UNREADABLE_BYTES = 65_536;

/** Longest sender and subject of such a message, in UTF-16 units. */
const MAX_HEADER = 500;

export function toMailboxKey(account: string, mailbox: string): string {
  // INBOX is the one name whose case means nothing.
  const name = mailbox.toUpperCase() === 'INBOX' ? 'INBOX' : mailbox;
  return JSON.stringify([account.toLowerCase(), name]);
}

/** The same after any crash, never the same for two. No sender can choose any of it, as a `Message-ID` is chosen. */
export function toMessageId(mailboxKey: string, uidValidity: string, uid: number): string {
  return `${hash('sha256', mailboxKey, 'hex').slice(0, 16)}-${uidValidity}-${uid}`;
}

interface MessageContext {
  readonly id: string;
  readonly mailbox: string;
  readonly includeBody: boolean;
  readonly charset: string;
  readonly authservId?: string | undefined;
}

/** The boundary counts it as the signal `hidden-text`. A sender may write it as well, who gains nothing by that. */
function noteOf({ unseenChars }: ParsedMail): string {
  return unseenChars === 0 ? '' : `(${unseenChars} characters may be unseen)`;
}

export function toMessage(
  mail: ParsedMail,
  { isCut, receivedAt }: Pick<FetchedMail, 'isCut' | 'receivedAt'>,
  { id, mailbox, includeBody }: Omit<MessageContext, 'charset'>,
): MailMessage {
  const note = noteOf(mail);
  const snippet = toOneLine(mail.text, MAX_SNIPPET);
  // What may be unseen is last, up to the end of the body: nothing in it can look like the text of the mail.
  const body = [mail.text, note, mail.unseenText].filter((part) => part !== '').join('\n\n');
  return {
    id,
    mailbox,
    from: mail.from,
    fromAddress: mail.sender,
    authentic: mail.authentic,
    to: mail.to,
    subject: mail.subject,
    date: mail.date ?? receivedAt,
    snippet: includeBody ? snippet : `${snippet} ${note}`.trim(),
    ...(includeBody && { body }),
    headers: mail.headers,
    attachments: toAttachments(mail.attachments, isCut),
    ...((isCut || mail.isCut) && { truncated: true }),
  };
}

export function toUnreadableMessage(
  { source, receivedAt }: Pick<FetchedMail, 'source' | 'receivedAt'>,
  { id, mailbox, charset, authservId }: Omit<MessageContext, 'includeBody'>,
  error: string,
): MailMessage {
  const { from, subject } = readFirstHeaders(source, charset);
  return {
    id,
    mailbox,
    from,
    fromAddress: '',
    authentic: authservId === undefined ? 'unknown' : false,
    to: '',
    subject,
    date: receivedAt,
    snippet: truncate(`(${error})`, MAX_SNIPPET),
    headers: {},
    attachments: [],
    error,
  };
}

/** The last part of a message that was cut off is larger than what was fetched of it. */
function toAttachments(attachments: ParsedMail['attachments'], isCut: boolean): Attachment[] {
  return attachments.map(({ filename, contentType, size }, index) => ({
    filename,
    contentType,
    size: isCut && index === attachments.length - 1 ? null : size,
  }));
}

/** Sender and subject of a message that cannot be parsed, as they are written in its first lines. */
export function readFirstHeaders(
  source: Uint8Array,
  charset: string,
): { from: string; subject: string } {
  const head = new TextDecoder().decode(toUtf8(source.subarray(0, MAX_UNREADABLE_BYTES), charset));
  const lines = head.split(/\r?\n/u);
  const end = lines.indexOf('');
  const headers = end < 0 ? lines : lines.slice(0, end);
  return { from: readHeader(headers, 'from'), subject: readHeader(headers, 'subject') };
}

function readHeader(lines: readonly string[], name: string): string {
  const prefix = `${name}:`;
  const found = lines.find((line) => line.slice(0, prefix.length).toLowerCase() === prefix);
  return toOneLine(found?.slice(prefix.length) ?? '', MAX_HEADER);
}
