import { lazy } from '../../platform/lazy.ts';
import { EITHER_LETTER, LETTER_RANGES, LOOK_ALIKES } from './data/look-alikes.ts';

// Folding reads a text as a careless reader would: what hides is skipped, and every character becomes the ASCII one that
// it may be taken for. What is found there is mapped back by index (`at`); the text itself is never rewritten here.

export interface Folded {
  /** One code per character seen; see `SEEN`. */
  readonly codes: Uint8Array;
  /** The codes as a latin-1 string, for regular expressions. */
  readonly text: string;
  /** Printable ASCII, tabs and line ends only: the text is what it seems. */
  readonly isPlain: boolean;
  /** Where in the given text the character with that code begins; for the code after the last, its length. */
  at(index: number): number;
}

/** Codes beside those of ASCII. A symbol that looks like a letter is the letter's code + `symbolLetter`. */
export const SEEN = {
  /** A letter or digit that looks like no ASCII one. */
  foreign: 1,
  /** Any other visible character. */
  symbol: 2,
  /** and up: one of the two letters of that row of `EITHER_LETTER`. */
  either: 3,
  symbolLetter: 0x80,
} as const;

const UNKNOWN = 0;
const NOTHING = 0x10;
const SEVERAL = 0x11;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;

const NOT_PLAIN = /[^\t\n\r -~]|\r(?!\n)/;
/** U+FFFD is what such a character is shown as; Unicode's line and paragraph separators break no line once shown. */
const UNSEEN =
  /^[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\p{Cs}\p{Co}\p{M}\p{Zl}\p{Zp}\ufffd]$/u;
const LETTER_OR_DIGIT = /^(?!\p{Lm})[\p{L}\p{N}]$/u;

/** What each code point is seen as, worked out when first met; 1.1 MB of address space, touched where used. */
const seenAs = new Uint8Array(0x110000);
const several = new Map<number, readonly number[]>();
const lookAlikes = lazy(lookAlikeCodes);

/** Linear; plain ASCII costs one scan. */
export function fold(text: string): Folded {
  if (NOT_PLAIN.test(text)) return foldUnicode(text);
  return new PlainText(text);
}

/** Whose codes hardly anybody asks for. */
class PlainText implements Folded {
  readonly isPlain = true;

  constructor(readonly text: string) {}

  get codes(): Uint8Array {
    return Buffer.from(this.text, 'latin1');
  }

  at(index: number): number {
    return index;
  }
}

function foldUnicode(text: string): Folded {
  let codes = new Uint8Array(text.length);
  let origins = new Uint32Array(text.length + 1);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const origin = at;
    const point = text.codePointAt(at) ?? 0;
    if (point > 0xffff) at += 1;
    const code = seenAs[point] || learn(point);
    if (code === NOTHING || (code === RETURN && text.charCodeAt(at + 1) !== LINE_FEED)) continue;
    const all = code === SEVERAL ? (several.get(point) ?? []) : null;
    const count = all === null ? 1 : all.length;
    if (length + count > codes.length) {
      codes = grown(codes, new Uint8Array(2 * (length + count)));
      origins = grown(origins, new Uint32Array(2 * (length + count) + 1));
    }
    for (let each = 0; each < count; each += 1) {
      codes[length] = all?.[each] ?? code;
      origins[length] = origin;
      length += 1;
    }
  }
  origins[length] = text.length;
  codes = codes.subarray(0, length);
  const seen = Buffer.from(codes.buffer, 0, length).toString('latin1');
  return { codes, text: seen, isPlain: false, at: (index) => origins[index] ?? text.length };
}

function grown<T extends Uint8Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

function learn(point: number): number {
  const codes = toCodes(String.fromCodePoint(point));
  if (codes.length > 1) several.set(point, codes);
  return (seenAs[point] = codes.length === 0 ? NOTHING : codes.length > 1 ? SEVERAL : codes[0]!);
}

function toCodes(character: string): readonly number[] {
  const point = character.codePointAt(0) ?? UNKNOWN;
  if (character === '\n' || character === '\t' || character === '\r') return [point];
  if (point >= 0x20 && point < 0x7f) return [character.toLowerCase().charCodeAt(0)];
  if (UNSEEN.test(character)) return [];
  if (/^\s$/u.test(character)) return [0x20];
  return (
    findLookAlike(character) ??
    findLookAlike(character.toLowerCase()) ??
    findSimplerCodes(character)
  );
}

function findLookAlike(character: string): readonly number[] | undefined {
  return lookAlikes().get(character.codePointAt(0) ?? UNKNOWN);
}

function findSimplerCodes(character: string): readonly number[] {
  const point = character.codePointAt(0) ?? UNKNOWN;
  const simpler = character.normalize('NFKD');
  const cased = character.toLowerCase();
  const isWritten = LETTER_OR_DIGIT.test(character);
  const first = LETTER_RANGES.find((first) => point >= first && point < first + 26);
  if (first !== undefined) return symbolLetters(false, [0x61 + point - first]);
  if (simpler !== character) return symbolLetters(isWritten, Array.from(simpler).flatMap(toCodes));
  if (cased !== character) return Array.from(cased).flatMap(toCodes);
  return findLookAlike(character.toUpperCase()) ?? [isWritten ? SEEN.foreign : SEEN.symbol];
}

/** A symbol may be read as a letter or be read over: both are tried. */
function symbolLetters(isWritten: boolean, codes: readonly number[]): readonly number[] {
  if (isWritten) return codes;
  return codes.map((code) => (code >= 0x61 && code <= 0x7a ? code + SEEN.symbolLetter : code));
}

function lookAlikeCodes(): ReadonlyMap<number, readonly number[]> {
  const codes = new Map<number, readonly number[]>();
  for (const [letter, characters] of Object.entries(LOOK_ALIKES)) {
    for (const character of characters) {
      const isWritten = LETTER_OR_DIGIT.test(character);
      const letters = Array.from(letter, (one) => one.charCodeAt(0));
      codes.set(character.codePointAt(0)!, symbolLetters(isWritten, letters));
    }
  }
  for (const [row, [, characters]] of EITHER_LETTER.entries()) {
    for (const character of characters) codes.set(character.codePointAt(0)!, [SEEN.either + row]);
  }
  return codes;
}
