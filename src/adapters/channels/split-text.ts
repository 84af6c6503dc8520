/**
 * Cuts a text into parts of at most `limit` UTF-16 units, in order; nothing is lost but parts without any visible
 * character. It cuts after a line break in the second half of a part, else after a blank, else between two characters
 * (never inside a surrogate pair). A blank text has no parts.
 * @param limit at least 2.
 */
export function splitText(text: string, limit: number): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > limit) {
    const end = endOfPart(rest, limit);
    parts.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  parts.push(rest);
  return parts.filter((part) => part.trim() !== '');
}

function endOfPart(text: string, limit: number): number {
  const line = text.lastIndexOf('\n', limit - 1) + 1;
  if (line > limit / 2) return line;
  const blank = Math.max(line, lastBlank(text, limit));
  if (blank > 0) return blank;
  const pair = /[\uD800-\uDBFF]/.test(text.charAt(limit - 1)) && limit > 1;
  return pair ? limit - 1 : limit;
}

/** The position after the last blank within the first `limit` units; 0: there is none. */
function lastBlank(text: string, limit: number): number {
  for (let end = limit; end > 0; end -= 1) {
    if (/\s/.test(text.charAt(end - 1))) return end;
  }
  return 0;
}
