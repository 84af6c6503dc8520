import { compile } from 'css-select';
import type { Options } from 'css-select';
import { generate, ident } from 'css-tree';
import type { CssNode } from 'css-tree';
import type { Budget } from './budget.ts';
import { isElement } from './tree.ts';
import type { Element, HtmlNode } from './tree.ts';

/** The selectors of a mail, run by css-select without what it and browsers may see differently. Erasable syntax only. */

export interface Selector {
  /** Where it may match at most: `.class`, `tag` or `*`, lower-case. */
  readonly key: string;
  /** `maybe` as well where only the case of a class or an id differs: in some mails it counts. */
  readonly match: (element: Element) => 'yes' | 'maybe' | 'no';
  /** False: a browser may not take it at all. */
  readonly isSure: boolean;
  /** Of those that are not sure the highest. */
  readonly specificity: number;
}

type Adapter = NonNullable<Options<HtmlNode, Element>['adapter']>;

/** What a person does later, or another thing than the element: never what it looks like at first. */
const NEVER =
  /^(?:hover|active|focus|focus-visible|focus-within|visited|target|before|after|selection|placeholder|marker|backdrop|-(?:moz|ms|webkit)-.*)$/i;
/** Pseudo-classes that are run; `:has`, `:is`, `:not` and the like are left out. */
const RUN =
  /^(?:root|link|any-link|(?:first|last|only)-(?:child|of-type)|nth-(?:last-)?(?:child|of-type))$/i;
const ANYTHING: Selector = { key: '*', match: () => 'maybe', isSure: false, specificity: 9e9 };

/** A selector of a list; undefined: it matches nothing at first. */
export function readSelector(node: CssNode, budget: Budget): Selector | undefined {
  if (node.type !== 'Selector') return ANYTHING;
  const parts = node.children.toArray();
  if (parts.some((part) => part.type.startsWith('Pseudo') && NEVER.test(nameOf(part))))
    return undefined;
  const isWhole = [parts[0], parts.at(-1)].every((part) => part?.type !== 'Combinator');
  const isSure = isWhole && parts.every(isRun);
  const text = parts.map((part) => (isRun(part) ? generate(part) : ':is(*)')).join('');
  const options = { adapter: adapterOf(budget), cacheResults: false, relativeSelector: false };
  // Compiled when an element asks: that costs more than all else.
  const compiled = (quirksMode: boolean) => {
    let run: ((element: Element) => boolean) | undefined;
    return (element: Element): boolean => {
      if (run === undefined) {
        budget.spend(300 + text.length);
        try {
          run = compile<HtmlNode, Element>(text, { ...options, quirksMode });
        } catch {
          run = () => quirksMode;
        }
      }
      return run(element);
    };
  };
  const [loose, strict] = [compiled(true), compiled(false)];
  return {
    key: keyOf(parts),
    match: (element) => (!loose(element) ? 'no' : isSure && strict(element) ? 'yes' : 'maybe'),
    isSure,
    specificity: isSure ? parts.reduce((sum, part) => sum + rankOf(part), 0) : ANYTHING.specificity,
  };
}

function nameOf(node: CssNode): string {
  return 'name' in node && typeof node.name === 'string'
    ? ident.decode(node.name).toLowerCase()
    : '';
}

/** Whether css-select and browsers agree on a part of a selector, at a cost that is small. */
function isRun(node: CssNode): boolean {
  switch (node.type) {
    case 'ClassSelector':
    case 'IdSelector':
      return true;
    case 'TypeSelector':
      return !node.name.includes('|');
    case 'Combinator':
      return /^[ >+~]$/.test(node.name);
    case 'AttributeSelector':
      return node.flags === null && (node.matcher === null || /^[~|^$*]?=$/.test(node.matcher));
    default:
      return (
        node.type === 'PseudoClassSelector' && RUN.test(node.name) && !/ of /i.test(generate(node))
      );
  }
}

function rankOf({ type }: CssNode): number {
  return { IdSelector: 1e6, TypeSelector: 1, Combinator: 0 }[type as string] ?? 1e3;
}

function keyOf(parts: readonly CssNode[]): string {
  const last = parts.slice(parts.findLastIndex(({ type }) => type === 'Combinator') + 1);
  const name = last.find(({ type }) => type === 'ClassSelector');
  if (name !== undefined) return `.${nameOf(name)}`;
  const tag = last.find((part) => part.type === 'TypeSelector' && isRun(part));
  return tag === undefined ? '*' : nameOf(tag);
}

/** How css-select looks at elements: each look is a step. */
function adapterOf(budget: Budget): Adapter {
  const siblingsOf = ({ parent }: HtmlNode): HtmlNode[] => {
    const siblings = parent?.children ?? [];
    budget.spend(siblings.length / 8);
    return siblings;
  };
  const valueOf = ({ attribs }: Element, name: string): string | undefined => {
    const value = Object.hasOwn(attribs, name) ? attribs[name] : undefined;
    budget.spend(1 + (value ?? '').length / 64);
    return value;
  };
  return {
    isTag: isElement,
    getName({ name }) {
      budget.spend(1);
      return name;
    },
    getParent: ({ parent = null }) => parent,
    getChildren: ({ children = [] }) => children,
    getSiblings: siblingsOf,
    prevElementSibling(node) {
      const siblings = siblingsOf(node);
      return siblings.slice(0, siblings.indexOf(node)).findLast(isElement) ?? null;
    },
    getAttributeValue: valueOf,
    hasAttrib: (element, name) => valueOf(element, name) !== undefined,
    getText: () => '',
    removeSubsets: (nodes) => nodes,
  };
}
