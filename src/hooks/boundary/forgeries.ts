import { lazy } from '../../platform/lazy.ts';
import { EITHER_LETTER } from './data/look-alikes.ts';
import { ORDINARY_WRITING, TEMPLATE_FAMILIES } from './data/template-tokens.ts';
import { SEEN, fold } from './fold.ts';
import type { Folded } from './fold.ts';

/** The word that start and end marker have in common (`wrap` in `frame.ts` writes them). */
export const MARKER_NAME = 'EXTERNAL_UNTRUSTED_CONTENT';

/** A part of a folded text, by index: `from` included, `to` not. */
interface FoundPart {
  readonly from: number;
  readonly to: number;
}

const LETTERS = MARKER_NAME.replaceAll('_', '').toLowerCase();
const LAST = 1 << (LETTERS.length - 1);

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
const MARKER_HINT = /n[^a-z0-9]*[t7][^a-z0-9]*r/i;

/** Per code: at which letters of the word it may stand, as bits. */
const forward = standsAt(LETTERS);
const backward = standsAt(Array.from(LETTERS).toReversed().join(''));
/** Per code: all bits if it may stand between two letters (anything but letters and digits), else none. */
const between = Int32Array.from({ length: 256 }, (_, code) =>
  code === SEEN.foreign || isEither(code) || /[a-z0-9]/i.test(String.fromCharCode(code)) ? 0 : -1,
);
const isDouble = Uint8Array.from({ length: 256 }, (_, code) => Number(reads(code, DOUBLE)));

/** All readings of an ambiguous sign are followed at once, a bit each: linear for any text. */
export function findMarkers(folded: Folded): readonly FoundPart[] {
  if (folded.isPlain && !MARKER_HINT.test(folded.text)) return [];
  const { codes } = folded;
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

// Chat-template tokens: the strings that carry the structure of a conversation inside a model's input. Text that holds one
// can end its own turn and begin the system's. `data/template-tokens.ts` lists those that are published.

interface FoundToken extends FoundPart {
  readonly name: string;
}

const READ_ALIKE: Readonly<Record<string, string>> = {
  i: 'il1',
  l: 'il1|',
  1: 'il1',
  o: 'o0',
  0: 'o0',
};

/** What nearly all families use: a name between bars and angle brackets. At most 64 characters: linear. */
const SHAPE = String.raw`<\|[^\s|]\S{0,63}?\|>`;
/** The two labels that count at the beginning of a paragraph only. */
const PARAGRAPH = '\n\n';
const PUBLISHED = lazy(() => [...new Set(TEMPLATE_FAMILIES.flatMap(({ tokens }) => tokens))]);
const LABELS = lazy(() => new RegExp(labelPattern(), 'gi'));
const TOKENS = lazy(tokenPattern);
/** Every token has one of these, but for the labels. To look for all of them takes a hundred times as long. */
const BRACKET = /[<[\]]/;

export function findTokens(folded: Folded, given: string): readonly FoundToken[] {
  const found: FoundToken[] = [];
  const pattern = BRACKET.test(folded.text) ? TOKENS() : LABELS();
  // Not `matchAll`, which makes a new expression for each text.
  pattern.lastIndex = 0;
  for (let match = pattern.exec(folded.text); match !== null; match = pattern.exec(folded.text)) {
    const before = match[1]?.length ?? 0;
    const from = match.index + before;
    const to = match.index + match[0].length;
    if (ORDINARY_WRITING.has(given.slice(folded.at(from), folded.at(to)))) continue;
    found.push({ from, to, name: toName(match[0]) });
  }
  return found;
}

function tokenPattern(): RegExp {
  const literals = PUBLISHED().filter((token) => !token.startsWith(PARAGRAPH));
  return new RegExp([SHAPE, ...literals.map(spelt), labelPattern()].join('|'), 'gi');
}

function labelPattern(): string {
  const labels = PUBLISHED().filter((token) => token.startsWith(PARAGRAPH));
  return String.raw`(^|\n\r?\n)(?:${labels.map((label) => spelt(label.trim())).join('|')})`;
}

function spelt(token: string): string {
  const [name = '', end = ''] = token.split(/(?<=_)0(?=>$)/);
  const spelled = [name, end].map((part) =>
    Array.from(fold(part).text.toLowerCase(), spellings).join(''),
  );
  const digit = Array.from('0123456789', spellings).join('|');
  return spelled.join(end === '' ? '' : `(?:${digit}){1,4}`);
}

function spellings(character: string): string {
  if (!/[a-z0-9]/.test(character)) return RegExp.escape(character);
  const letters = READ_ALIKE[character] ?? character;
  const either = EITHER_LETTER.flatMap(([pair], row) =>
    pair.includes(character) ? [SEEN.either + row] : [],
  );
  const asSymbols = Array.from(letters, (letter) => letter.charCodeAt(0) + SEEN.symbolLetter);
  const codes = [...either, ...asSymbols].map((code) => RegExp.escape(String.fromCharCode(code)));
  return `[${letters}${codes.join('')}]`;
}

/** Nothing that the fold changed: letters that come together in a name must have stood together in the text. */
function toName(match: string): string {
  const name = match.replace(/[<>[\]|!\r\n]/g, '');
  return /^[\w/:." ~-]+$/.test(name) ? name : '';
}
