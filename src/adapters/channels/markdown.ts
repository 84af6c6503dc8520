/**
 * Markdown as agents write it, for each kind of platform: as it is but without mentions for those that read it
 * ({@link withoutMentions}), translated line by line for those that do not ({@link plainMarkup}). It is no parser: a
 * parser of CommonMark gives a tree of what it took for Markdown, and a message must keep every line, blank and word as
 * the agent wrote them.
 */

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

/**
 * The signs of prose, read one after the other. Signs that have been read are hidden, so that none of them is read
 * twice: WhatsApp's bold `*a*` is Markdown's italic. All bounds keep a text of nothing but signs from taking forever.
 */
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
