import { isUtf8 } from 'node:buffer';
import { getText } from '../../platform/objects.ts';
import { Rejection } from '../ports/rejection.ts';
import { decodeText } from './charset.ts';
import { parseJson } from './parse-json.ts';

/** Far more than any sender's form has; a million empty ones would fit into a body. */
export const MOST_FIELDS = 1000;

const AT_MOST = `a form of at most ${MOST_FIELDS} fields`;
export const TOO_MANY_FIELDS = new Rejection('invalid_body', AT_MOST);

type Fields = Record<string, unknown>;

/** A field as it came, percent-encoding and multipart taken away. */
export interface RawField {
  readonly name: Buffer;
  readonly value: Buffer;
  /** Of this field alone. */
  readonly charset?: string | undefined;
}

/** `application/x-www-form-urlencoded`. @throws Rejection as {@link toFields} and {@link decodeFields} */
export function parseForm(bytes: Buffer, charset: string | undefined): Fields {
  if (countFields(bytes) > MOST_FIELDS) throw TOO_MANY_FIELDS;
  if (isUtf8(bytes)) {
    const read = [...new URLSearchParams(bytes.toString())];
    if (!read.flat().some((text) => text.includes('\uFFFD'))) return toFields(read);
  }
  const parts = bytes.toString('latin1').split('&').filter(Boolean);
  return toFields(decodeFields(parts.map(toRawField), charset));
}

function countFields(bytes: Buffer): number {
  let count = 1;
  for (let at = bytes.indexOf('&'); at !== -1; at = bytes.indexOf('&', at + 1)) count += 1;
  return count;
}

function toRawField(part: string): RawField {
  const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(part) ?? [];
  return { name: toBytes(name), value: toBytes(value) };
}

/** Whatever is no escape stays, as URLSearchParams has it. */
function toBytes(encoded: string): Buffer {
  const plain = encoded
    .replaceAll('+', ' ')
    .replace(/%([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  return Buffer.from(plain, 'latin1');
}

/**
 * What is no UTF-8 is of the charset that the request says, or else the form itself: its field `charset` (PayPal) or
 * `_charset_` (HTML), or `charsets` for each of its fields (SendGrid).
 * @throws Rejection invalid_body, with the number of the field
 */
export function decodeFields(
  raw: readonly RawField[],
  charset: string | undefined,
): (readonly [string, string])[] {
  const plain = new Map(raw.map(({ name, value }) => [name.toString(), value.toString()]));
  const inForm = plain.get('charset') ?? plain.get('_charset_');
  const ofFields = parsedOrText(plain.get('charsets') ?? '');
  return raw.map(({ name, value, charset: written }, index) => {
    const said = (bytes: Buffer) => charset ?? (isUtf8(bytes) ? undefined : inForm);
    const own = written ?? getText(ofFields, name.toString()) ?? said(value);
    const field = [decodeText(name, said(name)), decodeText(value, own)] as const;
    if (field[0] !== undefined && field[1] !== undefined) return [field[0], field[1]];
    const place = `field ${index + 1} of the form is not`;
    throw new Rejection('invalid_body', `in UTF-8, or in the charset that it says: ${place}`);
  });
}

/**
 * A repeated field becomes a list; `a[b]` is a name and no path; JSON in `payload` is parsed (GitHub, Slack, Plex).
 * @throws Rejection invalid_json for a `payload` that is nested too deep
 */
export function toFields(read: Iterable<readonly [string, string]>): Fields {
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of read) {
    if (name === '__proto__') continue;
    const known = fields.get(name);
    if (known === undefined) fields.set(name, value);
    else if (typeof known === 'string') fields.set(name, [known, value]);
    else known.push(value);
  }
  const form: Fields = Object.fromEntries(fields);
  const { payload } = form;
  if (typeof payload === 'string') form['payload'] = parsedOrText(payload);
  return form;
}

/** Text that only looks like a JSON object or list stays text. */
function parsedOrText(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return parseJson(Buffer.from(text)).value;
  } catch (error) {
    if (error instanceof Rejection && /nested/.test(error.message)) throw error;
    return text;
  }
}
