import { unescape } from './css.ts';

/** Selectors of a mail's styles, matched with three answers: what is not understood may match. Erasable syntax only. */

/** A node of the mail in document order; what a selector can ask. */
export interface Element {
  readonly name: string;
  readonly attribs: Readonly<Record<string, string>>;
  readonly classes: readonly string[];
  readonly parent: Element | undefined;
  /** The element before it among its siblings. */
  readonly previous: Element | undefined;
}

export type Match = 'yes' | 'no' | 'maybe';

interface Compound {
  readonly tag: string;
  readonly id: string;
  readonly classes: readonly string[];
  readonly attributes: readonly string[];
  /** Something in it is not understood. */
  readonly isVague: boolean;
  /** How it is tied to the compound before it. */
  readonly combinator: string;
}

export interface Selector {
  /** Leftmost first; empty: may match anything. */
  readonly compounds: readonly Compound[];
  readonly specificity: number;
}

/** Where a selector may match at most: `#id`, `.class`, `tag` or `*`. */
export function keyOf({ compounds }: Selector): string {
  const { tag, id, classes } = compounds.at(-1) ?? { tag: '', id: '', classes: [] };
  if (id !== '') return `#${id.toLowerCase()}`;
  if (classes[0] !== undefined) return `.${classes[0].toLowerCase()}`;
  return tag === '' ? '*' : tag;
}

/** Steps left for one mail: a hostile one ends here, and everything after it may match. */
export class Budget {
  left: number;

  constructor(steps: number) {
    this.left = steps;
  }
}

const ANYTHING: Selector = { compounds: [], specificity: 1e9 };
const PART =
  /\s*([>+~])\s*|(\s+)|(\*|(?:[-\w\u0080-\uffff]|\\[^])+)|([.#])((?:[-\w\u0080-\uffff]|\\[^])+)|\[([^\]]*)\]|(::?)([-\w]+)(\([^()]*\))?/y;
/** What a person does later, or another thing than the element: never what it looks like at first. */
const NEVER =
  /^(?:hover|active|focus|focus-visible|focus-within|visited|target|before|after|selection|placeholder|marker|backdrop|-moz-.*|-ms-.*|-webkit-.*)$/;
const MAX_COMPOUNDS = 20;

/** The alternatives of a selector list; one that can match nothing at rest is left out. */
export function parseSelectors(list: string | null): readonly Selector[] {
  if (list === null || list.length > 5_000) return [ANYTHING];
  if (/[("'[\\]/.test(list)) {
    // A comma in brackets or strings parts nothing.
    const parts = list.match(/(?:\([^()]*\)|\[[^\]]*\]|\\[^]|[^,([\\])+|[([]/g) ?? [];
    return parts.flatMap((part) => parseSelector(part.trim()));
  }
  return list.split(',').flatMap((part) => parseSelector(part.trim()));
}

function parseSelector(text: string): readonly Selector[] {
  const compounds: Compound[] = [];
  let specificity = 0;
  let now = newCompound('');
  PART.lastIndex = 0;
  while (PART.lastIndex < text.length) {
    const found = PART.exec(text);
    if (found === null || compounds.length > MAX_COMPOUNDS) return [ANYTHING];
    const [, tie, blank, tag, sign, name = '', attribute, , pseudo, argument] = found;
    if (tie !== undefined || blank !== undefined) {
      compounds.push(now);
      now = newCompound(tie ?? ' ');
    } else if (tag !== undefined) {
      if (tag !== '*') [now.tag, specificity] = [unescape(tag).toLowerCase(), specificity + 1];
    } else if (sign === '#') {
      [now.id, specificity] = [unescape(name), specificity + 1e6];
    } else if (sign === '.') {
      now.classes.push(unescape(name));
      specificity += 1e3;
    } else if (attribute === undefined) {
      if (argument === undefined && NEVER.test(pseudo ?? '')) return [];
      now.isVague ||= pseudo !== 'link';
      if (pseudo === 'link') now.attributes.push('href');
      specificity += argument === undefined ? 1e3 : 1e9;
    } else {
      now.attributes.push(attribute);
      specificity += 1e3;
    }
  }
  return [{ compounds: [...compounds, now], specificity }];
}

function newCompound(combinator: string) {
  const none = { tag: '', id: '', isVague: false, combinator };
  return { ...none, classes: new Array<string>(), attributes: new Array<string>() };
}

/** Right to left, with every step counted. */
export function matches({ compounds }: Selector, element: Element, budget: Budget): Match {
  return compounds.length === 0
    ? 'maybe'
    : matchesAt(compounds, compounds.length - 1, element, budget);
}

function matchesAt(
  compounds: readonly Compound[],
  at: number,
  element: Element,
  budget: Budget,
): Match {
  const compound = compounds[at];
  if (compound === undefined) return 'maybe';
  budget.left -= 1 + costOf(compound, element);
  if (budget.left < 0) return 'maybe';
  const own = matchesCompound(compound, element);
  if (own === 'no' || at === 0) return own;
  const { combinator } = compound;
  const step = (from: Element): Element | undefined =>
    combinator === '+' || combinator === '~' ? from.previous : from.parent;
  let best: Match = 'no';
  for (let other = step(element); other !== undefined; other = step(other)) {
    const above = matchesAt(compounds, at - 1, other, budget);
    if (above === 'yes') return own;
    if (above === 'maybe') best = 'maybe';
    if (budget.left < 0) return 'maybe';
    if (combinator === '>' || combinator === '+') break;
  }
  return best;
}

/** Words and attributes can be as long as the mail. */
function costOf({ classes, attributes }: Compound, element: Element): number {
  if (attributes.length === 0) return classes.length * element.classes.length;
  const length = Object.values(element.attribs).reduce((sum, value) => sum + value.length, 0);
  return classes.length * element.classes.length + attributes.length * Math.ceil(length / 64);
}

function matchesCompound(compound: Compound, { name, attribs, classes }: Element): Match {
  const { tag, id } = compound;
  if (tag !== '' && tag !== name) return 'no';
  const answers: Match[] = [
    ...(id === '' ? [] : [sameWord([attribs['id'] ?? ''], id)]),
    ...compound.classes.map((one) => sameWord(classes, one)),
    ...compound.attributes.map((one) => hasAttribute(one, attribs)),
    ...(compound.isVague ? ['maybe' as const] : []),
  ];
  if (answers.includes('no')) return 'no';
  return answers.includes('maybe') ? 'maybe' : 'yes';
}

/** Another case is another word, but not in the quirks of old documents. */
function sameWord(words: readonly string[], wanted: string): Match {
  if (words.includes(wanted)) return 'yes';
  return words.some((word) => word.toLowerCase() === wanted.toLowerCase()) ? 'maybe' : 'no';
}

function hasAttribute(text: string, attribs: Readonly<Record<string, string>>): Match {
  const parts = /^\s*([-\w]+)\s*(?:([~|^$*]?=)\s*(?:"([^"\\]*)"|'([^'\\]*)'|([-\w]+))\s*)?$/.exec(
    text,
  );
  if (parts === null) return 'maybe';
  const [, name = '', operator, double, single, bare] = parts;
  const key = name.toLowerCase();
  if (!Object.hasOwn(attribs, key)) return 'no';
  const value = attribs[key] ?? '';
  const wanted = double ?? single ?? bare ?? '';
  if (operator === undefined || (operator === '=' && value === wanted)) return 'yes';
  const [here, there] = [value.toLowerCase(), wanted.toLowerCase()];
  if (operator === '=') return here === there ? 'maybe' : 'no';
  if (operator === '*=' && there !== '' && value.includes(wanted)) return 'yes';
  return here.includes(there) ? 'maybe' : 'no';
}
