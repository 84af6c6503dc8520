import { EITHER_LETTER } from './data/look-alikes.ts';
import { SEEN, fold } from './fold.ts';
import type { Folded } from './fold.ts';
import type { FoundPart } from './markers.ts';
import { ORDINARY_WRITING, TEMPLATE_FAMILIES } from './data/template-tokens.ts';

/*
 * Chat-template tokens are the strings that carry the structure of a conversation inside a model's input: text that holds
 * one can end its own turn and begin the system's. `data/template-tokens.ts` lists those that are published.
 */

/** A token and what it is called in the text that takes its place: its name without brackets. */
export interface FoundToken extends FoundPart {
  readonly name: string;
}

/** Signs that are read as each other inside a token. */
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
const TOKENS = tokenPattern();
/** Every token has one of these, or begins the text. */
const HINT = /[<[\]\n]|^[ha]/i;

/** Finds chat-template tokens, whatever their case and however they are dressed up. */
export function findTokens(folded: Folded, given: string): readonly FoundToken[] {
  if (!HINT.test(folded.text)) return [];
  const found: FoundToken[] = [];
  for (const match of folded.text.matchAll(TOKENS)) {
    const before = match[1]?.length ?? 0;
    const from = match.index + before;
    const to = match.index + match[0].length;
    if (ORDINARY_WRITING.has(given.slice(folded.at(from), folded.at(to)))) continue;
    found.push({ from, to, name: toName(match[0]) });
  }
  return found;
}

function tokenPattern(): RegExp {
  const published = [...new Set(TEMPLATE_FAMILIES.flatMap(({ tokens }) => tokens))];
  const labels = published.filter((token) => token.startsWith(PARAGRAPH));
  const literals = published.filter((token) => !token.startsWith(PARAGRAPH));
  const paragraph = String.raw`(^|\n\r?\n)(?:${labels.map((label) => spelt(label.trim())).join('|')})`;
  return new RegExp([SHAPE, ...literals.map(spelt), paragraph].join('|'), 'gi');
}

function spelt(token: string): string {
  return Array.from(fold(token).text.toLowerCase(), spellings).join('');
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
