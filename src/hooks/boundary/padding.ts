import { hidesWithoutReason } from './hidden.ts';

/**
 * The rule for what pushes the rest of a text out of sight: more than 3 blank lines in a row, and more than 40 blanks in a
 * row. A blank is a tab, any space separator of Unicode, or a character that is drawn as nothing although Unicode counts it
 * among symbols or letters.
 */

/** Braille blank, null notehead, Egyptian blanks. Hangul fillers are `Default_Ignorable_Code_Point` (`hidden.ts`). */
const LOOKS_BLANK = String.raw`\u2800\u{1d159}\u{13441}\u{13442}`;
const BLANK = String.raw`[\t\p{Zs}\p{Default_Ignorable_Code_Point}${LOOKS_BLANK}]`;
const LINE_END = String.raw`\r?\n`;

const ANY_LOOKS_BLANK = new RegExp(`[${LOOKS_BLANK}]`, 'v');
const BLANKS = String.raw`${BLANK}{41,}`;
const BLANK_LINES = `(?<=^|\n)(?:${BLANK}*${LINE_END}){4,}`;
const ANY_PADDING = new RegExp(`${BLANKS}|${BLANK_LINES}`, 'v');
const ALL_BLANKS = new RegExp(BLANKS, 'gv');
const ALL_BLANK_LINES = new RegExp(BLANK_LINES, 'gv');

/** Whether a person who is shown a text sees all of it: nothing hides, and nothing stands behind padding. A blank text is not seen. */
export function isAllSeen(text: string): boolean {
  const isPadded = ANY_LOOKS_BLANK.test(text) || ANY_PADDING.test(text);
  return text.trim() !== '' && !isPadded && !hidesWithoutReason(text);
}

export function withoutPadding(text: string): string {
  return text.replace(ALL_BLANKS, ' ').replace(ALL_BLANK_LINES, '\n');
}
