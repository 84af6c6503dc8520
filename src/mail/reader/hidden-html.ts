/**
 * What a mail says in HTML without showing it: the usual way to tell an agent what its person cannot see. This finds text
 * that the mail's own styles hide and takes it out of the tree before `html-to-text` reads it. It knows inline styles, the
 * attributes `hidden`, `bgcolor` and `color`, and rules of `<style>` for a tag, a class or an id outside of `@media`; what
 * more particular selectors hide, it does not see. Node runs this file from its source: erasable syntax only.
 */

/** A node of the parsed HTML, as far as this looks at it; a text has `data` and no `attribs`. */
export interface HtmlNode {
  readonly type: string;
  name?: string;
  data?: string;
  attribs?: Record<string, string>;
  children?: HtmlNode[];
  readonly parent?: HtmlNode | null;
}

type Style = ReadonlyMap<string, string>;
type Color = readonly [red: number, green: number, blue: number];

/** What the text below an element is painted with. */
interface Paint {
  readonly isInvisible: boolean;
  readonly isTiny: boolean;
  /** `none`: transparent. */
  readonly color: Color | 'none' | 'unknown';
  readonly background: Color | 'unknown';
}

const BLACK: Color = [0, 0, 0];
const WHITE: Color = [255, 255, 255];
/** In CSS; one without an end goes on to the end. */
const COMMENT = /\/\*[^*]*(?:\*(?!\/)[^*]*)*(?:\*\/|$)/g;
/** The properties that can hide something; no other is kept, however many a mail has. */
const PROPERTIES = new Set(
  `display visibility opacity overflow transform text-indent position clip height max-height width max-width
  left top right bottom font font-size color background background-color background-image`.split(
    /\s+/,
  ),
);
/** Most rules of a mail's styles that are kept. */
const MAX_RULES = 500;

/** The rules of a mail's `<style>` elements that this understands. */
export class StyleRules {
  /** By `tag`, `.class` or `#id`. */
  readonly #rules = new Map<string, Style>();
  /** Some rule that this does not understand paints backgrounds: no colour can be called invisible then. */
  #paintsElsewhere = false;

  constructor(html: string) {
    for (const [, css = ''] of html.matchAll(/<style\b[^<>]*>([^<]*(?:<(?!\/style)[^<]*)*)/gi)) {
      this.#read(css.replace(COMMENT, ' ').replace(/<!--|-->/g, ' '));
    }
  }

  /** Whether backgrounds are painted in ways that this does not understand. */
  get paintsElsewhere(): boolean {
    return this.#paintsElsewhere;
  }

  styleOf({ name = '', attribs = {} }: HtmlNode): Style {
    const classes = (attribs['class'] ?? '').split(/\s+/).slice(0, 20);
    const selectors = [name, ...classes.map((one) => `.${one}`), `#${attribs['id'] ?? ''}`];
    const rules = selectors.map((selector) => this.#rules.get(selector.toLowerCase()));
    const inline = declarations(attribs['style'] ?? '');
    return new Map([...rules, inline].flatMap((style) => [...(style ?? [])]));
  }

  #read(css: string): void {
    let depth = 0;
    let begin = 0;
    let selector = '';
    for (const { index, 0: brace } of css.matchAll(/[{}]/g)) {
      const text = css.slice(begin, index);
      begin = index + 1;
      if (brace === '{') {
        depth += 1;
        if (depth === 1) selector = text.trim();
        continue;
      }
      // A rule of its own ends at depth 1; those within `@media` do not count, whatever they show.
      if (depth === 1 && !selector.startsWith('@')) this.#add(selector, text);
      else if (/background/i.test(text)) this.#paintsElsewhere = true;
      depth = Math.max(0, depth - 1);
    }
  }

  #add(selectors: string, text: string): void {
    const style = declarations(text);
    for (const selector of selectors
      .toLowerCase()
      .split(',')
      .map((one) => one.trim())) {
      const simple = /^(?:[a-z][a-z0-9]*)?([.#][\w-]+)$|^[a-z][a-z0-9]*$/.exec(selector);
      if (simple === null || this.#rules.size >= MAX_RULES) {
        this.#paintsElsewhere ||= /background/i.test(text);
        continue;
      }
      const key = simple[1] ?? selector;
      this.#rules.set(key, new Map([...(this.#rules.get(key) ?? []), ...style]));
    }
  }
}

function declarations(text: string): Style {
  const plain = text.replace(/\\([0-9a-f]{1,6})\s?/gi, (_, code: string) =>
    String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10_ff_ff)),
  );
  const pairs = plain
    .toLowerCase()
    .replace(COMMENT, '')
    .split(';')
    .map((one) => one.split(':'))
    .map(([name = '', ...value]): [string, string] => [
      name.trim(),
      value.join(':').replace('!important', '').trim(),
    ]);
  return new Map(pairs.filter(([name]) => PROPERTIES.has(name)));
}

/**
 * Takes hidden text out of the tree below `root`.
 * @returns how many characters of it could have been read.
 */
export function removeHidden(root: HtmlNode, rules: StyleRules): number {
  let removed = 0;
  const start: Paint = { isInvisible: false, isTiny: false, color: BLACK, background: WHITE };
  // A stack of our own: a hostile mail nests deeper than calls can.
  const open: { readonly node: HtmlNode; readonly paint: Paint }[] = [{ node: root, paint: start }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, paint } = next;
    if (node.data !== undefined && node.type === 'text') {
      if (!isUnseen(paint, rules)) continue;
      removed += readable(node.data);
      node.data = '';
      continue;
    }
    const style = rules.styleOf(node);
    if (node !== root && isLeftOut(node, style)) {
      removed += readableIn(node);
      Object.assign(node, { name: 'span', attribs: {}, children: [] });
      continue;
    }
    const below = paintOf(node, style, paint);
    for (const child of node.children ?? []) open.push({ node: child, paint: below });
  }
  return removed;
}

function isUnseen({ isInvisible, isTiny, color, background }: Paint, rules: StyleRules): boolean {
  if (isInvisible || isTiny || color === 'none') return true;
  if (rules.paintsElsewhere || color === 'unknown' || background === 'unknown') return false;
  return color.every((part, index) => Math.abs(part - (background[index] ?? 0)) <= 8);
}

/** Whether an element is not shown, whatever is in it. */
function isLeftOut({ name, attribs = {} }: HtmlNode, style: Style): boolean {
  if (name === 'style' || name === 'script' || name === 'head') return false;
  if (Object.hasOwn(attribs, 'hidden') || style.get('display') === 'none') return true;
  const opacity = style.get('opacity');
  if (opacity !== undefined && Number.parseFloat(opacity) <= 0.05) return true;
  const isClipped = /hidden|clip/.test(style.get('overflow') ?? '');
  if (
    isClipped &&
    ['max-height', 'height', 'max-width', 'width'].some((key) => isZero(style.get(key)))
  ) {
    return true;
  }
  if (/scale\(\s*0\s*[,)]/.test(style.get('transform') ?? '')) return true;
  if (isFarOff(style.get('text-indent'))) return true;
  if (!/absolute|fixed/.test(style.get('position') ?? '')) return false;
  if (/rect\(\s*[01](?:px)?[ ,]/.test(style.get('clip') ?? '')) return true;
  return ['left', 'top', 'right', 'bottom'].some((key) => isFarOff(style.get(key)));
}

function paintOf({ attribs = {} }: HtmlNode, style: Style, above: Paint): Paint {
  const visibility = style.get('visibility');
  const size =
    style.get('font-size') ??
    /(?:^|\s)(0(?:px|pt|em|%)?)(?:\/|\s)/.exec(style.get('font') ?? '')?.[1];
  const color = style.get('color') ?? attribs['color']?.toLowerCase();
  const background =
    style.get('background-color') ?? style.get('background') ?? attribs['bgcolor']?.toLowerCase();
  const isPictured = attribs['background'] !== undefined || style.has('background-image');
  return {
    isInvisible: visibility === undefined ? above.isInvisible : /hidden|collapse/.test(visibility),
    isTiny: size === undefined ? above.isTiny : isTiny(size),
    color: color === undefined ? above.color : readColor(color),
    background: isPictured ? 'unknown' : readBackground(background, above.background),
  };
}

function isZero(value: string | undefined): boolean {
  return value !== undefined && /^0(?:\.0+)?(?:px|pt|em|rem|%)?$/.test(value);
}

/** Up to one pixel: nobody reads it. */
function isTiny(size: string): boolean {
  return isZero(size) || /^(?:1(?:\.0+)?|0?\.\d+)(?:px|pt)$/.test(size);
}

function isFarOff(value: string | undefined): boolean {
  return value !== undefined && Number.parseFloat(value) <= -500;
}

const NAMED: Readonly<Record<string, Color | 'none'>> = {
  white: WHITE,
  black: BLACK,
  snow: [255, 250, 250],
  ivory: [255, 255, 240],
  whitesmoke: [245, 245, 245],
  transparent: 'none',
};

function readColor(text: string): Color | 'none' | 'unknown' {
  const named = Object.hasOwn(NAMED, text) ? NAMED[text] : undefined;
  if (named !== undefined) return named;
  const hex = /^#?([0-9a-f]{3,8})$/.exec(text)?.[1];
  if (hex !== undefined) {
    const long = hex.length < 6 ? hex.replace(/./g, '$&$&') : hex;
    if (long.length === 8 && long.endsWith('00')) return 'none';
    const part = (at: number) => Number.parseInt(long.slice(at, at + 2), 16);
    return [part(0), part(2), part(4)];
  }
  const parts = /^rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)(?:[\s,/]+([\d.]+)(%?))?\s*\)$/.exec(text);
  if (parts === null) return 'unknown';
  if (parts[4] !== undefined && Number(parts[4]) === 0) return 'none';
  return [Number(parts[1]), Number(parts[2]), Number(parts[3])];
}

function readBackground(text: string | undefined, above: Color | 'unknown'): Color | 'unknown' {
  if (text === undefined || text === 'none' || text === 'inherit' || text === '') return above;
  const color = readColor(text);
  return color === 'none' ? above : color;
}

/** Characters that could be read: blanks and joiners, with which newsletters fill up a preview, do not count. */
function readable(text: string): number {
  return text.replace(/[\s\p{C}\u034f\u2800\u3164]+/gu, '').length;
}

function readableIn(root: HtmlNode): number {
  let count = 0;
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.type === 'text') count += readable(node.data ?? '');
    for (const child of node.children ?? []) open.push(child);
  }
  return count;
}
