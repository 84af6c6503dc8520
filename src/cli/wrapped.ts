import { stripVTControlCharacters } from 'node:util';

/** What lines begin with. */
export interface Indents {
  readonly first?: string;
  readonly rest?: string;
}

/** A text as lines of at most `columns` visible characters, broken at blanks. */
export function wrapped(
  text: string,
  columns: number,
  { first = '', rest = first }: Indents = {},
): string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(' ')) {
    if (!isEmpty && widthOf(line) + 1 + widthOf(word) > columns) {
      lines.push(line);
      line = rest;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}

/** Without the codes of colours. */
function widthOf(text: string): number {
  return stripVTControlCharacters(text).length;
}
