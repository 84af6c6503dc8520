import { holds, parseDeclarations, parseSheet } from './css.ts';
import type { Declaration } from './css.ts';
import { Budget, keyOf, matches, parseSelectors } from './selectors.ts';
import type { Element, Match, Selector } from './selectors.ts';
import { expand, isTaken, paintOf, START, verdictOf } from './visibility.ts';
import type { Paint, Verdict } from './visibility.ts';

/**
 * What a mail says in HTML without showing it: the usual way to tell an agent what its person cannot see. Text is visible,
 * hidden or, wherever that is not known, unknown; it is judged on a desk and on a phone, and visible where it is on one of
 * them. Hidden and unknown text is taken out of the tree before `html-to-text` reads it. Erasable syntax only.
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

/** What was taken out of a mail. */
export interface Unseen {
  /** Characters that are hidden. */
  readonly hidden: number;
  /** Characters of which nobody here knows whether they are shown. */
  readonly unknown: number;
  /** Their text. */
  readonly unknownText: string;
  /** How often something was compared: bounded, whatever a mail holds. */
  readonly steps: number;
}

/** Screens that a mail is read on, in pixels. */
const WIDTHS = [1200, 375];
/** Comparisons of selectors and elements for one mail; a usual newsletter takes some ten thousand. */
const MAX_STEPS = 2_000_000;
/** Tags deeper than this are left out: no person writes such a mail. */
export const MAX_DEPTH = 100;
/** Possible values of one property that are looked at. */
const MAX_VALUES = 4;

/** Elements whose content is shown as their styles say. */
const SHOWN = new Set(
  'html body a abbr acronym address article aside b bdi bdo big blockquote br button caption center cite code col colgroup dd del details dfn dir div dl dt em fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 header hgroup hr i img input ins kbd label legend li main map mark menu nav nobr o:p ol p picture pre q s samp section small source span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr area base link meta'.split(
    ' ',
  ),
);
/** Elements that no program shows, whatever the styles of usual mails say. */
const NEVER_SHOWN = new Set(['template', 'datalist', 'noframes', 'noembed', 'rp']);
/** Not text of the mail. */
const SKIPPED = new Set(['head', 'style', 'script', 'title']);
const OF_HEAD = /^(?:style|link|meta|title|base|script)$/;
const INLINE = /^(?:a|abbr|b|big|code|em|font|i|img|s|small|span|strong|sub|sup|u|o:p)$/;
/** Whose styles a mail may load without changing what is seen. */
const FONTS =
  /\/\/(?:fonts\.googleapis\.com|use\.typekit\.net|fonts\.bunny\.net|cloud\.typography\.com)\//i;

interface Item extends Element {
  readonly node: HtmlNode;
  readonly parent: Item | undefined;
  readonly inline: readonly Longhand[];
  /** Its text is no text of the mail. */
  readonly isSkipped: boolean;
  /** The verdict of each screen about its box, for an element, or itself, for a text. */
  readonly verdicts: Verdict[];
  /** Of a link: whether some of its text, or a picture, is shown. */
  isShown: boolean;
}

/** A property as it is judged; `?` as the value of one that nobody here understands. */
interface Longhand {
  readonly name: string;
  readonly value: string;
  readonly isImportant: boolean;
}

interface StyleRule {
  readonly selector: Selector;
  readonly longhands: readonly Longhand[];
  /** Whether it is in force, by screen. */
  readonly held: readonly Match[];
  /** Its place among all rules is not known. */
  readonly isLayered: boolean;
  readonly order: number;
}

/** Where declarations are from: attributes (0), rules (1) or the attribute `style` (2). */
interface Source {
  readonly origin: number;
  readonly specificity?: number;
  readonly isSure?: boolean;
  readonly isLayered?: boolean;
}

interface Candidate {
  readonly value: string;
  readonly rank: readonly [important: number, origin: number, specificity: number, order: number];
  readonly isCertain: boolean;
}

/**
 * Takes text out of the tree below `root` that is hidden, or not known to be visible.
 * @param isDoubtful something is missing that may hide everything, such as the end of the mail
 */
export function removeUnseen(root: HtmlNode, isDoubtful = false): Unseen {
  const items = itemsOf(root);
  const styles = new Styles(items);
  const budget = new Budget(MAX_STEPS);
  const isVague = isDoubtful || styles.isForeign;
  for (const screen of WIDTHS.keys()) judge(items, styles, screen, budget);
  let hidden = 0;
  let unknown = 0;
  const unknownText: string[] = [];
  for (const item of items) {
    const { node } = item;
    if (node.type !== 'text') {
      if (!INLINE.test(item.name)) unknownText.push('\n');
      continue;
    }
    if (item.isSkipped) continue;
    const text = node.data ?? '';
    const count = readable(text);
    const verdict = best(item.verdicts);
    if (verdict === 'visible' && !isVague) {
      if (count > 0) showLink(item);
      continue;
    }
    node.data = '';
    if (verdict === 'hidden') {
      hidden += count;
    } else {
      unknown += count;
      unknownText.push(text);
    }
  }
  for (const item of items) {
    const { node, name } = item;
    if (name === 'img' && !isVague && best(item.verdicts) === 'visible') showLink(item);
    if (name === 'a' && !item.isShown && node.attribs?.['href'] !== undefined)
      delete node.attribs['href'];
  }
  for (const { node, name, verdicts } of items) {
    if (name === '' || SKIPPED.has(name) || best(verdicts) === 'visible') continue;
    Object.assign(node, { name: 'span', attribs: {}, children: [] });
  }
  const text = unknownText
    .join('')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n\s*/g, '\n')
    .trim();
  return { hidden, unknown, unknownText: text, steps: MAX_STEPS - budget.left };
}

function showLink(item: Item): void {
  let above: Item | undefined = item.parent;
  while (above !== undefined && above.name !== 'a' && !above.isShown) {
    above.isShown = true;
    above = above.parent;
  }
  if (above !== undefined) above.isShown = true;
}

/** All nodes in document order. */
function itemsOf(root: HtmlNode): readonly Item[] {
  const items: Item[] = [];
  const open: {
    readonly node: HtmlNode;
    readonly parent: Item | undefined;
    readonly depth: number;
  }[] = [];
  const last = new Map<Item | undefined, Item>();
  const push = (nodes: readonly HtmlNode[], parent: Item | undefined, depth: number): void => {
    for (let at = nodes.length - 1; at >= 0; at -= 1) {
      const node = nodes[at];
      if (node !== undefined) open.push({ node, parent, depth });
    }
  };
  const added = new Map<string, Item>();
  const add = (name: string, parent: Item | undefined): Item => {
    const node: HtmlNode = { type: 'tag', name };
    const nothing = { attribs: {}, classes: [], inline: [], isSkipped: false, isShown: false };
    const item: Item = {
      ...nothing,
      node,
      name,
      parent,
      previous: before(name, parent),
      verdicts: [],
    };
    items.push(item);
    return item;
  };
  const before = (name: string, parent: Item | undefined): Item | undefined =>
    last.get(parent) ?? (name === 'body' ? add('head', parent) : undefined);
  const addOnce = (name: string, parent: Item | undefined): Item => {
    const item = added.get(name) ?? add(name, parent);
    added.set(name, item);
    return item;
  };
  const bodies = new Map<Item, Item>();
  /** As in a browser, which adds the elements that a mail leaves out. */
  const parentOf = (node: HtmlNode, parent: Item | undefined): Item | undefined => {
    const name = node.name ?? '';
    if (node.type === 'text' && (node.data ?? '').trim() === '') return parent;
    if (parent === undefined && name !== 'html') {
      const html = addOnce('html', undefined);
      return /^(?:head|body)$/.test(name) || OF_HEAD.test(name) ? html : addOnce('body', html);
    }
    if (parent?.name === 'html' && !/^(?:head|body|frameset)$/.test(name) && !OF_HEAD.test(name)) {
      return addOnce('body', parent);
    }
    if (name !== 'tr' || parent?.name !== 'table') return parent;
    const body = bodies.get(parent) ?? add('tbody', parent);
    bodies.set(parent, body);
    return body;
  };
  push(root.children ?? [], undefined, 0);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, depth } = next;
    const isText = node.type === 'text';
    if (!isText && node.attribs === undefined) continue;
    const parent = parentOf(node, next.parent);
    const attribs = node.attribs ?? {};
    const name = isText ? '' : (node.name ?? '').toLowerCase();
    const item: Item = {
      node,
      name,
      attribs,
      classes: (attribs['class'] ?? '').split(/\s+/).filter((one) => one !== ''),
      parent,
      previous: isText ? undefined : before(name, parent),
      inline:
        attribs['style'] === undefined ? [] : longhandsOf(parseDeclarations(attribs['style'])),
      isSkipped: parent?.isSkipped === true || SKIPPED.has(name),
      verdicts: [],
      isShown: false,
    };
    items.push(item);
    // A browser moves what belongs to the head there.
    if (!isText && !(parent?.name === 'html' && OF_HEAD.test(name))) last.set(parent, item);
    if (depth < MAX_DEPTH) push(node.children ?? [], item, depth + 1);
    else {
      // What is in it is left out; styles count wherever they are.
      push(stylesIn(node), item, depth);
      if (!SKIPPED.has(name)) node.children = [];
    }
  }
  return items;
}

function stylesIn(root: HtmlNode): HtmlNode[] {
  const found: HtmlNode[] = [];
  const open = [...(root.children ?? [])];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (/^(?:style|link)$/i.test(node.name ?? '')) found.push(node);
    else for (const child of node.children ?? []) open.push(child);
  }
  return found.toReversed();
}

/** The rules of all `<style>` elements. */
class Styles {
  readonly #rules = new Map<string, StyleRule[]>();
  /** Something that is not in the mail may change everything. */
  isForeign = false;
  /** The colour of links, as `<body>` has it. */
  link = '#00e';
  #count = 0;
  readonly #held = new Map<string, readonly Match[]>();

  constructor(items: readonly Item[]) {
    for (const item of items) {
      if (item.name === 'style') this.#read(item);
      if (item.name === 'body' && item.attribs['link'] !== undefined) {
        this.link = plainColor(item.attribs['link']);
      }
      const { rel = '', href = '' } = item.attribs;
      if (item.name === 'link' && /stylesheet/i.test(rel) && !FONTS.test(href))
        this.isForeign = true;
    }
  }

  #read({ node, attribs, parent }: Item): void {
    const css = (node.children ?? []).map(({ data = '' }) => data).join('');
    const { rules, others } = parseSheet(css);
    const media =
      attribs['media'] === undefined ? [] : [`@media ${attribs['media'].toLowerCase()}`];
    const isKnown = /^(?:text\/css)?$/i.test(attribs['type'] ?? '');
    const isPlaced = parent === undefined || SHOWN.has(parent.name) || parent.name === 'head';
    this.isForeign ||= others.some(isForeignRule);
    for (const { selector, declarations, conditions } of rules) {
      // A box that a rule paints before or after an element may lie over all.
      const isCover =
        /:(?:before|after)/i.test(selector ?? '') &&
        declarations.some(({ name, value }) => name === 'position' && /absolute|fixed/.test(value));
      this.isForeign ||= isCover && declarations.some(({ name }) => name.startsWith('background'));
      const all = [...media, ...conditions].map((one) => this.#hold(one));
      const held = WIDTHS.map((_, screen) =>
        least([isKnown && isPlaced ? 'yes' : 'maybe', ...all.map((one) => one[screen] ?? 'maybe')]),
      );
      const isLayered = conditions.some((one) => /^@(?:layer|scope|container)/.test(one));
      const longhands = longhandsOf(declarations);
      for (const one of parseSelectors(selector)) {
        const key = keyOf(one);
        this.#count += 1;
        const rule = { selector: one, longhands, held, isLayered, order: this.#count };
        const list = this.#rules.get(key);
        if (list === undefined) this.#rules.set(key, [rule]);
        else list.push(rule);
      }
    }
  }

  /** The rules that match, or may match, an element on a screen. */
  *for(item: Item, screen: number, budget: Budget): Generator<readonly [StyleRule, Match]> {
    const keys = new Set([
      '*',
      item.name,
      `#${(item.attribs['id'] ?? '').toLowerCase()}`,
      ...item.classes.map((one) => `.${one.toLowerCase()}`),
    ]);
    for (const key of keys) {
      for (const rule of this.#rules.get(key) ?? []) {
        budget.left -= 1;
        if (budget.left < 0) return;
        const held = rule.held[screen] ?? 'maybe';
        if (held === 'no') continue;
        const match = matches(rule.selector, item, budget);
        if (match !== 'no') yield [rule, least([match, held])];
      }
    }
  }

  #hold(condition: string): readonly Match[] {
    const known = this.#held.get(condition);
    if (known !== undefined) return known;
    const held = WIDTHS.map((width) => holds(condition, width));
    this.#held.set(condition, held);
    return held;
  }
}

function least(answers: readonly Match[]): Match {
  if (answers.includes('no')) return 'no';
  return answers.includes('maybe') ? 'maybe' : 'yes';
}

function longhandsOf(declarations: readonly Declaration[]): readonly Longhand[] {
  return declarations.flatMap(({ name, value, isImportant }) =>
    expand(name, value.length > 1_000 ? '?' : value).flatMap(([longhand, part]) => {
      const taken = isTaken(longhand, part);
      return taken === 'no'
        ? []
        : [{ name: longhand, value: taken === 'yes' ? part : '?', isImportant }];
    }),
  );
}

/** Styles from elsewhere, or letters that the mail brings along. */
function isForeignRule(rule: string): boolean {
  if (/^@namespace/i.test(rule)) return true;
  if (/^@import/i.test(rule)) return !FONTS.test(rule);
  return /(?:^|[\s;{:,])(?:src:.*\b(?:data|cid):|size-adjust|ascent-override)/is.test(rule);
}

/** Writes the verdict of each item for one screen. */
function judge(items: readonly Item[], styles: Styles, screen: number, budget: Budget): void {
  const paints = new Map<Item | undefined, Paint>([[undefined, START]]);
  const moved = new Set<Item>();
  let isCovered = false;
  let page = START.background;
  for (const item of items) {
    const above = paints.get(item.parent) ?? START;
    if (item.name === '') {
      item.verdicts.push(budget.left < 0 ? 'unknown' : verdictOf(above));
      continue;
    }
    const candidates = candidatesOf(item, styles, screen, budget);
    const values = valuesOf(candidates);
    // What only phones show, Outlook for Windows never has.
    if (screen > 0 && item.verdicts[0] === 'hidden') candidates.delete('mso-hide');
    const own = paintOf(values, candidates.keys(), above, WIDTHS[screen] ?? 0);
    // Sizes of the whole mail count by this one.
    const { fontSize = 0 } = own;
    if (item.name === 'html') isCovered ||= fontSize < 8 || fontSize > 32;
    const box = worstOf(own.box, elementVerdict(item));
    if (item.name === 'body') page = own.background;
    const background = backgroundBehind(item, values, own.background, above.background, page);
    const paint = { ...own, box, background };
    paints.set(item, paint);
    item.verdicts.push(budget.left < 0 ? 'unknown' : box);
    if (isMoved(values) || (item.parent !== undefined && moved.has(item.parent))) {
      moved.add(item);
      const isPainted =
        item.name === 'img' ||
        values('background-color').some((value) => value !== 'transparent') ||
        values('background-image').some((value) => value !== 'none');
      isCovered ||= isPainted && box !== 'hidden';
    }
  }
  if (!isCovered) return;
  // A box that was moved may lie over any other.
  for (const { verdicts } of items)
    verdicts[verdicts.length - 1] = worstOf(verdicts.at(-1) ?? 'unknown', 'unknown');
}

/** A box that is small, or leaves its place, may not have the background behind its text that is written for it. */
function backgroundBehind(
  { name }: Item,
  values: (name: string) => readonly string[],
  own: Paint['background'],
  above: Paint['background'],
  page: Paint['background'],
): Paint['background'] {
  const isSmall =
    !/^(?:table|tbody|tr|td|th)$/.test(name) &&
    ['width', 'max-width', 'height', 'max-height'].some((side) =>
      values(side).some((value) => /^(?:0|\.|\d(?:\.\d+)?(?:px|pt|%)$)/.test(value)),
    );
  if (isSmall) return String(own) === String(above) ? own : undefined;
  const leaves =
    isMoved(values) || values('float').some((value) => value === 'left' || value === 'right');
  return leaves && String(own) === String(above) && String(own) !== String(page) ? undefined : own;
}

function isMoved(values: (name: string) => readonly string[]): boolean {
  if (values('position').some((value) => /absolute|fixed|sticky|\?/.test(value))) return true;
  const offsets = values('position').some((value) => value === 'relative')
    ? ['top', 'left', 'right', 'bottom']
    : [];
  if (offsets.some((side) => values(side).some((value) => !/^(?:auto|0.*|-?[1-5]px)$/.test(value))))
    return true;
  return ['margin-top', 'margin-bottom', 'margin-left', 'margin-right'].some((name) =>
    values(name).some((value) => value.startsWith('-') && Number.parseFloat(value) < -10),
  );
}

function candidatesOf(
  item: Item,
  styles: Styles,
  screen: number,
  budget: Budget,
): Map<string, Candidate[]> {
  const found = new Map<string, Candidate[]>();
  let order = 0;
  const add = (
    longhands: readonly Longhand[],
    { origin, specificity = 0, isSure = true, isLayered = false }: Source,
  ): void => {
    for (const { name, value, isImportant } of longhands) {
      budget.left -= 1;
      if (budget.left < 0) return;
      order += 1;
      const rank = [isLayered ? 2 : Number(isImportant), origin, specificity, order] as const;
      const one = { value, rank, isCertain: isSure && value !== '?' };
      const list = found.get(name);
      if (list === undefined) found.set(name, [one]);
      else list.push(one);
    }
  };
  add(longhandsOf(attributesOf(item, styles.link)), { origin: 0 });
  const rules = [...styles.for(item, screen, budget)].toSorted(([a], [b]) => a.order - b.order);
  for (const [{ longhands, selector, isLayered }, match] of rules) {
    const { specificity } = selector;
    add(longhands, { origin: 1, specificity, isSure: match === 'yes', isLayered });
  }
  add(item.inline, { origin: 2 });
  return found;
}

/** A colour of an attribute, which may have no sign before its digits. */
function plainColor(value: string): string {
  const plain = value.trim().toLowerCase();
  return /^[\da-f]{6}$/.test(plain) ? `#${plain}` : plain;
}

/** Attributes that are styles of the lowest rank. */
function attributesOf({ name, attribs }: Item, link: string): readonly Declaration[] {
  const found: Declaration[] = [];
  const set = (property: string, value: string): void => {
    found.push({ name: property, value, isImportant: false });
  };
  if (Object.hasOwn(attribs, 'hidden') || Object.hasOwn(attribs, 'popover')) set('display', 'none');
  if (name === 'dialog' && !Object.hasOwn(attribs, 'open')) set('display', 'none');
  if (name === 'mark') set('background-color', '#ff0');
  if (name === 'mark') set('color', '#000');
  if (name === 'a' && attribs['href'] !== undefined) set('color', link);
  if (name === 'font' && attribs['color'] !== undefined) set('color', plainColor(attribs['color']));
  if (name === 'body' && attribs['text'] !== undefined) set('color', plainColor(attribs['text']));
  if (attribs['bgcolor'] !== undefined) set('background-color', plainColor(attribs['bgcolor']));
  if (attribs['background'] !== undefined && attribs['background'] !== '')
    set('background-image', 'url()');
  return found;
}

/** The values that may be in force: from the highest rank down to the first that certainly is. */
function valuesOf(
  candidates: ReadonlyMap<string, readonly Candidate[]>,
): (name: string) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  for (const [name, list] of candidates) {
    const values: string[] = [];
    const sorted = list.toSorted((a, b) => compare(b.rank, a.rank));
    const end = sorted.findIndex(({ isCertain }) => isCertain);
    for (const { value } of end < 0 ? sorted : sorted.slice(0, end + 1)) {
      if (!values.includes(value)) values.push(values.length < MAX_VALUES ? value : '?');
    }
    // Where no rule is certain, the property may as well not be set.
    known.set(name, end < 0 ? [...values, 'unset'] : values);
  }
  return (name) => known.get(name) ?? [];
}

function compare(a: Candidate['rank'], b: Candidate['rank']): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2] || a[3] - b[3];
}

function elementVerdict({ name, attribs }: Item): Verdict {
  if (NEVER_SHOWN.has(name)) return 'hidden';
  if (name === 'dialog') return Object.hasOwn(attribs, 'open') ? 'unknown' : 'visible';
  if (name === 'details') return Object.hasOwn(attribs, 'open') ? 'visible' : 'unknown';
  return SHOWN.has(name) || SKIPPED.has(name) ? 'visible' : 'unknown';
}

function worstOf(one: Verdict, other: Verdict): Verdict {
  if (one === 'hidden' || other === 'hidden') return 'hidden';
  return one === 'unknown' || other === 'unknown' ? 'unknown' : 'visible';
}

/** Visible on one screen is visible; hidden is hidden on all. */
function best(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes('visible')) return 'visible';
  return verdicts.every((one) => one === 'hidden') ? 'hidden' : 'unknown';
}

/** Characters that could be read: blanks and joiners, with which newsletters fill up a preview, do not count. */
function readable(text: string): number {
  return text.replace(/[\s\p{C}\u034f\u2800\u3164]+/gu, '').length;
}
