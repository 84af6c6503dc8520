import type { Member, Outline } from './json5-outline.ts';

/** Data as JSON writes it. */
export type Json =
  string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** How a document is written, so that what is added looks like the rest. */
export interface Style {
  readonly lineEnd: string;
  /** What one level is indented by. */
  readonly indent: string;
  readonly quote: '"' | "'";
  /** Quote around keys; empty where keys stand bare. */
  readonly keyQuote: '"' | "'" | '';
  readonly hasTrailingCommas: boolean;
  /** False: the document is one line and stays one. */
  readonly hasLines: boolean;
}

const WIDTH = 80;
const BARE_KEY = /^[A-Za-z_$][\w$]*$/;

/** Learns from the whole document; an empty one is written as gateway.example.json5 is. */
export function styleOf(text: string, root: Outline): Style {
  const containers = [...containersIn(root)];
  const members = containers.flatMap((container) => container.members);
  const onOwnLine = containers.filter(({ members }) => members.at(-1)?.isOnOwnLine);
  const last = onOwnLine.map(({ members }) => members.at(-1));
  return {
    lineEnd: /\r?\n/.exec(text)?.[0] ?? '\n',
    indent: indentOf(text, onOwnLine),
    quote: quoteOf(text, members),
    keyQuote: keyQuoteOf(text, members),
    hasTrailingCommas: last.length === 0 || last.some((member) => member?.comma !== undefined),
    hasLines: members.length === 0 || /[\n\r]/.test(text.slice(root.start, root.end)),
  };
}

/** Quote around the keys of these members, empty when one of them stands bare or there are none. */
export function keyQuoteOf(text: string, members: readonly Member[]): Style['keyQuote'] {
  const signs = members.filter(({ key }) => key !== undefined).map(({ start }) => text[start]);
  const [first] = signs;
  const isQuoted = signs.every((sign) => sign === '"' || sign === "'");
  return isQuoted && (first === '"' || first === "'") ? first : '';
}

/** The blanks that the line of this offset begins with. */
export function indentationAt(text: string, offset: number): string {
  const lineStart = Math.max(
    text.lastIndexOf('\n', offset - 1),
    text.lastIndexOf('\r', offset - 1),
  );
  return /^[ \t]*/.exec(text.slice(lineStart + 1, offset))?.[0] ?? '';
}

/** A key as it is written, quoted where it has to be or its neighbours are. */
export function writeKey(key: string, style: Style): string {
  if (style.keyQuote === '' && BARE_KEY.test(key)) return key;
  return writeText(key, style.keyQuote === '' ? style.quote : style.keyQuote);
}

/**
 * A value as it is written.
 * @param indentation of the line that it begins on; undefined: all on that line
 */
export function writeValue(value: Json, style: Style, indentation: string | undefined): string {
  if (typeof value === 'string') return writeText(value, style.quote);
  // Numbers that JSON has no word for are written as JSON5 has them.
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (!isContainer(value)) return JSON.stringify(value);
  const flat = writeFlat(value, style);
  if (indentation === undefined || flat === '{}' || flat === '[]') return flat;
  const isDeep = Array.isArray(value) || indentation.length > 2 * style.indent.length;
  if (isDeep && isSmall(value) && indentation.length + flat.length <= WIDTH) return flat;
  const inner = indentation + style.indent;
  const lines = entriesOf(value).map(([key, item]) => {
    const label = key === undefined ? '' : `${writeKey(key, style)}: `;
    return `${inner}${label}${writeValue(item, style, inner)}`;
  });
  const end = style.hasTrailingCommas ? ',' : '';
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return [open, `${lines.join(`,${style.lineEnd}`)}${end}`, `${indentation}${close}`].join(
    style.lineEnd,
  );
}

/** Lists of plain values, and objects of one; sections and their parts are objects that grow, and get lines. */
function isSmall(value: readonly Json[] | { readonly [key: string]: Json }): boolean {
  const items = entriesOf(value).map(([, item]) => item);
  return (Array.isArray(value) || items.length === 1) && !items.some(isContainer);
}

function writeFlat(value: Json, style: Style): string {
  if (!isContainer(value)) return writeValue(value, style, undefined);
  const items = entriesOf(value).map(([key, item]) =>
    key === undefined
      ? writeFlat(item, style)
      : `${writeKey(key, style)}: ${writeFlat(item, style)}`,
  );
  if (Array.isArray(value)) return `[${items.join(', ')}]`;
  return items.length === 0 ? '{}' : `{ ${items.join(', ')} }`;
}

function entriesOf(
  value: readonly Json[] | { readonly [key: string]: Json },
): (readonly [string | undefined, Json])[] {
  if (!Array.isArray(value)) return Object.entries(value);
  const items: readonly Json[] = value;
  return items.map((item) => [undefined, item] as const);
}

function isContainer(value: Json): value is readonly Json[] | { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null;
}

/** JSON's escapes are JSON5's, too, so that a plain JSON document stays one. */
function writeText(text: string, quote: '"' | "'"): string {
  const json = JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
  if (quote === '"') return json;
  const body = json.slice(1, -1).replace(/\\(.)|'/g, (sign, escaped: string | undefined) => {
    if (escaped === undefined) return "\\'";
    return escaped === '"' ? '"' : sign;
  });
  return `'${body}'`;
}

function* containersIn(outline: Outline): Generator<Outline> {
  if (outline.kind === 'scalar') return;
  yield outline;
  for (const { value } of outline.members) yield* containersIn(value);
}

function indentOf(text: string, containers: readonly Outline[]): string {
  for (const { start, members } of containers) {
    const outer = indentationAt(text, start);
    const inner = indentationAt(text, members.at(-1)?.start ?? start);
    if (inner.length > outer.length && inner.startsWith(outer)) return inner.slice(outer.length);
  }
  return '  ';
}

function quoteOf(text: string, members: readonly Member[]): '"' | "'" {
  const places = [...members.map(({ value }) => value.start), ...members.map(({ start }) => start)];
  const first = places.map((place) => text[place]).find((sign) => sign === '"' || sign === "'");
  return first === '"' ? '"' : "'";
}
