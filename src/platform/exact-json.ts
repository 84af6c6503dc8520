import { randomBytes } from 'node:crypto';

/*
 * `JSON.parse` rounds a number of more digits than a double has: 9007199254740993 becomes …992, and with it an order's
 * number or a key. Such numbers are read as raw JSON, which `JSON.stringify` writes exactly as they came. (Its reviver
 * could do the same, at twenty times the cost.)
 */

/** A number that no double can hold. Made by {@link parseExactly}, written by `JSON.stringify`. */
interface RawNumber {
  readonly rawJSON: string;
}

declare global {
  /** Not in TypeScript's libraries yet; in every Node that this package runs on. */
  interface JSON {
    rawJSON(text: string): RawNumber;
    isRawJSON(value: unknown): value is RawNumber;
  }
}

/** A number of fewer characters than this survives being parsed. */
const LONG = 16;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** An exponent that may lead beyond what a double holds, or to where it has fewer digits. */
const FAR = /[eE][+-]?\d{3}/;
const HAS_FAR = new RegExp(`(?:^|[[:,\\s])-?\\d[\\d.]*${FAR.source}`);
/** Characters of the shortest of these. */
const SHORTEST = '1e309'.length;

/** Marks a number that was put between quotes; nobody outside can know it. */
const MARK = randomBytes(12).toString('hex');

/** There are more numbers in a text that JavaScript would round than its reader allows. */
export class TooManyLongNumbers extends Error {
  override readonly name = 'TooManyLongNumbers';
}

/** @param most numbers that JavaScript would round: each costs fifty times another. @throws SyntaxError, TooManyLongNumbers */
export function parseExactly(text: string, most = Infinity): unknown {
  const value: unknown = JSON.parse(text);
  if (!hasLongNumber(text) && !HAS_FAR.test(text)) return value;
  const marked = markLongNumbers(text, most);
  return marked === text ? value : unmark(JSON.parse(marked));
}

export function isNumber(value: unknown): value is number | RawNumber {
  return typeof value === 'number' || JSON.isRawJSON(value);
}

/** Whether so many digits stand in a row, in a string or outside: one character in sixteen tells. */
function hasLongNumber(text: string): boolean {
  for (let at = LONG - 1; at < text.length; at += LONG) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let start = at;
    while (isDigit(text.charCodeAt(start - 1))) start -= 1;
    while (isDigit(text.charCodeAt(at + 1))) at += 1;
    if (at - start + 1 >= LONG) return true;
  }
  return false;
}

/** The point within a number counts as one; beyond either end of the text there is NaN. */
function isDigit(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2e;
}

/** @param text valid JSON */
function markLongNumbers(text: string, most: number): string {
  const parts: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length;) {
    const quote = text.indexOf('"', at);
    const end = quote === -1 ? text.length : quote;
    if (end - at >= SHORTEST) {
      for (const { 0: number, index } of text.slice(at, end).matchAll(NUMBER)) {
        if (number.length < LONG && !FAR.test(number)) continue;
        if (String(Number(number)) === number) continue;
        parts.push(text.slice(copied, at + index), `"${MARK}${number}"`);
        if (parts.length > 2 * most) throw new TooManyLongNumbers();
        copied = at + index + number.length;
      }
    }
    at = quote === -1 ? text.length : endOfString(text, quote) + 1;
  }
  return parts.join('') + text.slice(copied);
}

/** Index of the quote that ends the string which begins at `start`, or the text's end. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === '\\') slashes += 1;
  return slashes % 2 === 1;
}

/** In place, however deep. */
function unmark(value: unknown): unknown {
  if (isMarked(value)) return toRaw(value);
  const open: unknown[] = [value];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== 'object' || node === null) continue;
    for (const [key, child] of Object.entries(node)) {
      if (isMarked(child)) Reflect.set(node, key, toRaw(child));
      else if (typeof child === 'object' && child !== null) open.push(child);
    }
  }
  return value;
}

function isMarked(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(MARK);
}

function toRaw(marked: string): RawNumber {
  return JSON.rawJSON(marked.slice(MARK.length));
}
