import { simpleParser } from 'mailparser';
import type { AddressObject, ParsedMail as Parsed } from 'mailparser';
import { bounded, oneLine } from './bounded.ts';
import { htmlText } from './html-text.ts';
import type { ParsedMail } from './parsed-mail.ts';

/** Longest texts, in UTF-16 units. */
const LONGEST_ADDRESSES = 1_000;
const LONGEST_SUBJECT = 1_000;
const LONGEST_HEADER = 500;
const LONGEST_NAME = 255;

/** A text may be this long however short its message is: quotations and lists add signs of their own. */
const SHORTEST_LIMIT = 4_096;

/** Most attachments that are named. */
const MOST_ATTACHMENTS = 50;

/** Most senders that are compared with one's own addresses. */
const MOST_SENDERS = 100;

const KEPT_HEADERS = [
  'message-id',
  'in-reply-to',
  'references',
  'reply-to',
  'cc',
  'list-id',
  'auto-submitted',
  'precedence',
];

/** Reads one message, whole or cut off anywhere. Runs in the reading thread: it may hang, throw or use too much memory. */
export async function parseMail(source: Uint8Array): Promise<ParsedMail> {
  const mail = await simpleParser(Buffer.from(source), {
    skipHtmlToText: true,
    skipTextToHtml: true,
    skipImageLinks: true,
    skipTextLinks: true,
  });
  const { text, isCut } = textOf(mail);
  const longest = Math.max(source.length, SHORTEST_LIMIT);
  return {
    from: addressText(mail.from),
    fromAddresses: addressesOf(mail.from),
    to: addressText(mail.to),
    subject: oneLine(mail.subject ?? '', LONGEST_SUBJECT),
    date: dateOf(mail),
    headers: headersOf(mail),
    text: bounded(text, longest),
    isCut: isCut || text.length > longest,
    attachments: mail.attachments.slice(0, MOST_ATTACHMENTS).map((attachment) => ({
      filename: oneLine(attachment.filename ?? '', LONGEST_NAME),
      contentType: oneLine(attachment.contentType, LONGEST_NAME),
      size: attachment.size,
    })),
  };
}

function textOf({ text, html }: Parsed): { text: string; isCut: boolean } {
  const plain = cleaned(text ?? '');
  if (plain !== '' || typeof html !== 'string') return { text: plain, isCut: false };
  const shown = htmlText(html);
  return { ...shown, text: cleaned(shown.text) };
}

/** Unix line ends, no other control characters, no wide gaps. */
function cleaned(text: string): string {
  return text
    .replace(/\r\n?/gu, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .replace(/\n{3,}/gu, '\n\n')
    .trim();
}

function listOf(addresses: AddressObject | AddressObject[] | undefined): AddressObject[] {
  if (addresses === undefined) return [];
  return Array.isArray(addresses) ? addresses : [addresses];
}

function addressText(addresses: AddressObject | AddressObject[] | undefined): string {
  const texts = listOf(addresses).map(({ text }) => text);
  return oneLine(texts.join(', '), LONGEST_ADDRESSES);
}

function addressesOf(addresses: AddressObject | undefined): string[] {
  return listOf(addresses)
    .flatMap(({ value }) => value)
    .slice(0, MOST_SENDERS)
    .flatMap(({ address }) => (address === undefined ? [] : [address.trim().toLowerCase()]));
}

/** The parser puts the present in the place of a date that it cannot read: what is written decides. */
function dateOf({ date, headerLines }: Parsed): string | null {
  const written = headerLines.filter(({ key }) => key === 'date').map(({ line }) => line);
  const isWritten = written.every((line) => {
    const value = oneLine(line.slice(line.indexOf(':') + 1), LONGEST_HEADER);
    return !Number.isNaN(Date.parse(value));
  });
  return date === undefined || !isWritten ? null : date.toISOString();
}

function headersOf({ headerLines }: Parsed): Record<string, string> {
  const found = new Map<string, string>();
  for (const { key, line } of headerLines) {
    if (!KEPT_HEADERS.includes(key) || found.has(key)) continue;
    const value = oneLine(line.slice(line.indexOf(':') + 1), LONGEST_HEADER);
    if (value !== '') found.set(key, value);
  }
  return Object.fromEntries(found);
}
