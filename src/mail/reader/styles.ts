import { generate, ident, parse } from 'css-tree';
import type { Atrule, CssNode, List, Rule as CssRule } from 'css-tree';
import type { Budget } from './budget.ts';
import { Declarations } from './declarations.ts';
import type { Declaration } from './declarations.ts';
import { ALWAYS, MAYBE, both, holds } from './media.ts';
import type { Held } from './media.ts';
import type { Values } from './paint.ts';
import { readSelector } from './selectors.ts';
import type { Selector } from './selectors.ts';
import { SHOWN } from './tree.ts';
import type { Element } from './tree.ts';

/** What the styles of a mail say of each element. Erasable syntax only. */

/** Whose styles a mail may load without changing what is seen. */
const FONTS =
  /\/\/(?:fonts\.googleapis\.com|use\.typekit\.net|fonts\.bunny\.net|cloud\.typography\.com)\//i;
const OWN_FONT = /data:|cid:|size-adjust|ascent-override/i;
/** At-rules whose block holds no rules for elements. */
const WITHOUT_RULES =
  /^(?:font-face|page|counter-style|property|font-feature-values|font-palette-values|(?:-\w+-)?(?:viewport|keyframes))$/;
/** Punctuation of the styles of one mail: what css-tree costs goes by it. A usual newsletter has some thousand. */
const MAX_MARKS = 6_000;
/** Possible values of one property that are looked at. */
const MAX_VALUES = 4;

interface Source {
  readonly declarations: readonly Declaration[];
  readonly held: Held;
}

interface Rule extends Source {
  readonly selector: Selector;
}

export class Styles {
  /** Something that is not in the mail, or not understood, may change everything. */
  isForeign = false;
  readonly #declarations: Declarations;
  readonly #rules: Rule[] = [];
  readonly #budget: Budget;
  #marks = 0;
  #link = '#00e';

  constructor(elements: readonly Element[], budget: Budget) {
    this.#budget = budget;
    this.#declarations = new Declarations(budget);
    for (const element of elements) {
      const { rel = '', href = '', link } = element.attribs;
      if (element.name === 'style') this.#readSheet(element);
      if (element.name === 'link' && /stylesheet/i.test(rel)) this.isForeign ||= !FONTS.test(href);
      if (element.name === 'body' && link !== undefined) this.#link = hashed(link);
    }
    this.#rules.sort((a, b) => a.selector.specificity - b.selector.specificity);
  }

  valuesOf(element: Element): readonly Values[] {
    const { attribs } = element;
    const attributes = this.#declarations.inline(attributesOf(element, this.#link));
    const inline = this.#declarations.inline(attribs['style'] ?? '');
    const sources = [
      { declarations: attributes, held: ALWAYS },
      ...this.#rulesFor(element),
      { declarations: inline, held: ALWAYS },
    ];
    const all = sources.flatMap(({ declarations, held }) =>
      declarations.map((one) => ({ ...one, held })),
    );
    const important = all.filter(({ isImportant }) => isImportant);
    this.#budget.spend(all.length);
    return ALWAYS.map((_, screen) => {
      const values = new Map<string, string[]>();
      for (const { name, value, held } of [
        ...all.filter((one) => !one.isImportant),
        ...important,
      ]) {
        const others = values.get(name) ?? ['unset'];
        if (held[screen] === 'yes' && value !== '?') values.set(name, [value]);
        else if (held[screen] !== 'no' && others.length < MAX_VALUES)
          values.set(name, [...others, value]);
        else if (held[screen] !== 'no') values.set(name, ['?']);
      }
      return values;
    });
  }

  #rulesFor(element: Element): Source[] {
    const classes = (element.attribs['class'] ?? '').toLowerCase().split(/\s+/);
    const keys = new Set(['*', element.name, ...classes.map((name) => `.${name}`)]);
    this.#budget.spend(this.#rules.length / 8);
    return this.#rules.flatMap(({ selector, declarations, held }) => {
      const match = keys.has(selector.key) ? selector.match(element) : 'no';
      if (match === 'no') return [];
      return [{ declarations, held: match === 'yes' ? held : both(held, MAYBE) }];
    });
  }

  #readSheet({ attribs, children, parent }: Element): void {
    const css = children.map(({ data = '' }) => data).join('');
    this.#marks += css.match(/[^\w\s-]/g)?.length ?? 0;
    const isKnown =
      /^(?:text\/css)?$/i.test(attribs['type'] ?? '') && SHOWN.has(parent?.name ?? '');
    if (this.#marks > MAX_MARKS) {
      this.isForeign = true;
      return;
    }
    try {
      const sheet = parse(css, { parseValue: false });
      const held = holds(attribs['media'] ?? '');
      if (sheet.type === 'StyleSheet')
        this.#readRules(sheet.children, isKnown ? held : both(held, MAYBE));
    } catch (error) {
      // Of too deep a nest.
      if (!(error instanceof RangeError)) throw error;
      this.isForeign = true;
    }
  }

  #readRules(nodes: List<CssNode>, held: Held): void {
    nodes.forEach((node) => {
      if (node.type === 'Rule') this.#readRule(node, held);
      else if (node.type === 'Atrule') this.#readAtrule(node, held);
      else if (node.type === 'Raw' && node.value.includes('{')) this.isForeign = true;
    });
  }

  #readRule({ prelude, block }: CssRule, held: Held): void {
    const declarations = block.children.toArray().flatMap((node) => {
      // A rule in a rule.
      const isNested =
        node.type === 'Rule' ||
        node.type === 'Atrule' ||
        (node.type === 'Raw' && node.value.includes('{'));
      this.isForeign ||= isNested;
      return this.#declarations.of(node);
    });
    if (declarations.length === 0) return;
    const sets = (property: RegExp, value: RegExp): boolean =>
      declarations.some((one) => property.test(one.name) && value.test(one.value));
    // A box that is painted before or after an element may lie over all.
    const covers =
      sets(/^position$/, /absolute|fixed|\?/) && sets(/^background/, /^(?!transparent|none)/);
    this.isForeign ||= covers && /:(?:before|after)/i.test(generate(prelude));
    const list = prelude.type === 'SelectorList' ? prelude.children.toArray() : [prelude];
    const selectors = list.flatMap((one) => readSelector(one, this.#budget) ?? []);
    // One that a browser does not take takes the others of its list with it.
    const taken = selectors.every(({ isSure }) => isSure) ? held : both(held, MAYBE);
    for (const selector of selectors) this.#rules.push({ selector, declarations, held: taken });
  }

  #readAtrule({ name, prelude, block }: Atrule, held: Held): void {
    const kind = ident.decode(name).toLowerCase();
    const text = prelude === null ? '' : generate(prelude);
    if (kind === 'namespace' || (kind === 'import' && !FONTS.test(text))) this.isForeign = true;
    if (block === null) return;
    // Letters that the mail brings along, or makes invisible.
    if (kind === 'font-face') this.isForeign ||= OWN_FONT.test(generate(block));
    if (WITHOUT_RULES.test(kind)) return;
    if (kind === 'media') this.#readRules(block.children, both(held, holds(text)));
    else if (/^(?:supports|(?:-moz-)?document)$/.test(kind))
      this.#readRules(block.children, both(held, MAYBE));
    else this.isForeign = true;
  }
}

/** A colour of an attribute, which may have no sign before its digits. */
function hashed(written: string): string {
  const color = written.trim();
  if (/^[\da-f]{6}$/i.test(color)) return `#${color}`;
  return /^[#\w]+$/.test(color) ? color : 'unknown';
}

function attributesOf({ name, attribs }: Element, link: string): string {
  const has = (key: string): boolean => Object.hasOwn(attribs, key);
  const { bgcolor, background, color, text } = attribs;
  return [
    ...(has('hidden') || has('popover') || (name === 'dialog' && !has('open'))
      ? ['display:none']
      : []),
    ...(name === 'mark' ? ['background-color:#ff0;color:#000'] : []),
    ...(name === 'a' && has('href') ? [`color:${link}`] : []),
    ...(name === 'font' && color !== undefined ? [`color:${hashed(color)}`] : []),
    ...(name === 'body' && text !== undefined ? [`color:${hashed(text)}`] : []),
    ...(bgcolor === undefined || bgcolor === '' ? [] : [`background-color:${hashed(bgcolor)}`]),
    ...(background === undefined || background === '' ? [] : ['background-image:url(x)']),
  ].join(';');
}
