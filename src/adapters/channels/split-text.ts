/** A piece of a text, and what has to stand around it where the cut went through a block of code. */
interface Piece {
  /** Pieces' bodies joined are the text. */
  readonly body: string;
  /** Line that opens the block of code anew; empty: the piece begins outside of one. */
  readonly reopen: string;
  /** Line that closes the block for this piece; empty: it ends outside of one. */
  readonly close: string;
}

/** A fence that is repeated has at most this many characters, the name of the language included. */
const LONGEST_FENCE = 40;
/** Room for `(99999/99999)` and the blank line behind it. */
const NUMBER_CHARS = 16;
/** Room for a fence line before and a fence line behind. */
const FENCES_CHARS = 2 * (LONGEST_FENCE + 2);

export const SMALLEST_LIMIT = 2 * (NUMBER_CHARS + FENCES_CHARS);

/** Numbered, unless it is one; a blank text has none. @param limit UTF-16 units, at least {@link SMALLEST_LIMIT}. */
export function splitText(text: string, limit: number): string[] {
  if (text.trim() === '') return [];
  if (text.length <= limit) return [text];
  const pieces = cut(text, limit - NUMBER_CHARS - FENCES_CHARS).filter(
    ({ body }) => body.trim() !== '',
  );
  if (pieces.length === 1) return pieces.map(whole);
  return pieces.map((piece, index) => `(${index + 1}/${pieces.length})\n\n${whole(piece)}`);
}

/** After a paragraph, else after a line, both in the second half; else after a blank, else between two letters. */
export function cut(text: string, size: number): Piece[] {
  const pieces: Piece[] = [];
  let rest = text;
  let open = '';
  while (rest !== '') {
    const body = rest.slice(0, rest.length <= size ? rest.length : endOfPiece(rest, size));
    const reopen = open;
    open = fenceAfter(body, open);
    rest = rest.slice(body.length);
    pieces.push({ body, reopen, close: rest === '' ? '' : closing(open) });
  }
  return pieces;
}

function whole({ body, reopen, close }: Piece): string {
  const before = reopen === '' ? '' : `${reopen}\n`;
  const behind = close === '' ? '' : `${body.endsWith('\n') ? '' : '\n'}${close}`;
  return before + body + behind;
}

function endOfPiece(text: string, size: number): number {
  const paragraph = text.lastIndexOf('\n\n', size - 2) + 2;
  if (paragraph > Math.max(size / 2, 1)) return paragraph;
  const line = text.lastIndexOf('\n', size - 1) + 1;
  if (line > size / 2) return line;
  const blank = Math.max(line, lastBlank(text, size));
  if (blank > 0) return blank;
  return betweenLetters(text, size);
}

const LETTERS = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** Signs that begin a name at the start of a message, and none behind a letter. */
const BEGINS_NAME = /^[@＠&]/;

/** The last position up to `size` between two letters; in a letter that is longer than that, between characters. */
function betweenLetters(text: string, size: number): number {
  const letters = LETTERS.segment(text.slice(0, size + 2));
  const startOf = (position: number) => letters.containing(position)?.index ?? 0;
  const end = startOf(size);
  if (end > 0) return (BEGINS_NAME.test(text.charAt(end)) && startOf(end - 1)) || end;
  return /[\uD800-\uDBFF]/.test(text.charAt(size - 1)) ? size - 1 : size;
}

function lastBlank(text: string, size: number): number {
  for (let end = size; end > 0; end -= 1) {
    if (/\s/.test(text.charAt(end - 1))) return end;
  }
  return 0;
}

/** The line that opened the block of code in which a body ends; empty: it ends outside of one. */
function fenceAfter(body: string, before: string): string {
  let open = before;
  for (const line of body.split('\n')) {
    const [, marker = '', rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (marker === '') continue;
    if (open !== '') {
      if (rest.trim() === '' && marker.startsWith(closing(open))) open = '';
    } else if (!(marker.startsWith('`') && rest.includes('`')) && marker.length <= LONGEST_FENCE) {
      const fence = marker + rest.trimEnd();
      open = fence.length <= LONGEST_FENCE ? fence : marker;
    }
  }
  return open;
}

function closing(open: string): string {
  return /^(?:`+|~+)/.exec(open)?.[0] ?? '';
}
