/** At most so many UTF-16 units of a text; half of a surrogate pair at its end is no character. */
export function cut(text: string, most: number): string {
  return text.slice(0, most).replace(/[\ud800-\udbff]$/u, '');
}

/** The beginning of a text that has more than `most` characters (UTF-16 units), and in words how many were left out. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  const shown = cut(text, most);
  return `${shown}… (${text.length - shown.length} more characters)`;
}

/* Foreign text in one line: nothing in it moves a cursor, turns the direction of writing or stands there unseen. */

/** Line ends, tabs, blanks and control characters: a run of them separates words, and no more. */
const BETWEEN_WORDS = /[\s\p{Cc}\p{Zl}\p{Zp}\p{Zs}]+/gu;
/** What is seen by nobody or turns what stands beside it. Joiners and the selectors of emoji stay: writing needs them. */
const UNSEEN =
  /[[\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]--[\u{fe0e}\u{fe0f}\u{200c}\u{200d}]]/gv;

/** A line in which one word stands apart from the next by one blank; what is longer ends in `…`. @param most UTF-16 units, all in all */
export function oneLine(text: string, most: number): string {
  const line = text.replace(BETWEEN_WORDS, ' ').replace(UNSEEN, '').trim();
  if (line.length <= most) return line;
  return `${cut(line, Math.max(0, most - 1)).trimEnd()}…`;
}
