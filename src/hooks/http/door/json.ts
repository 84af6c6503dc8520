import { isUtf8 } from 'node:buffer';
import { Rejection } from '../../rejections/index.ts';
import { MAX_DEPTH, isTooDeep } from './json-depth.ts';
import { withoutProtoKeys } from './json-proto-keys.ts';

/** A body, understood. */
export interface ParsedJson {
  readonly value: unknown;
  /** What was parsed, without a byte order mark; `{}` for an empty body. */
  readonly text: string;
}

const BYTE_ORDER_MARK = 0xfe_ff;

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
 * The one JSON parser of the ingress, from raw bytes. Empty means `{}`; one byte order mark is dropped; of duplicate
 * keys the last wins; `__proto__` keys are dropped at every level.
 * @throws Rejection invalid_json, saying what is wrong without a word of the payload.
 */
export function parseJson(bytes: Buffer): ParsedJson {
  if (!isUtf8(bytes)) throw new Rejection('invalid_json', 'it is not UTF-8');
  const decoded = bytes.toString();
  const text = decoded.charCodeAt(0) === BYTE_ORDER_MARK ? decoded.slice(1) : decoded;
  if (isTooDeep(text)) {
    throw new Rejection('invalid_json', `it is nested deeper than ${MAX_DEPTH} levels`);
  }
  try {
    return { value: withoutProtoKeys(JSON.parse(text), text), text };
  } catch (error) {
    if (text.trim() === '') return { value: {}, text: '{}' };
    throw new Rejection('invalid_json', mistake(error));
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
