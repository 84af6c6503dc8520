/** The signs with which a platform marks text; empty: it has none. */
export interface Marks {
  readonly bold: string;
  readonly italic: string;
  readonly strike: string;
  /** Around a word of code. */
  readonly code: string;
  /** A line of its own before and behind a block of code. */
  readonly fence: string;
}

/** WhatsApp's own signs. */
export const WHATSAPP_MARKS: Marks = {
  bold: '*',
  italic: '_',
  strike: '~',
  code: '`',
  fence: '```',
};

/** For platforms that show text as it is. */
export const NO_MARKS: Marks = { bold: '', italic: '', strike: '', code: '', fence: '' };

/** Inside of lists and quotations, too, where it stands further in. */
const FENCE = /^([ \t>]*)(`{3,}|~{3,})(.*)$/;

/**
 * Markdown for platforms that do not read it: headings become bold lines, links `label (address)`, lists keep their
 * dashes, blocks of code their lines. No visible word is lost but the name of a code block's language.
 */
export function plainMarkup(markdown: string, marks: Marks): string {
  const lines: string[] = [];
  let fence = '';
  let indent = 0;
  for (const line of markdown.split('\n')) {
    const [, { length } = '', marker = '', info = ''] = FENCE.exec(line) ?? [];
    const opens = fence === '' && marker !== '' && !(marker.startsWith('`') && info.includes('`'));
    const isBare = info.trim() === '' && length <= indent + 3;
    const closes = fence !== '' && marker.startsWith(fence) && isBare;
    if (opens || closes) {
      fence = opens ? marker : '';
      indent = length;
      if (marks.fence !== '') lines.push(marks.fence);
    } else {
      lines.push(fence === '' ? plainLine(line, marks) : line);
    }
  }
  if (fence !== '' && marks.fence !== '') lines.push(marks.fence);
  return lines.join('\n');
}

function plainLine(line: string, marks: Marks): string {
  const heading = /^ {0,3}#{1,6}[ \t](.*)$/s.exec(line)?.[1];
  if (heading !== undefined) {
    const text = inline(
      heading
        .trim()
        .replace(/(?:^|[ \t])#+$/, '')
        .trimEnd(),
      { ...marks, bold: '' },
    );
    return text === '' ? '' : `${marks.bold}${text}${marks.bold}`;
  }
  const item = /^(\s*)[*+-][ \t](.*)$/s.exec(line);
  return item === null
    ? inline(line, marks)
    : `${item[1]}- ${inline(item[2]?.trimStart() ?? '', marks)}`;
}

/** Words of code stay as they are; everything between them is translated. */
function inline(text: string, marks: Marks): string {
  return text
    .split(/(`{1,10}[^`]+`{1,10})/)
    .map((piece, index) =>
      index % 2 === 1 ? piece.replace(/^`+ ?|(?: ?`+)$/g, marks.code) : prose(piece, marks),
    )
    .join('');
}

function prose(text: string, { bold, italic, strike }: Marks): string {
  return (
    text
      .replace(HIDDEN, '\ufffd')
      .replace(/\\([\\`*_{}[\]()#+.!~>|-])/g, (_escaped, sign: string) => hidden(sign))
      .replace(
        /!?\[([^\][]*)\]\(\s*<?([^\s)>]{1,1000})>?(?:\s+["'][^"']{0,300}["'])?\s*\)/g,
        labelled,
      )
      .replace(/<((?:https?:\/\/|mailto:)[^\s<>]+)>/g, '$1')
      // Hidden while single stars are translated: WhatsApp's bold is Markdown's italic.
      .replace(
        /(?<!\*\*)\*\*(?=\S)(.{1,500}?)(?<=\S)\*\*(?!\*)/g,
        `${hidden(bold)}$1${hidden(bold)}`,
      )
      .replace(/(?<!\w)__(?=\S)(.{1,500}?)(?<=\S)__(?!\w)/g, `${hidden(bold)}$1${hidden(bold)}`)
      .replace(/(?<!~~)~~(?=\S)(.{1,500}?)(?<=\S)~~/g, `${strike}$1${strike}`)
      .replace(/(?<![\w*])\*(?=[^\s*])([^*]+?)(?<=[^\s*])\*(?![\w*])/g, `${italic}$1${italic}`)
      .replace(/(?<!\w)_(?=[^\s_])([^_]+?)(?<=[^\s_])_(?!\w)/g, `${italic}$1${italic}`)
      .replace(HIDDEN, (sign) => String.fromCharCode(sign.charCodeAt(0) - HIDDEN_FROM))
  );
}

/** Signs that have been read stand in a private area until all others have been read; nobody else may put any there. */
const HIDDEN_FROM = 0xe000;
const HIDDEN = /[\ue000-\ue07f]/g;

function hidden(sign: string): string {
  return sign === '' ? '' : String.fromCharCode(sign.charCodeAt(0) + HIDDEN_FROM);
}

function labelled(_link: string, label: string, address: string): string {
  return label === '' || label === address ? address : `${label} (${address})`;
}
