import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { TooManyLongNumbers, endOfString, parseExactly } from '../../platform/exact-json.ts';
import { Rejection } from '../ports/rejection.ts';
import { firstNoUtf8 } from './charset.ts';

// One JSON parser for all that senders write, stricter than the language: UTF-8, limited depth, no `__proto__`. What it
// says of a mistake never quotes the body.

export interface ParsedJson {
  readonly value: unknown;
  /** What was parsed, without a byte order mark; `{}` for an empty body. */
  readonly text: string;
  /** True: the text is the body as it came, byte for byte. */
  readonly isVerbatim: boolean;
}

const BYTE_ORDER_MARK = 0xfe_ff;
/** Three times as fast as `toString` for text that is not ASCII; the mark is dropped by us, who have to know of it. */
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** What V8 calls a mistake, and what we call it: its own words quote the payload. */
const MISTAKES: readonly (readonly [RegExp, string])[] = [
  [/end of JSON|Unterminated/, 'it ends too early'],
  [/control character/, 'a string holds a bare line break or control character'],
  [/escape/i, 'a string holds a wrong escape'],
  [/property name/, 'a property name in double quotes or a colon is missing'],
  [/after JSON/, 'something follows the value'],
  [/^Expected/, 'a comma, colon or closing bracket is missing'],
];

/**
 * Empty means `{}`; one byte order mark is dropped; of duplicate keys the last wins; numbers keep their digits.
 * @throws Rejection invalid_json, saying what is wrong without a word of the payload.
 */
export function parseJson(bytes: Buffer, isAnnounced = true): ParsedJson {
  return parseDecoded(decode(bytes), isAnnounced);
}

/** The same; of 10 MB, that would hold up all others for 150 ms: they are served before, between and after. */
export async function parseLargeJson(bytes: Buffer, isAnnounced: boolean): Promise<ParsedJson> {
  await nextTurn();
  const decoded = decode(bytes);
  await nextTurn();
  const parsed = parseDecoded(decoded, isAnnounced);
  await nextTurn();
  return parsed;
}

function decode(bytes: Buffer): string {
  if (isUtf8(bytes)) return UTF8.decode(bytes);
  throw new Rejection('invalid_json', `it is not UTF-8 (at byte ${firstNoUtf8(bytes)})`);
}

function parseDecoded(decoded: string, isAnnounced: boolean): ParsedJson {
  const text = decoded.charCodeAt(0) === BYTE_ORDER_MARK ? decoded.slice(1) : decoded;
  const excess = findExcess(text);
  if (excess !== null) throw new Rejection('invalid_json', excess);
  try {
    const value = withoutProtoKeys(parseExactly(text, MOST_LONG_NUMBERS), text);
    return { value, text, isVerbatim: text === decoded };
  } catch (error) {
    if (error instanceof TooManyLongNumbers) throw new Rejection('invalid_json', TOO_MANY_LONG);
    if (text.trim() === '') return { value: {}, text: '{}', isVerbatim: false };
    const advice = isAnnounced
      ? ''
      : ', and no Content-Type came; send JSON with Content-Type application/json';
    throw new Rejection('invalid_json', mistake(error) + advice);
  }
}

function mistake(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const [, position] = /at position (\d+)/.exec(message) ?? [];
  const words =
    MISTAKES.find(([pattern]) => pattern.test(message.replace(/".*"/s, '')))?.[1] ??
    'it has an unexpected character';
  return position === undefined ? words : `${words} (at character ${Number(position) + 1})`;
}

/** Deepest nesting accepted. JSON.parse takes far more, but JSON.stringify overflows the stack where it did not. */
const MAX_DEPTH = 1000;
/** Some bytes of gzip can say millions, which hold up all others for seconds. A push of 25 MB has 700,000. */
const MOST_VALUES = 1_000_000;
const MOST_LONG_NUMBERS = 50_000;
const TOO_MANY_LONG = `it has more than ${MOST_LONG_NUMBERS} numbers of more digits than a double holds; send them as texts`;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** What JSON text has too much of, what stands in strings aside. Text that is no JSON may get either answer. */
function findExcess(text: string): string | null {
  if (text.length <= 2 * MAX_DEPTH) return null;
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
    } else if (code === OPENING_BRACKET || code === OPENING_BRACE) {
      depth += 1;
      if (depth > MAX_DEPTH) return `it is nested deeper than ${MAX_DEPTH} levels`;
    } else if (code === CLOSING_BRACKET || code === CLOSING_BRACE) {
      depth -= 1;
    } else if (code === COMMA) {
      values += 1;
      if (values > MOST_VALUES) return `it has more than ${MOST_VALUES} values`;
    }
  }
  return null;
}

const PROTO_KEY = '__proto__';

function withoutProtoKeys(value: unknown, text: string): unknown {
  if (!canHold(text)) return value;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== 'object' || node === null) continue;
    if (Object.hasOwn(node, PROTO_KEY)) Reflect.deleteProperty(node, PROTO_KEY);
    for (const child of Object.values(node)) {
      if (typeof child === 'object' && child !== null) open.push(child);
    }
  }
  return value;
}

/** Literally, or with some of its characters escaped: those escapes all begin with `\u00`. */
function canHold(text: string): boolean {
  return text.includes(PROTO_KEY) || text.includes('\\u00');
}
