/* No parser of CommonMark: a message must keep every line, blank and word as the agent wrote them. */

/** The signs with which a platform marks text; empty: it has none. */
export interface Marks {
  readonly bold: string;
  readonly italic: string;
  readonly strike: string;
  readonly code: string;
  /** A line of its own before and behind a block of code. */
  readonly fence: string;
}

export const WHATSAPP_MARKS: Marks = {
  bold: '*',
  italic: '_',
  strike: '~',
  code: '`',
  fence: '```',
};

export const NO_MARKS: Marks = { bold: '', italic: '', strike: '', code: '', fence: '' };

export interface Line {
  readonly text: string;
  readonly kind: 'opens' | 'closes' | 'code' | 'table' | 'prose';
}

/** Inside of lists and quotations, too, where it stands further in. */
const FENCE = /^([ \t>]*)(`{3,}|~{3,})(.*)$/;

/** The lines of a text, each once and in order. A table begins with its header. */
export function readLines(markdown: string): Line[] {
  const texts = markdown.split('\n');
  const lines: Line[] = [];
  let fence = '';
  let indent = 0;
  let isTable = false;
  for (const [index, text] of texts.entries()) {
    const [, { length } = '', marker = '', info = ''] = FENCE.exec(text) ?? [];
    const opens = fence === '' && marker !== '' && !(marker.startsWith('`') && info.includes('`'));
    const isBare = info.trim() === '' && length <= indent + 3;
    if (opens) {
      fence = marker;
      indent = length;
      lines.push({ text, kind: 'opens' });
    } else if (fence !== '') {
      const closes = marker.startsWith(fence) && isBare;
      if (closes) fence = '';
      lines.push({ text, kind: closes ? 'closes' : 'code' });
    } else {
      isTable = isTable ? text.includes('|') : isTableHeader(text, texts[index + 1] ?? '');
      lines.push({ text, kind: isTable ? 'table' : 'prose' });
      continue;
    }
    isTable = false;
  }
  return lines;
}

interface Stretch {
  /** Of a block without its fences. */
  readonly text: string;
  readonly isCode: boolean;
}

export function piecesOf(markdown: string): Stretch[] {
  const pieces: { isCode: boolean; lines: string[] }[] = [{ isCode: false, lines: [] }];
  for (const { text, kind } of readLines(markdown)) {
    if (kind === 'opens' || kind === 'closes') pieces.push({ isCode: kind === 'opens', lines: [] });
    else pieces.at(-1)?.lines.push(text);
  }
  return pieces
    .map(({ isCode, lines }) => ({ isCode, text: lines.join('\n') }))
    .map((piece) => (piece.isCode ? piece : { ...piece, text: piece.text.trim() }))
    .filter(({ text }) => text.trim() !== '');
}

function isTableHeader(text: string, below: string): boolean {
  if (!text.includes('|') || !below.includes('|') || !/^[\s|:-]+$/.test(below)) return false;
  const delimiters = tableCells(below);
  return (
    delimiters.every((cell) => /^:?-+:?$/.test(cell)) &&
    delimiters.length === tableCells(text).length
  );
}

/** The cells of a table's line, without the blanks around them; `\|` is a sign of text. */
export function tableCells(line: string): string[] {
  const inside = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inside.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** No visible word is lost but the name of a code block's language. */
export function plainMarkup(markdown: string, marks: Marks): string {
  const fence = marks.fence === '' ? [] : [marks.fence];
  const lines = readLines(markdown);
  const plain = lines.flatMap(({ text, kind }) => {
    if (kind === 'opens' || kind === 'closes') return fence;
    return kind === 'code' ? [text] : [plainLine(text, marks)];
  });
  const end = lines.at(-1)?.kind;
  return [...plain, ...(end === 'opens' || end === 'code' ? fence : [])].join('\n');
}

const HEADING = /^ {0,3}#{1,6}[ \t](.*)$/s;

/** The words of a heading; undefined: it is none. */
export function headingOf(line: string): string | undefined {
  return HEADING.exec(line)?.[1]
    ?.trim()
    .replace(/(?:^|[ \t])#+$/, '')
    .trimEnd();
}

/** Markdown for platforms that read it but no headings: those become bold lines. */
export function boldHeadings(markdown: string): string {
  return readLines(markdown)
    .map(({ text, kind }) => {
      const heading = kind === 'prose' ? headingOf(text) : undefined;
      if (heading === undefined) return text;
      const words = outsideOfCode(heading, (prose) => prose.replace(/\*\*|__/g, ''));
      return words === '' ? '' : `**${words}**`;
    })
    .join('\n');
}

const NO_PARAGRAPH = /^\s*(?:$|#{1,6}\s|[-=_*][-=_*\s]*$)/;
const BEGINS_ANEW = /^\s*(?:[-+*]\s|\d{1,9}[.)]\s|>)/;

/** For platforms that show a single line break as a blank: one within a paragraph is made a hard one (two blanks). */
export function hardBreaks(markdown: string): string {
  const lines = readLines(markdown);
  return lines
    .map(({ text, kind }, index) => {
      const next = lines[index + 1];
      const isBroken = kind === 'prose' && next?.kind === 'prose' && continues(text, next.text);
      return isBroken ? `${text.trimEnd()}  ` : text;
    })
    .join('\n');
}

const QUOTED = /^(?:[ \t]*>)+/;

function continues(line: string, next: string): boolean {
  const isQuoted = QUOTED.test(line) && QUOTED.test(next);
  const [above, below] = isQuoted
    ? [line.replace(QUOTED, ''), next.replace(QUOTED, '')]
    : [line, next];
  const isBroken = above.endsWith('\\');
  return (
    ![above, below].some((one) => NO_PARAGRAPH.test(one)) && !isBroken && !BEGINS_ANEW.test(below)
  );
}

function plainLine(line: string, marks: Marks): string {
  const heading = headingOf(line);
  if (heading !== undefined) {
    const text = inline(heading, { ...marks, bold: '' });
    return text === '' ? '' : `${marks.bold}${text}${marks.bold}`;
  }
  const item = /^(\s*)[*+-][ \t](.*)$/s.exec(line);
  return item === null
    ? inline(line, marks)
    : `${item[1]}- ${inline(item[2]?.trimStart() ?? '', marks)}`;
}

/** A piece of a line. Words of code stay as they are but for their signs; they may stand in bold ones, and in labels. */
export function inline(text: string, marks: Marks): string {
  const codes: string[] = [];
  const hidden = outsideOfCode(
    text,
    (piece) => piece.replaceAll(CODE_PLACE, '\ufffd'),
    (code) => `${CODE_PLACE}${codes.push(code) - 1}${CODE_PLACE}`,
  );
  return prose(hidden, marks).replace(/\ue080(\d+)\ue080/g, (_place, index: string) =>
    (codes[Number(index)] ?? '').replace(/^`+ ?|(?: ?`+)$/g, marks.code),
  );
}

/** Stands for words of code while the signs around them are read. */
const CODE_PLACE = '\ue080';

function outsideOfCode(
  text: string,
  translate: (prose: string) => string,
  ofCode = (code: string): string => code,
): string {
  return text
    .split(/(`{1,10}[^`]+`{1,10})/)
    .map((piece, index) => (index % 2 === 1 ? ofCode(piece) : translate(piece)))
    .join('');
}

/** Signs that were read are hidden: WhatsApp's bold `*a*` is Markdown's italic. Unbounded, mere signs take forever. */
function prose(text: string, { bold, italic, strike }: Marks): string {
  const strong = `${hide(bold)}$1${hide(bold)}`;
  const emphasis = `${italic}$1${italic}`;
  const plain = text
    .replace(HIDDEN, '\ufffd')
    .replace(ESCAPED, (_escaped, sign: string) => hide(sign))
    .replace(LINK, (_link, label: string, address: string) => linkText(label, address))
    .replace(BARE_LINK, '$1')
    .replace(STRONG_STARS, strong)
    .replace(STRONG_UNDERSCORES, strong)
    .replace(STRUCK, `${strike}$1${strike}`)
    .replace(STAR, emphasis)
    .replace(UNDERSCORE, emphasis);
  return plain.replace(HIDDEN, show);
}

const ESCAPED = /\\([\\`*_{}[\]()#+.!~>|-])/g;
/** `[label](address "title")`, and pictures. An address ends before `](` at the latest: each is read once. */
const LINK = /!?\[([^\][]*)\]\(\s*<?((?:[^\s)>\]]|\](?!\())+)>?(?:\s+["'][^"']{0,300}["'])?\s*\)/g;
const BARE_LINK = /<((?:https?:\/\/|mailto:)[^\s<>]+)>/g;
const STRONG_STARS = /(?<!\*\*)\*\*(?=\S)(.{1,500}?)(?<=\S)\*\*(?!\*)/g;
const STRONG_UNDERSCORES = /(?<!\w)__(?=\S)(.{1,500}?)(?<=\S)__(?!\w)/g;
const STRUCK = /(?<!~~)~~(?=\S)(.{1,500}?)(?<=\S)~~/g;
const STAR = /(?<![\w*])\*(?=[^\s*])([^*]+?)(?<=[^\s*])\*(?![\w*])/g;
const UNDERSCORE = /(?<!\w)_(?=[^\s_])([^_]+?)(?<=[^\s_])_(?!\w)/g;

/** Hidden signs stand in a private area of Unicode; a text that has some of its own there loses them. */
const HIDDEN = /[\ue000-\ue07f]/g;
const HIDDEN_FROM = 0xe000;

function hide(sign: string): string {
  return sign === '' ? '' : String.fromCharCode(sign.charCodeAt(0) + HIDDEN_FROM);
}

function show(hidden: string): string {
  return String.fromCharCode(hidden.charCodeAt(0) - HIDDEN_FROM);
}

function linkText(label: string, address: string): string {
  return label === '' || label === address ? address : `${label} (${address})`;
}

/** Shown as nothing, and no platform takes what is behind it for a name. */
const ZERO_WIDTH_SPACE = '\u200b';

/** `@name` that does not continue a word, as an e-mail address does. Full-width signs and written-out ones included. */
const AT_NAME = /(?<![\p{L}\p{N}])([@＠]|&(?:#0*64|#x0*40|commat);)(?=[\p{L}\p{N}_])/giu;

/** Slack's `<!channel>`, `<@U1>`, `<#C1>`, Discord's `<@1>` and `<@&1>`, the `<at>` of Teams. */
const ANGLE_NAME = /<(?=[!@#]|\/?at\b)/gi;

/** The text without anything that notifies people. It looks the same: what agents write mentions nobody. */
export function withoutMentions(text: string): string {
  return text.replace(ANGLE_NAME, `<${ZERO_WIDTH_SPACE}`).replace(AT_NAME, `$1${ZERO_WIDTH_SPACE}`);
}

/** `acme/shop#7`, `!7`, `acme/shop@0123abc`, `GH-7`: shown at the other end, which it may close (`fixes #7`). */
const REFERENCE = /(?<=^|[^\p{L}\p{N}&])(?:[#!&%~$](?=["a-z\d]|&#)|GH-(?=\d))/gimu;
const REFERENCE_WRITTEN_OUT =
  /&(?:#0*(?:3[3-8]|126)|#x0*(?:2[1-6]|7e)|excl|num|dollar|percnt|amp|tilde);(?=["a-z\d&])/giu;
const REFERENCE_AFTER_NAME = /(?<=[\w.-]\/[\w.-]{1,100})([#!&%~@])(?=[\da-f])/giu;

export function withoutReferences(text: string): string {
  return text
    .replace(REFERENCE_AFTER_NAME, `$1${ZERO_WIDTH_SPACE}`)
    .replace(REFERENCE_WRITTEN_OUT, (sign) => `${sign}${ZERO_WIDTH_SPACE}`)
    .replace(REFERENCE, (sign) => `${sign}${ZERO_WIDTH_SPACE}`);
}

/** Quick actions, and commands of bots. GitLab drops carriage returns first (lib/gitlab/quick_actions/extractor.rb). */
const COMMAND = /^([^\p{L}\p{N}\n\r\u2028\u2029/]*)\/(?=\p{L})/gmu;

export function withoutCommands(text: string): string {
  return text.replaceAll('\r', '').replace(COMMAND, `$1${ZERO_WIDTH_SPACE}/`);
}
