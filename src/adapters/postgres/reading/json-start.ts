/** Strings, as far as they go, signs, and other values. */
const TOKENS = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[{}[\],:]|[^\s"{}[\],:]+/gsu;
/** A string without its last quote. */
const WORDS = /^"(?:[^"\\]|\\(?:[^u]|u[0-9a-f]{4}))*/isu;

/** Where a text can be cut, and what closes all that is open there. */
interface Cut {
  readonly at: number;
  readonly closing: string;
}

/**
 * What the beginning of a JSON text says: values that are cut off end where the text does if they are strings, and are
 * left out if not.
 * @param start well-formed JSON as far as it goes; at least its first sign
 */
export function parseJsonStart(start: string): unknown {
  const { at, closing } = lastCut(start);
  return JSON.parse(start.slice(0, at) + closing);
}

/** Goes through the text by its strings and signs. */
function lastCut(start: string): Cut {
  const closers: string[] = [];
  let cut: Cut = { at: 0, closing: 'null' };
  let isValue = true;
  const note = (at: number, quote = ''): void => {
    cut = { at, closing: quote + closers.toReversed().join('') };
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
  return cut;
}
