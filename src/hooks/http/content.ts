import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { BodyKind } from '../options/index.ts';
import { Rejection } from '../rejection.ts';
import { parseJson } from './json.ts';
import type { ParsedJson } from './json.ts';

/*
 * What a body is, by the path it came to: JSON, unless a mapping of the path says `body: 'form'` or `'text'`. The
 * headers choose no parser, they only have to agree. A form and a text become JSON here: what is stored of them, shown
 * and replayed is the same for every kind of body.
 */

/** How a kind of body has to come. */
interface Expectation {
  readonly type: RegExp;
  /** For the sender's operator. */
  readonly words: string;
}

const EXPECTATIONS: Readonly<Record<BodyKind, Expectation>> = {
  json: {
    type: /^(?:application\/json|[^\s/;,]+\/[^\s/;,]+\+json)$/,
    words: 'JSON in UTF-8: Content-Type application/json',
  },
  form: {
    type: /^application\/x-www-form-urlencoded$/,
    words: 'a form in UTF-8: Content-Type application/x-www-form-urlencoded',
  },
  text: { type: /^text\/[^\s/;,]+$/, words: 'text in UTF-8: Content-Type text/plain' },
};

/**
 * Only the kind that the path takes, in UTF-8, or no word about it, and never compressed.
 * @param alsoType a type that the path's sender writes instead, e.g. the `text/plain` of somebody's JSON
 * @throws Rejection unsupported_media_type, which says what to set at the sender
 */
export function assertContent(
  headers: IncomingHttpHeaders,
  kind: BodyKind = 'json',
  alsoType?: string,
): void {
  const encoding = headers['content-encoding']?.trim() ?? '';
  const coding = headers['transfer-encoding']?.trim().toLowerCase() ?? 'chunked';
  const type = headers['content-type'];
  if (coding === 'chunked' && encoding === '' && isExpected(type, kind, alsoType)) return;
  throw new Rejection('unsupported_media_type', advice(headers, EXPECTATIONS[kind].words));
}

function isExpected(header: string | undefined, kind: BodyKind, alsoType?: string): boolean {
  if (header === undefined || (kind === 'json' && header === 'application/json')) return true;
  const { type, parameters } = split(header);
  if (type === '') return parameters.length === 0;
  return (EXPECTATIONS[kind].type.test(type) || type === alsoType) && parameters.every(saysUtf8);
}

function split(header: string): { type: string; parameters: string[] } {
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase());
  return { type, parameters };
}

/** A parameter other than `charset` says nothing about it, which is as good. */
function saysUtf8(parameter: string): boolean {
  const equals = parameter.indexOf('=');
  if (equals === -1 || parameter.slice(0, equals).trim() !== 'charset') return true;
  return /^(?:utf-?8|"utf-?8")$/.test(parameter.slice(equals + 1).trim());
}

/** What to send; or what to change at the sender, for the two mistakes whose cause is a setting there. */
function advice(headers: IncomingHttpHeaders, words: string): string {
  if ((headers['content-encoding']?.trim() ?? '') !== '') {
    return 'Send the body uncompressed: switch compression off at the sender';
  }
  const { type } = split(headers['content-type'] ?? '');
  return type.startsWith('multipart/')
    ? `Set the sender to send ${words}, instead of multipart`
    : `Send ${words}, without Content-Encoding`;
}

/**
 * The value of a body of this kind, and the JSON text that stands for it in the store.
 * @param headers only to say that the content type is missing when the body is not what it has to be
 * @throws Rejection invalid_json, invalid_body; never with a word of the payload
 */
export function parseContent(
  bytes: Buffer,
  kind: BodyKind = 'json',
  headers: IncomingHttpHeaders = {},
): ParsedJson {
  if (kind === 'json') return parseJson(bytes, headers['content-type'] !== undefined);
  if (!isUtf8(bytes)) throw new Rejection('invalid_body', 'valid UTF-8');
  const text = bytes.toString();
  const value = kind === 'form' ? parseForm(text) : { text };
  return { value, text: JSON.stringify(value), isVerbatim: false };
}

/** Far more than any sender's form has; a million empty ones would fit into a body. */
const MOST_FIELDS = 1000;

/**
 * A form as an object: fields in their order, a repeated one as a list, names as they are sent (`a[b]` is a name and no
 * path). A field `payload` that holds a JSON object or list is parsed, because senders whose events are JSON put them
 * there (GitHub, Slack); `__proto__` is dropped, as everywhere.
 * @throws Rejection invalid_body; invalid_json for a `payload` that is nested too deep
 */
export function parseForm(text: string): Readonly<Record<string, unknown>> {
  if (countFields(text) > MOST_FIELDS) {
    throw new Rejection('invalid_body', `a form of at most ${MOST_FIELDS} fields`);
  }
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (name === '__proto__') continue;
    const known = fields.get(name);
    if (known === undefined) fields.set(name, value);
    else if (typeof known === 'string') fields.set(name, [known, value]);
    else known.push(value);
  }
  const form: Record<string, unknown> = Object.fromEntries(fields);
  const { payload } = form;
  if (typeof payload === 'string' && /^\s*[[{]/.test(payload)) form['payload'] = inner(payload);
  return form;
}

function countFields(text: string): number {
  let count = 1;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) count += 1;
  return count;
}

/** Text that only looks like JSON stays text. */
function inner(payload: string): unknown {
  try {
    return parseJson(Buffer.from(payload)).value;
  } catch (error) {
    if (error instanceof Rejection && /nested/.test(error.message)) throw error;
    return payload;
  }
}
