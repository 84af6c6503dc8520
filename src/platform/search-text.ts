// Whatever a user types is words to look for, never syntax of a query.

/** Most characters of a search. */
const LONGEST_SEARCH = 200;
const MOST_TERMS = 16;
/** The index knows texts by all runs of so many characters. */
const GRAM = 3;
/** Characters of a text that are shown on either side of what was found. */
const SHOWN_AROUND = 60;

const ASCII = /^\p{ASCII}*$/u;
/** Marks of letters, and what has no width. */
const UNSEEN = /[\p{Mn}\p{Cf}]+/gu;
const BLANK = /[\s\p{Cc}\p{Cs}]+/gu;

/** No upper case, diacritics or unseen characters, each run of blanks one space; ﬁ, ① and full width as plain ones. */
export function fold(text: string): string {
  return foldLetters(text).replace(BLANK, ' ');
}

function foldLetters(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const small = text.normalize('NFKD').toLowerCase().replace(UNSEEN, '');
  return small.replaceAll('ß', 'ss').replaceAll('ς', 'σ');
}

/** What a search asks for: words and "quoted phrases", {@link fold}ed; every one of them has to be there. */
export function parseSearch(search: string): readonly string[] {
  const found = Array.from(search.matchAll(/"([^"]*)"?|[^\s"]+/gu), ([whole, quoted]) =>
    fold(quoted ?? whole).trim(),
  );
  return [...new Set(found)].filter((term) => term !== '');
}

/** Why nothing can be searched for, as the end of a sentence; null: it can. */
export function searchProblem(search: string): string | null {
  if (search.length > LONGEST_SEARCH) {
    return `search must be at most ${LONGEST_SEARCH} characters long`;
  }
  const terms = parseSearch(search);
  if (terms.length > MOST_TERMS) return `search must be at most ${MOST_TERMS} words and phrases`;
  if (terms.some((term) => gramsOf(term).length > 0)) return null;
  return `search must have a word or a "phrase" of at least ${GRAM} letters; shorter ones only narrow it`;
}

/** Every run of three characters of a term, each once; none of a shorter term. */
export function gramsOf(term: string): readonly string[] {
  const characters = Array.from(term);
  const grams = new Set<string>();
  for (let at = 0; at + GRAM <= characters.length; at += 1) {
    grams.add(characters.slice(at, at + GRAM).join(''));
  }
  return [...grams];
}

/** @returns in one line the words around the first of the terms; null: not all of them are there */
export function findTerms(text: string, terms: readonly string[]): string | null {
  const folded = fold(text);
  if (!terms.every((term) => folded.includes(term))) return null;
  const [first = ''] = terms;
  const at = folded.indexOf(first);
  const [start, end] = placeIn(text, at, at + first.length);
  return shownAround(text, start, end);
}

/** Where in a text its characters from `from` to `to` are, which were counted after it was folded. */
function placeIn(text: string, from: number, to: number): [start: number, end: number] {
  let folded = 0;
  let at = 0;
  let start: number | null = null;
  let isBlank = false;
  for (const character of text) {
    const letters = fold(character);
    const isMoreBlank = letters === ' ' && isBlank;
    if (folded + letters.length > from && !isMoreBlank) start ??= at;
    if (!isMoreBlank) folded += letters.length;
    if (letters !== '') isBlank = letters === ' ';
    at += character.length;
    if (folded >= to) break;
  }
  return [start ?? 0, at];
}

function shownAround(text: string, start: number, end: number): string {
  const from = Math.max(0, start - SHOWN_AROUND);
  const to = Math.min(text.length, end + SHOWN_AROUND);
  const [before, after] = [text.slice(from, start), text.slice(end, to)];
  // Half a word says nothing, and half of a surrogate pair is no character.
  const whole = [
    from === 0 ? before : before.replace(/^\S{0,20}\s|^[\udc00-\udfff]/u, ''),
    text.slice(start, end),
    to === text.length ? after : after.replace(/\s\S{0,20}$|[\ud800-\udbff]$/u, ''),
  ];
  const line = whole.join('').replace(BLANK, ' ').trim();
  return `${from > 0 ? '…' : ''}${line}${to < text.length ? '…' : ''}`;
}
