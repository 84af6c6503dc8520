// The beginning of a JSON text that is too long to be read as a whole.
import { storedJson } from './rows.ts';

/** Strings, as far as they go, signs, and other values. */
const TOKENS = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[{}[\],:]|[^\s"{}[\],:]+/gsu;
/** A string without its last quote. */
const WORDS = /^"(?:[^"\\]|\\(?:[^u]|u[0-9a-f]{4}))*/isu;

/** What the beginning of a JSON text says: strings may be cut off, other values that are cut off are left out. */
export function parseJsonStart(
  start: string,
  parse: (text: string) => unknown = JSON.parse,
): unknown {
  return storedJson(closed(start), parse);
}

/** The text as far as it can be cut, and what closes all that is open there. */
function closed(start: string): string {
  // Changes only where the text can be cut.
  const closers: string[] = [];
  let cut: number | null = null;
  let quote = '';
  let isValue = true;
  const note = (at: number, closing = ''): void => {
    cut = at;
    quote = closing;
  };
  for (const { 0: token, index } of start.matchAll(TOKENS)) {
    const end = index + token.length;
    if (token === '{' || token === '[') {
      closers.push(token === '{' ? '}' : ']');
      note(end);
      isValue = token === '[';
    } else if (token === '}' || token === ']') {
      closers.pop();
      note(end);
    } else if (token === ',') isValue = closers.at(-1) === ']';
    else if (token === ':') isValue = true;
    else if (token.startsWith('"')) {
      // Without an escape that is cut off itself.
      const [words = '"'] = WORDS.exec(token) ?? [];
      const isWhole = token.length > words.length && token.endsWith('"');
      if (isValue && isWhole) note(end);
      else if (isValue) note(index + words.length, '"');
    } else if (end < start.length) note(end);
  }
  return cut === null ? 'null' : start.slice(0, cut) + quote + closers.toReversed().join('');
}
