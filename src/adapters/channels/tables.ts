import { NO_MARKS, inline, readLines, tableCells } from './markdown.ts';

/** Widest block of code that a telephone shows without breaking its lines, in columns. */
export const PHONE_COLUMNS = 40;

/** A table that fits becomes a block of code, a wider one a list. @param columns 0: every table becomes a list. */
export function withoutTables(markdown: string, columns: number): string {
  const blocks: (readonly string[])[] = [];
  let table: string[] = [];
  for (const { text, kind } of readLines(markdown)) {
    if (kind === 'table') {
      table.push(text);
      continue;
    }
    blocks.push(tableAsText(table, columns));
    // Without a blank line between them the list would take in what follows.
    if (table.length > 0 && text.trim() !== '') blocks.push(['']);
    blocks.push([text]);
    table = [];
  }
  return [...blocks, tableAsText(table, columns)].flat().join('\n');
}

function tableAsText([head, rule, ...body]: readonly string[], columns: number): string[] {
  if (head === undefined || rule === undefined) return [];
  const header = tableCells(head);
  const rows = body.map(tableCells);
  const isRight = tableCells(rule).map((cell) => /^-+:$/.test(cell));
  const indent = /^\s*/.exec(head)?.[0] ?? '';
  const lines = asCode(header, rows, isRight, columns) ?? asList(header, rows);
  return lines.map((line) => (line === '' ? '' : indent + line));
}

const GAP = '  ';

/** Null: it is too wide. */
function asCode(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  isRight: readonly boolean[],
  columns: number,
): string[] | null {
  const all: string[][] = [];
  const widths: number[] = [];
  for (const cells of [header, ...rows]) {
    if (cells.length > columns) return null;
    const words = cells.map((cell) => inline(cell, NO_MARKS));
    for (const [column, word] of words.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, displayWidth(word));
    }
    const width = widths.reduce((sum, one) => sum + one + GAP.length, -GAP.length);
    if (width > columns) return null;
    all.push(words);
  }
  const rule = widths.map((one) => '-'.repeat(one));
  const lines = [...all.slice(0, 1), rule, ...all.slice(1)].map((cells) =>
    cells
      .map((cell, column) => {
        const blanks = ' '.repeat((widths[column] ?? 0) - displayWidth(cell));
        return isRight[column] === true ? blanks + cell : cell + blanks;
      })
      .join(GAP)
      .trimEnd(),
  );
  let fence = '```';
  while (lines.some((line) => line.includes(fence))) fence += '`';
  return [fence, ...lines, fence];
}

function asList(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  // A table of names and values needs no headers in its rows.
  if (header.length <= 2 || rows.length === 0) {
    const items = rows.map(joined).filter((row) => row !== '');
    return [joined(header), ...items.map((row) => `- ${row}`)].filter((line) => line !== '');
  }
  return rows.flatMap((cells) =>
    cells
      .map((cell, column) => (cell === '' ? '' : joined([header[column] ?? '', cell])))
      .filter((field) => field !== '')
      .map((field, index) => (index === 0 ? `- ${field}` : `  - ${field}`)),
  );
}

function joined(cells: readonly string[]): string {
  const words = cells.filter((cell) => cell !== '');
  return words.map((word, n) => (n < words.length - 1 ? word.replace(/:$/, '') : word)).join(': ');
}

const LETTERS = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\ufe0f/u;

function displayWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of LETTERS.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}
