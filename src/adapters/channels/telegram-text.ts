import {
  headingOf,
  inline,
  plainMarkup,
  readLines,
  tableCells,
  withoutMentions,
} from './markdown.ts';
import type { Marks } from './markdown.ts';
import { PHONE_COLUMNS, withoutTables } from './tables.ts';

/** Text with entities, and HTML of rich messages: no sign of Telegram's Markdown can be escaped for sure (`\<`). */

/** What stands at a place of a text (Bot API, MessageEntity), in UTF-16 units. */
export interface Entity {
  readonly type: 'bold' | 'italic' | 'strikethrough' | 'code' | 'pre';
  readonly offset: number;
  readonly length: number;
}

interface EntityText {
  readonly text: string;
  readonly entities: readonly Entity[];
}

/** Control characters mark where an entity begins and ends; a text has none of its own left by then. */
const MARKS: Marks = {
  bold: '\u0001',
  italic: '\u0002',
  strike: '\u0003',
  code: '\u0004',
  fence: '\u0005',
};
const MARK = /([^\P{Cc}\n\t])/u;
const ENTITIES: Readonly<Record<string, readonly [type: Entity['type'], tag: string]>> = {
  [MARKS.bold]: ['bold', 'b'],
  [MARKS.italic]: ['italic', 'i'],
  [MARKS.strike]: ['strikethrough', 's'],
  [MARKS.code]: ['code', 'code'],
  [MARKS.fence]: ['pre', 'pre'],
};

export function entityText(markdown: string, limit: number): EntityText {
  const made = marked(withoutTables(visible(markdown), PHONE_COLUMNS));
  // Columns need room that the message may not have.
  return made.text.length <= limit ? made : marked(visible(markdown));
}

/** The blocks of code of such a message: entities say where they are, so that no sign in a text can begin or end one. */
export function codeBlocks({ text, entities }: EntityText): string[] {
  return entities
    .filter(({ type }) => type === 'pre')
    .map(({ offset, length }) => text.slice(offset, offset + length));
}

function marked(markdown: string): EntityText {
  // Blocks of code stand between marks, not between lines of marks.
  const lines = plainMarkup(markdown, MARKS)
    .split(MARKS.fence)
    .map((block, index) => (index % 2 === 1 ? block.replace(/^\n|\n$/g, '') : block))
    .join(MARKS.fence);
  let text = '';
  const entities: Entity[] = [];
  const begun = new Map<string, number>();
  for (const piece of mentionless(lines).split(MARK)) {
    const type = ENTITIES[piece]?.[0];
    const offset = begun.get(piece);
    if (type === undefined) text += piece;
    else if (offset === undefined) begun.set(piece, text.length);
    else {
      begun.delete(piece);
      if (text.length > offset) entities.push({ type, offset, length: text.length - offset });
    }
  }
  return { text, entities };
}

/** Without what Telegram's server takes away anyway (td, clean_input_string): words would come together there. */
function visible(markdown: string): string {
  return markdown
    .replace(/[\r\u2028-\u202e]|\u030a|\u0333|\u033f/g, '')
    .replace(/[^\P{Cc}\n\t]/gu, ' ');
}

function mentionless(markedText: string): string {
  return withoutMentions(markedText).replace(/[@＠](?=[^\P{Cc}\n\t])/gu, '$&\u200b');
}

export function hasTable(markdown: string): boolean {
  return readLines(markdown).some(({ kind }) => kind === 'table');
}

/** A message as the HTML of a rich one: nothing in it is read as anything but text. */
export function richHtml(markdown: string): string {
  const blocks: { readonly kind: 'code' | 'table' | 'prose'; readonly lines: string[] }[] = [];
  for (const { text, kind } of readLines(visible(markdown))) {
    const last = blocks.at(-1);
    const isCode = kind === 'opens' || kind === 'code' || kind === 'closes';
    const block = isCode ? 'code' : kind;
    const lines = kind === 'opens' || kind === 'closes' ? [] : [text];
    if (last?.kind === block && kind !== 'opens') last.lines.push(...lines);
    else blocks.push({ kind: block, lines });
  }
  return blocks.map(({ kind, lines }) => HTML[kind](lines)).join('\n');
}

const HTML = {
  code: (lines: readonly string[]) => `<pre>${escaped(lines.join('\n'))}</pre>`,
  table: tableHtml,
  prose: (lines: readonly string[]) => proseHtml(lines).join('\n'),
};

function tableHtml([head = '', rule = '', ...body]: readonly string[]): string {
  const aligns = tableCells(rule).map((cell) => ALIGNS[`${cell.at(0)}${cell.at(-1)}`] ?? 'left');
  const row = (line: string, tag: string) => {
    const cells = tableCells(line).map((cell, column) => {
      const text = tagged(inline(cell, MARKS));
      return `<${tag} align="${aligns[column] ?? 'left'}">${text}</${tag}>`;
    });
    return `<tr>${cells.join('')}</tr>`;
  };
  const rows = body.map((line) => row(line, 'td'));
  return `<table bordered striped>${[row(head, 'th'), ...rows].join('')}</table>`;
}

const ALIGNS: Readonly<Record<string, string>> = { '::': 'center', '-:': 'right' };

function proseHtml(lines: readonly string[]): string[] {
  const html: string[] = [];
  let paragraph: string[] = [];
  const end = (): void => {
    if (paragraph.length > 0) html.push(`<p>${paragraph.join('<br>')}</p>`);
    paragraph = [];
  };
  for (const line of lines) {
    const words = headingOf(line);
    if (words !== undefined || line.trim() === '') end();
    if (words !== undefined) {
      const tag = `h${line.trimStart().indexOf(' ')}`;
      html.push(`<${tag}>${tagged(inline(words, { ...MARKS, bold: '' }))}</${tag}>`);
    } else if (line.trim() !== '') {
      const text = tagged(plainMarkup(line, MARKS));
      paragraph.push(text.replace(/^ +/, (blanks) => '&nbsp;'.repeat(blanks.length)));
    }
  }
  end();
  return html;
}

function tagged(markedText: string): string {
  const active = new Set<string>();
  const pieces = mentionless(markedText)
    .split(MARK)
    .map((piece) => {
      const tag = ENTITIES[piece]?.[1];
      if (tag === undefined) {
        const opening = [...active].map((one) => `<${one}>`).join('');
        const closing = [...active].toReversed().map((one) => `</${one}>`);
        return piece === '' ? '' : opening + escaped(piece) + closing.join('');
      }
      if (!active.delete(tag)) active.add(tag);
      return '';
    });
  return pieces.join('');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
