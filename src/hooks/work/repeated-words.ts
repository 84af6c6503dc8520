// What of a text is another text, however that came there: in JSON, escaped, quoted, cut off, in other case or blanks. Words
// are compared and nothing else; those with digits are left out, since ids and times change on the way.
import { hash } from 'node:crypto';

/** So much of a text is looked at, in characters. */
const MOST_CHARACTERS = 20_000;
/** Words that are compared together: fewer are in any text. */
const STRETCH = 3;
/** Of so many stretches one is a mark: a part that is longer has one, wherever it begins. */
const BLOCK = 8;
const MOST_MARKS = 32;
/** So many of the first stretches are marks, too: of a text that is cut off little more may be left. */
const HEAD_MARKS = 4;
/** In base64: 48 bits, so that hardly ever two stretches have the same. */
const DIGEST_LENGTH = 8;

/** Languages without blanks have a sign in place of a word. */
const SIGN = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]`;
const LETTER = String.raw`[\p{L}\p{M}\p{N}]`;
const LETTER_OF_WORD = `(?!${SIGN})${LETTER}`;
const WORDS = new RegExp(`${SIGN}|${LETTER}+`, 'gu');
const ESCAPED_SIGN = /\\{1,16}u([\da-f]{4})/gi;
const ESCAPED_BLANK = /\\{1,16}[nrtbf]/gi;
const ENTITY = /&(?:amp;)*(?:#(\d{1,7})|#x([\da-f]{1,6})|(lt|gt)|[a-z]{2,8});/gi;
/** What a text is given that is shown as HTML: how often depends on its lines. */
const TAG =
  /<\/?(?:a|b|blockquote|body|br|code|div|em|h\d|head|hr|html|i|li|ol|p|pre|span|strong|table|tbody|td|th|tr|u|ul)(?:\s[^<>]{0,200})?\/?>/gi;

/** With what is left of the word before it, which is looked for at its beginning: at each letter would take forty times as long. */
const CUT = new RegExp(`(?:(?<!${LETTER_OF_WORD})(?:${LETTER_OF_WORD}){1,40})?(?:…|\\.{3})`, 'gu');
const CUT_SIGN = /^(?:a|am|amp|l|lt|g|gt|q|qu|quo|quot|b|br|p|h|hx|hxx|hxxps?)$/;

export function wordsOf(text: string): readonly string[] {
  const words = plain(text.slice(0, MOST_CHARACTERS)).match(WORDS) ?? [];
  return words.filter((word) => !/\p{N}/u.test(word));
}

/** How often something was cut off, as far as it is shown. */
export function countCuts(text: string): number {
  return text.slice(0, MOST_CHARACTERS).match(CUT)?.length ?? 0;
}

function plain(text: string): string {
  return (
    text
      .replace(CUT, ' ')
      .replace(ESCAPED_SIGN, (_all, hex: string) => signOf(parseInt(hex, 16)))
      .replace(ESCAPED_BLANK, ' ')
      .replace(ENTITY, (_all, decimal?: string, hex?: string, name?: string) => {
        if (name !== undefined) return name.toLowerCase() === 'lt' ? '<' : '>';
        return signOf(decimal === undefined ? parseInt(hex ?? '20', 16) : Number(decimal));
      })
      .replace(TAG, ' ')
      // As links are shown in what is sent (links.ts).
      .replace(/\bhxxp(?=s?:)/gi, 'http')
      .replace(/\p{Cf}+/gu, '')
      .normalize('NFKC')
      .toLowerCase()
  );
}

function signOf(code: number): string {
  return code > 0x10ffff ? ' ' : String.fromCodePoint(code);
}

/** Of words, as what is kept of them. */
export function digest(words: string): string {
  return hash('sha256', words, 'base64url').slice(0, DIGEST_LENGTH);
}

/** Digests of all stretches of words. */
export function stretchesOf(words: readonly string[]): readonly string[] {
  return words.slice(STRETCH - 1).map((_, at) => digest(stretchAt(words, at)));
}

/** Some of the stretches, by which the text is found again. @param foreign which are none of its own */
export function marksOf(words: readonly string[], foreign: ReadonlySet<string>): readonly string[] {
  const own = stretchesOf(words).filter((stretch) => !foreign.has(stretch));
  const marks = new Set(own.slice(0, HEAD_MARKS));
  for (let from = HEAD_MARKS; from < own.length && marks.size < MOST_MARKS; from += BLOCK) {
    marks.add(own.slice(from, from + BLOCK).toSorted()[0]!);
  }
  return [...marks];
}

/** What of a text is another one. */
export interface Repetition {
  /** Which part of the other one is in it, 0 to 1. */
  readonly share: number;
  /** The same of how that one begins. */
  readonly shareOfHead: number;
  /** With how many of its stretches, one after the other from the first on, it is in it. */
  readonly begins: number;
  /** Its end is there, too: nothing was cut off. */
  readonly isWhole: boolean;
  /** How many words of the text are in stretches of the other one. */
  readonly repeated: number;
  /** The words that are not of the other one, each once. */
  readonly others: readonly string[];
  /** Those that are, and stand elsewhere there. */
  readonly rest: readonly string[];
}

/** Stretches with which a text begins: what is cut off keeps them. */
const HEAD = 8;

/** Each stretch of the other text is found once: what says again what that one quotes says it by itself. */
export function repetition(text: readonly string[], other: readonly string[]): Repetition {
  const places = new Map<string, number[]>();
  const count = Math.max(0, other.length - STRETCH + 1);
  for (let at = 0; at < count; at += 1) {
    const stretch = stretchAt(other, at);
    const found = places.get(stretch);
    if (found === undefined) places.set(stretch, [at]);
    else found.push(at);
  }
  const isRepeated = text.map(() => false);
  const isCutOff = new Set<number>();
  const isFound = Array.from({ length: count }, () => false);
  let last = -2;
  for (let at = 0; at + STRETCH <= text.length; at += 1) {
    const open = (places.get(stretchAt(text, at)) ?? []).filter((place) => !isFound[place]);
    // Where it goes on is the same stretch of a text that says something twice.
    const place = open.includes(last + 1) ? last + 1 : open[0];
    last = place ?? -2;
    if (place === undefined) continue;
    isFound[place] = true;
    isRepeated.fill(true, at, at + STRETCH);
    const next = other[place + STRETCH];
    let end = at + STRETCH;
    // The last word before the cut, and what is left of signs and tags there.
    if (text[end] !== next && text[end] !== undefined && next?.startsWith(text[end]!) === true)
      isCutOff.add(end++);
    while (text[end] !== next && CUT_SIGN.test(text[end] ?? '')) isCutOff.add(end++);
  }
  return {
    share: shareOf(isFound),
    shareOfHead: shareOf(isFound.slice(0, HEAD)),
    begins: isFound.includes(false) ? isFound.indexOf(false) : count,
    isWhole: isFound.at(-1) === true,
    repeated: isRepeated.filter(Boolean).length,
    ...divide(
      text.filter((_, at) => isRepeated[at]),
      text.filter((_, at) => !isRepeated[at] && !isCutOff.has(at)),
      // What was cut off is not there: whoever says words of it says them himself.
      other.slice(0, isFound.lastIndexOf(true) + STRETCH),
    ),
  };
}

/** Single words that the other text has left, such as those of a link that is written in another way, are no others. */
function divide(
  repeated: readonly string[],
  between: readonly string[],
  other: readonly string[],
): Pick<Repetition, 'others' | 'rest'> {
  const left = new Map<string, number>();
  const add = (word: string, by: number) => left.set(word, (left.get(word) ?? 0) + by);
  for (const word of other) add(word, 1);
  for (const word of repeated) add(word, -1);
  // What is said more often than in the other text: stretches that overlap there are in two places here.
  const others = new Set([...left].filter(([, count]) => count < 0).map(([word]) => word));
  const rest = new Set<string>();
  for (const word of between) {
    const isLeft = (left.get(word) ?? 0) > 0;
    (isLeft ? rest : others).add(word);
    add(word, -1);
  }
  return { others: [...others], rest: [...rest] };
}

function stretchAt(words: readonly string[], at: number): string {
  return words.slice(at, at + STRETCH).join(' ');
}

function shareOf(found: readonly boolean[]): number {
  return found.length === 0 ? 0 : found.filter(Boolean).length / found.length;
}
