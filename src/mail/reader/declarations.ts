import { ident, lexer, parse } from 'css-tree';
import type { CssNode } from 'css-tree';
import { readColor } from './colors.ts';
import type { Budget } from './budget.ts';
import { KEYWORDS, counts } from './properties.ts';

/** Declarations as a browser takes them. Erasable syntax only. */

export interface Declaration {
  readonly name: string;
  /** Lower-case; `?` where a browser may take it or not, or where it is not understood. */
  readonly value: string;
  readonly isImportant: boolean;
}

/** Longest value that is looked at, in UTF-16 units. */
const MAX_VALUE = 200;
const COLORS = /^(?:-webkit-text-fill-|background-)?color$/;

export class Declarations {
  readonly #inline = new Map<string, readonly Declaration[]>();
  readonly #values = new Map<string, string | undefined>();
  readonly #budget: Budget;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  inline(css: string): readonly Declaration[] {
    const known = this.#inline.get(css);
    if (known !== undefined) return known;
    this.#budget.spend(20 + css.length / 4);
    const list = parse(css, { context: 'declarationList', parseValue: false });
    const found =
      list.type === 'DeclarationList' ? list.children.toArray().flatMap((one) => this.of(one)) : [];
    this.#inline.set(css, found);
    return found;
  }

  /** Those of a node that count; none for one that a browser drops. */
  of(node: CssNode): readonly Declaration[] {
    if (node.type !== 'Declaration' || node.value.type !== 'Raw') return [];
    const name = ident.decode(node.property).toLowerCase();
    const { important } = node;
    const isImportant =
      important === true ||
      (important !== false && ident.decode(important).toLowerCase() === 'important');
    if (isImportant !== (important !== false)) return [];
    if (!/^-?[a-z][a-z-]*$/.test(name) || !counts(name)) return [];
    const written = node.value.value
      .replace(/\/\*[^]*?\*\//g, ' ')
      .trim()
      .toLowerCase();
    const isLong = written.length > MAX_VALUE || written.includes('\\');
    return expand(name, isLong ? '?' : written.replace(/\s+/g, ' ')).flatMap(([longhand, part]) => {
      const value = this.#taken(longhand, part);
      return value === undefined ? [] : [{ name: longhand, value, isImportant }];
    });
  }

  /** The value, `?` when a browser may or may not take it, undefined when it does not. */
  #taken(name: string, value: string): string | undefined {
    if (value === '?' || KEYWORDS.test(value) || name === 'background-image') return value;
    if (COLORS.test(name))
      return value === 'currentcolor' || readColor(value) !== undefined ? value : '?';
    const key = `${name}:${value}`;
    if (this.#values.has(key)) return this.#values.get(key);
    const { matched, error, iterations } = lexer.matchProperty(name, value);
    this.#budget.spend(20 + (iterations || 0));
    const isKnown = matched !== null || error?.name !== 'SyntaxMatchError';
    // A number without a unit, or a value that is new, may be taken all the same.
    const taken = isKnown ? value : /^[a-z][a-z-]*$|^-[\d.]/.test(value) ? undefined : '?';
    this.#values.set(key, taken);
    return taken;
  }
}

/** What the shorthands set that a mail uses for much else. */
function expand(name: string, value: string): readonly (readonly [string, string])[] {
  if (name === 'font') {
    if (KEYWORDS.test(value) || value === '?') return [['font-size', value]];
    const [, size = '?', height = 'normal'] =
      /(?:^|\s)(\d*\.?\d[\da-z.]*%?|(?:xx?-)?(?:small|large)|medium|smaller|larger)(?: ?\/ ?(\S+))? \S/.exec(
        value,
      ) ?? [];
    return [
      ['font-size', size],
      ['line-height', height],
    ];
  }
  if (name !== 'background') return [[name, value]];
  if (KEYWORDS.test(value))
    return [
      ['background-color', 'transparent'],
      ['background-image', 'none'],
    ];
  const hasImage = /url\(|gradient\(|image|element\(|\?/.test(value);
  const found = value.replace(/url\([^)]*\)/g, ' ').match(/[a-z]+\([^()]*\)|[^\s,/]+/g) ?? [];
  const colors = found.filter((word) => readColor(word) !== undefined);
  // A word that is neither known as a colour nor one of position and repeat may be a colour.
  const isKnown = colors.length > 0 || found.every((word) => BACKGROUND.test(word));
  return [
    ['background-color', colors[0] ?? (isKnown || hasImage ? 'transparent' : '?')],
    ['background-image', hasImage ? value : 'none'],
  ];
}

const BACKGROUND =
  /^(?:-?[\d.]+(?:[a-z]+|%)?|none|auto|left|right|top|bottom|center|cover|contain|scroll|fixed|local|(?:no-)?repeat(?:-[xy])?|space|round|(?:border|padding|content)-box)$/;
