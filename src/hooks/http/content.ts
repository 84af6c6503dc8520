import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { USUAL_BODY_BYTES } from '../options/index.ts';
import type { BodyKind } from '../options/index.ts';
import { Rejection } from '../ports/rejection.ts';
import { charsetOf, decodeText, firstNoUtf8, withoutMark } from './charset.ts';
import { parseForm } from './forms.ts';
import { parseMultipart } from './multipart.ts';
import { parseJson, parseLargeJson } from './parse-json.ts';
import type { ParsedJson } from './parse-json.ts';

// The door for bodies: what its bytes are counts, and words that change nothing are taken. A form and a text become
// JSON here: what is stored, shown and replayed is the same for every kind of body.

/** What a path takes. */
export interface Taken {
  /** @default 'json' */
  readonly kind?: BodyKind | undefined;
  /** The type that the sender writes for it, if not a usual one. */
  readonly alsoType?: string | undefined;
  /** True: a JSON object is known by its first character where `curl -d` or `fetch` gave it a type of their own. */
  readonly isPlainTaken?: boolean;
}

const EXPECTATIONS: Readonly<Record<BodyKind, { type: RegExp; words: string }>> = {
  json: {
    type: /^(?:(?:application|text)\/(?:x-)?json|[^\s/;,]+\/[^\s/;,]+\+json)$/,
    words: 'JSON: Content-Type application/json',
  },
  form: {
    type: /^(?:application\/x-www-form-urlencoded|multipart\/form-data)$/,
    words: 'a form: Content-Type application/x-www-form-urlencoded or multipart/form-data',
  },
  text: { type: /^text\/[^\s/;,]+$/, words: 'text: Content-Type text/plain' },
};

const JSON_TYPE = 'application/json';
const FORM = EXPECTATIONS.form.type;

/** Says no more than no type at all (RFC 9110 §8.3). */
const ANY = /^(?:application\/octet-stream|\*\/\*)$/;

/** What a body gets that nobody gave a type: of `curl -d`, and of `fetch` with a text. */
const PLAIN = /^(?:application\/x-www-form-urlencoded|text\/plain)$/;

/** @throws Rejection unsupported_media_type unless the type is one of the path's kind */
export function assertContent(headers: IncomingHttpHeaders, taken: Taken = {}): void {
  const coding = headers['transfer-encoding']?.trim().toLowerCase() ?? 'chunked';
  if (coding === 'chunked' && isExpected(headers['content-type'], taken)) return;
  throw unsupported(headers, taken);
}

function isExpected(header: string | undefined, taken: Taken): boolean {
  const { kind = 'json', alsoType, isPlainTaken = false } = taken;
  if (header === undefined || (kind === 'json' && header === JSON_TYPE)) return true;
  const type = typeOf(header);
  if (type === '') return header.trim() === '';
  if (ANY.test(type) || type === alsoType || EXPECTATIONS[kind].type.test(type)) return true;
  return isPlainTaken && PLAIN.test(type);
}

function typeOf(header = ''): string {
  return header.split(';', 1)[0]!.trim().toLowerCase();
}

function unsupported(headers: IncomingHttpHeaders, { kind, isPlainTaken }: Taken): Rejection {
  const { words } = EXPECTATIONS[kind ?? 'json'];
  const isForm = kind !== 'text' && FORM.test(typeOf(headers['content-type']));
  const advice =
    isForm && isPlainTaken !== true
      ? "Choose application/json at the sender, or set body: 'form' in the mapping of this path"
      : `Send ${words}`;
  return new Rejection('unsupported_media_type', advice);
}

/**
 * What a body says. A promise of multipart and of what is large.
 * @throws Rejection invalid_json, invalid_body, never with a word of the payload; unsupported_media_type
 */
export function parseContent(
  bytes: Buffer,
  taken: Taken = {},
  headers: IncomingHttpHeaders = {},
): ParsedJson | Promise<ParsedJson> {
  const { kind = 'json', isPlainTaken = false } = taken;
  const header = headers['content-type'];
  if (kind === 'json') {
    if (isPlainTaken && PLAIN.test(typeOf(header)) && !beginsObject(bytes)) {
      throw unsupported(headers, taken);
    }
    return parseJsonOf(bytes, header);
  }
  const content = withoutMark(bytes);
  if (kind === 'form' && header !== undefined && typeOf(header) === 'multipart/form-data') {
    return parseMultipart(content, header).then(toContent);
  }
  return parseText(content, kind, charsetOf(header));
}

/** RFC 8259 knows no charset but UTF-8; a sender that sends another and says so is understood. */
function parseJsonOf(bytes: Buffer, header: string | undefined): ParsedJson | Promise<ParsedJson> {
  const charset = header === JSON_TYPE ? undefined : charsetOf(header);
  const text = charset === undefined || isUtf8(bytes) ? undefined : decodeText(bytes, charset);
  if (text === undefined) {
    const isAnnounced = header !== undefined;
    return bytes.length > USUAL_BODY_BYTES
      ? parseLargeJson(bytes, isAnnounced)
      : parseJson(bytes, isAnnounced);
  }
  return { ...parseJson(Buffer.from(text)), isVerbatim: false };
}

/** @throws Rejection invalid_body, invalid_json */
export function parseText(bytes: Buffer, kind: 'form' | 'text', charset?: string): ParsedJson {
  if (kind === 'form') return toContent(parseForm(bytes, charset));
  const text = decodeText(bytes, charset);
  if (text !== undefined) return toContent({ text });
  const place = `byte ${firstNoUtf8(bytes)} is not`;
  throw new Rejection('invalid_body', `in UTF-8, or in the charset that it says: ${place}`);
}

function toContent(value: unknown): ParsedJson {
  return { value, text: JSON.stringify(value), isVerbatim: false };
}

/** As far as anybody writes blanks before it. */
function beginsObject(bytes: Buffer): boolean {
  return /^\s*\{/.test(withoutMark(bytes).toString('latin1', 0, 1024));
}
