// What a mail's styles say of an element: its rules, its attributes, and which values of each property may be in force.
// Erasable syntax only.
import { holds, parseSheet } from './css.ts';
import type { Declaration } from './css.ts';
import { SHOWN } from './elements.ts';
import type { Item } from './elements.ts';
import { expand, isTaken } from './properties.ts';
import { keyOf, matches, parseSelectors } from './selectors.ts';
import type { Budget, Match, Selector } from './selectors.ts';

/** Screens that a mail is read on, in pixels. */
export const WIDTHS = [1200, 375];
/** Possible values of one property that are looked at. */
const MAX_VALUES = 4;

/** Whose styles a mail may load without changing what is seen. */
const FONTS =
  /\/\/(?:fonts\.googleapis\.com|use\.typekit\.net|fonts\.bunny\.net|cloud\.typography\.com)\//i;

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

/** A value that a property may have. */
export interface Candidate {
  readonly value: string;
  readonly rank: readonly [important: number, origin: number, specificity: number, order: number];
  readonly isCertain: boolean;
}

/** The rules of all `<style>` elements. */
export class Styles {
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

/** The longhands that a browser takes, or may take, of some declarations. */
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

/** All that is said of an element, by property. */
export function candidatesOf(
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
  add(longhandsOf(item.inline), { origin: 2 });
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
export function valuesOf(
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
