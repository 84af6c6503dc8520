import { randomUUID } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import type { AddressObject, ParsedMail as ParserResult } from 'mailparser';
import { OptionalPackageError, loadOptionalPackage } from '../../platform/optional-package.ts';
import { isAuthentic } from './authenticity.ts';
import { toUtf8 } from './charset.ts';
import { isMended } from './mended.ts';
import { toOneLine, truncate } from './parsed-mail.ts';
import type { ParsedMail, ReadRequest, ThreadMessage } from './parsed-mail.ts';
import { MAX_DEPTH } from './tree.ts';
import type { HtmlNode } from './tree.ts';
import type { Unseen } from './unseen.ts';

/** It may hang, throw or run out of memory over a hostile message: `MailReader` watches. Erasable syntax only. */

/** Longest texts, in UTF-16 units. */
const MAX_ADDRESSES = 1_000;
const MAX_SUBJECT = 1_000;
const MAX_HEADER = 500;
const MAX_NAME = 255;

/** A text may be this long however short its message is: quotations and lists add characters of their own. */
const MIN_TEXT_LIMIT = 4_096;

const MAX_ATTACHMENTS = 50;

/** Most forwarded messages that are read of one mail, however they lie in each other. */
const MAX_FORWARDED = 5;

/** Most senders that are compared with the account's own addresses. */
const MAX_SENDERS = 100;

/** In UTF-16 units. Time and memory grow faster where tags nest; a thread out of memory can take the process along. */
const MAX_HTML = 262_144;

const KEPT_HEADERS = [
  'message-id',
  'in-reply-to',
  'references',
  'reply-to',
  'cc',
  'list-id',
  'auto-submitted',
  'precedence',
  'x-autoreply',
  'x-autorespond',
  'x-auto-response-suppress',
  'return-path',
];

const HTML_OPTIONS = {
  wordwrap: false,
  limits: { maxDepth: MAX_DEPTH + 10, maxChildNodes: 20_000 },
  selectors: [
    { selector: 'img', format: 'skip' },
    { selector: 'head', format: 'skip' },
    { selector: 'style', format: 'skip' },
    { selector: 'script', format: 'skip' },
    { selector: 'template', format: 'skip' },
    { selector: 'title', format: 'skip' },
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({
      selector,
      options: { uppercase: false },
    })),
  ],
} as const;

type Convert = typeof import('html-to-text').convert;

interface Libraries {
  readonly parse: (source: Uint8Array) => Promise<ParserResult>;
  readonly convertHtml: (html: string, isDoubtful: boolean) => ReadHtml;
}

/** What a person would read of HTML: text, addresses of links, lists; no images, styles, scripts or hidden text. */
interface ReadHtml {
  readonly text: string;
  readonly unseen: Unseen;
}

const NOTHING: Unseen = { characters: 0, text: '' };

/** @throws OptionalPackageError */
async function loadLibraries(): Promise<Libraries> {
  // First: mailparser needs it, too, and would fail with less to say.
  const { convert } = await loadOptionalPackage('html-to-text', () => import('html-to-text'));
  await loadOptionalPackage('css-tree', () => import('css-tree'));
  await loadOptionalPackage('css-select', () => import('css-select'));
  const { removeUnseen } = await import('./unseen.ts');
  const { simpleParser } = await loadOptionalPackage('mailparser', () => import('mailparser'));
  const skipped = { skipHtmlToText: true, skipTextToHtml: true };
  // A forwarded message is an attachment, whatever it is declared: so it is read like a message of its own.
  const options = { ...skipped, skipImageLinks: true, skipTextLinks: true, ignoreEmbedded: true };
  return {
    parse: (source) => simpleParser(Buffer.from(source), options),
    convertHtml: (html, isDoubtful) =>
      readHtml(html, (tree) => removeUnseen(tree, isDoubtful), convert),
  };
}

/** Only formatters see the tree: that of an element whose name no sender can know takes out what is hidden. */
function readHtml(html: string, remove: (tree: HtmlNode) => Unseen, convert: Convert): ReadHtml {
  const whole = `x-${randomUUID()}`;
  let unseen = NOTHING;
  const text = convert(`<${whole}>${html}</${whole}>`, {
    ...HTML_OPTIONS,
    baseElements: { selectors: [whole] },
    selectors: [...HTML_OPTIONS.selectors, { selector: whole, format: 'whole' }],
    formatters: {
      whole: (element, walk, builder) => {
        unseen = remove(element);
        walk(element.children ?? [], builder);
      },
    },
  });
  return { text, unseen };
}

/** @param room how many forwarded messages are still read */
async function readMail(
  { source, charset, authservId }: ReadRequest,
  libraries: Libraries,
  room = { messages: MAX_FORWARDED },
): Promise<ParsedMail> {
  const mail = await libraries.parse(toUtf8(source, charset));
  const forwarded: ParsedMail[] = [];
  for (const { contentType, content } of mail.attachments) {
    if (!FORWARDED.test(contentType) || room.messages === 0) continue;
    room.messages -= 1;
    forwarded.push(await readMail({ source: content, charset }, libraries, room));
  }
  const own = readText(mail, libraries);
  const text = [own.text, ...forwarded.map(toForwarded)].filter((part) => part !== '').join('\n\n');
  const unseenTexts = [own.unseen.text, ...forwarded.map(({ unseenText }) => unseenText)];
  const unseenText = clean(unseenTexts.join('\n'));
  const isCut = own.isCut || forwarded.some((inner) => inner.isCut);
  const maxText = Math.max(source.length, MIN_TEXT_LIMIT);
  const sender = readSender(mail);
  const fields = mail.headerLines.map(({ line }) => line);
  return {
    from: toAddressText(mail.from),
    fromAddresses: listAddresses(mail.from),
    sender,
    authentic: authservId === undefined ? 'unknown' : isAuthentic(fields, sender, authservId),
    to: toAddressText(mail.to),
    subject: toOneLine(mail.subject ?? '', MAX_SUBJECT),
    date: readDate(mail),
    headers: readHeaders(mail),
    text: truncate(text, maxText),
    isCut: isCut || Math.max(text.length, unseenText.length) > maxText,
    unseenChars: forwarded.reduce((sum, inner) => sum + inner.unseenChars, own.unseen.characters),
    unseenText: truncate(unseenText, maxText),
    attachments: mail.attachments.slice(0, MAX_ATTACHMENTS).map((attachment) => ({
      filename: toOneLine(attachment.filename ?? '', MAX_NAME),
      contentType: toOneLine(attachment.contentType, MAX_NAME),
      size: attachment.size,
    })),
  };
}

const FORWARDED = /^message\/(?:rfc822|global)$/i;

/** Every line behind `>`, so that nothing in it looks like the text of the mail. */
function toForwarded({ from, subject, date, attachments, text }: ParsedMail): string {
  const names = attachments.map(({ filename }) => filename).filter((name) => name !== '');
  const lines = [
    `From: ${from}`,
    `Subject: ${subject}`,
    ...(date === null ? [] : [`Date: ${date}`]),
    ...(names.length === 0 ? [] : [`Attachments: ${names.join(', ')}`]),
    '',
    ...text.split('\n'),
  ];
  return ['Forwarded message:', ...lines.map((line) => `> ${line}`.trimEnd())].join('\n');
}

function readText(
  { text, html }: ParserResult,
  { convertHtml }: Libraries,
): ReadHtml & { readonly isCut: boolean } {
  const plain = clean(text ?? '');
  if (plain !== '' || typeof html !== 'string') {
    return { text: plain, isCut: false, unseen: NOTHING };
  }
  const read = truncate(html, MAX_HTML);
  // Styles behind the cut may hide what is before it.
  const isDoubtful = /<(?:style|link)/i.test(html.slice(MAX_HTML - 10));
  const isCut = read.length < html.length;
  const { text: shown, unseen } = convertHtml(read, (isCut && isDoubtful) || isMended(read));
  return { text: clean(shown), isCut, unseen };
}

/** Unix line ends, no other control characters, no wide gaps. */
function clean(text: string): string {
  return text
    .replace(/\r\n?/gu, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .replace(/\n{3,}/gu, '\n\n')
    .trim();
}

function toList(addresses: AddressObject | AddressObject[] | undefined): AddressObject[] {
  if (addresses === undefined) return [];
  return Array.isArray(addresses) ? addresses : [addresses];
}

function toAddressText(addresses: AddressObject | AddressObject[] | undefined): string {
  const texts = toList(addresses).map(({ text }) => text);
  return toOneLine(texts.join(', '), MAX_ADDRESSES);
}

function listAddresses(addresses: AddressObject | undefined): string[] {
  return toList(addresses)
    .flatMap(({ value }) => value)
    .slice(0, MAX_SENDERS)
    .flatMap(({ address }) => (address === undefined ? [] : [address.trim().toLowerCase()]));
}

/** Whoever reads another of several senders than the mailbox's server did would believe a forged one. */
function readSender({ from, headerLines }: ParserResult): string {
  const [only, another] = toList(from).flatMap(({ value }) => value);
  const isOne = another === undefined && only?.group === undefined;
  const isWritten = headerLines.filter(({ key }) => key === 'from').length === 1;
  const address = only?.address?.toLowerCase() ?? '';
  return isOne && isWritten && ADDRESS.test(address) ? address : '';
}

const ADDRESS = /^[^\s@]{1,64}@[^\s@]{1,255}$/;

/** The parser puts the present in the place of a date that it cannot read, so the header as written decides. */
function readDate({ date, headerLines }: ParserResult): string | null {
  const lines = headerLines.filter(({ key }) => key === 'date').map(({ line }) => line);
  const isReadable = lines.every((line) => !Number.isNaN(Date.parse(readValue(line))));
  return date === undefined || !isReadable ? null : date.toISOString();
}

function readHeaders({ headerLines }: ParserResult): Record<string, string> {
  const found = new Map<string, string>();
  for (const { key, line } of headerLines) {
    if (!KEPT_HEADERS.includes(key) || found.has(key)) continue;
    const value = readValue(line);
    if (value !== '') found.set(key, value);
  }
  return Object.fromEntries(found);
}

function readValue(line: string): string {
  return toOneLine(line.slice(line.indexOf(':') + 1), MAX_HEADER);
}

function send(message: ThreadMessage): void {
  parentPort?.postMessage(message, []);
}

try {
  const libraries = await loadLibraries();
  parentPort?.on('message', (request: ReadRequest) => {
    readMail(request, libraries).then(
      (mail) => send({ kind: 'read', mail }),
      () => send({ kind: 'failed' }),
    );
  });
  send({ kind: 'ready' });
} catch (error) {
  if (!(error instanceof OptionalPackageError)) throw error;
  send({ kind: 'missing-package', reason: error.message });
}
