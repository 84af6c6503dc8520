import { EITHER_LETTER } from './data/look-alikes.ts';
import { SEEN } from './fold.ts';
import type { Folded } from './fold.ts';

/** The word that start and end marker have in common (`wrap` in `frame.ts` writes them). */
export const MARKER_NAME = 'EXTERNAL_UNTRUSTED_CONTENT';

/** A part of a folded text, by index: `from` included, `to` not. */
export interface FoundPart {
  readonly from: number;
  readonly to: number;
}

const LETTERS = MARKER_NAME.replaceAll('_', '').toLowerCase();
const LAST = 1 << (LETTERS.length - 1);
/** Digits and signs that are read as letters. */
const READ_AS: Readonly<Record<string, string>> = {
  l: '1i!|',
  o: '0',
  e: '3',
  a: '4@',
  s: '5$',
  t: '7',
};
/** Two letters that are read as the two of the word: `rn`. */
const DOUBLE = 'm';
const HALVES = ['r', 'n'] as const;

/** Rare in ordinary text, and in plain text every marker has it: the middle of `UNTRUSTED`. */
const HINT = /n[^a-z0-9]*[t7][^a-z0-9]*r/i;

/** Per code: at which letters of the word it may stand, as bits. */
const forward = standsAt(LETTERS);
const backward = standsAt(Array.from(LETTERS).toReversed().join(''));
/** Per code: all bits if it may stand between two letters (anything but letters and digits), else none. */
const between = Int32Array.from({ length: 256 }, (_, code) =>
  code === SEEN.foreign || isEither(code) || /[a-z0-9]/i.test(String.fromCharCode(code)) ? 0 : -1,
);
/** Per code: whether it is read as two letters. */
const isDouble = Uint8Array.from({ length: 256 }, (_, code) => Number(reads(code, DOUBLE)));

/**
 * Finds the letters of the marker's name in their order, whatever stands between them but letters and digits, with
 * an `END` before it. All readings of an ambiguous sign are followed at once, a bit each: linear for any text.
 */
export function findMarkers({ codes, text, isPlain }: Folded): readonly FoundPart[] {
  if (isPlain && !HINT.test(text)) return [];
  const found: FoundPart[] = [];
  let state = 0;
  for (let index = 0; index < codes.length; index += 1) {
    state = step(state, codes[index]!, forward, HALVES[0], HALVES[1]);
    if ((state & LAST) === 0) continue;
    const from = findStart(codes, index);
    found.push({ from: withEnd(codes, from, found.at(-1)?.to ?? 0), to: index + 1 });
    state = 0;
  }
  return found;
}

/** Where a reader may be after one more character; bit n: the first n + 1 letters were seen. */
function step(
  state: number,
  code: number,
  standsAt: Int32Array,
  half: string,
  otherHalf: string,
): number {
  const stays = state & between[code]!;
  const next = ((state << 1) | 1) & standsAt[code]!;
  if (isDouble[code] === 0) return next | stays;
  const first = ((state << 1) | 1) & standsAt[half.charCodeAt(0)]!;
  return ((first << 1) & standsAt[otherHalf.charCodeAt(0)]!) | stays;
}

/** The same walk back from the last letter, to the nearest first one. */
function findStart(codes: Uint8Array, last: number): number {
  let state = 0;
  for (let index = last; index >= 0; index -= 1) {
    state = step(state, codes[index]!, backward, HALVES[1], HALVES[0]);
    if ((state & LAST) !== 0) return index;
  }
  return 0;
}

/** An `END` right before the name belongs to it; never beyond what was found before. */
function withEnd(codes: Uint8Array, from: number, lowest: number): number {
  let index = from - 1;
  for (const letter of 'dne') {
    while (index >= lowest && between[codes[index]!] !== 0 && !reads(codes[index]!, letter)) {
      index -= 1;
    }
    if (index < lowest || !reads(codes[index]!, letter)) return from;
    index -= 1;
  }
  return index + 1;
}

function reads(code: number, letter: string): boolean {
  const seen = String.fromCharCode(code & ~SEEN.symbolLetter).toLowerCase();
  if (isEither(code)) return EITHER_LETTER[code - SEEN.either]![0].includes(letter);
  return seen === letter || (READ_AS[letter]?.includes(seen) ?? false);
}

function isEither(code: number): boolean {
  return code >= SEEN.either && code < SEEN.either + EITHER_LETTER.length;
}

function standsAt(word: string): Int32Array {
  return Int32Array.from({ length: 256 }, (_, code) =>
    Array.from(word).reduce(
      (bits, letter, at) => (reads(code, letter) ? bits | (1 << at) : bits),
      0,
    ),
  );
}
