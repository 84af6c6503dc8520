// The elements of a mail as a browser has them: with those that a mail leaves out, in document order. Erasable syntax only.
import { parseDeclarations } from './css.ts';
import type { Declaration } from './css.ts';
import type { Element } from './selectors.ts';
import type { Verdict } from './visibility.ts';

/** A node of the parsed HTML, as far as this looks at it; a text has `data` and no `attribs`. */
export interface HtmlNode {
  readonly type: string;
  name?: string;
  data?: string;
  attribs?: Record<string, string>;
  children?: HtmlNode[];
  readonly parent?: HtmlNode | null;
}

/** A node and what is known of it. */
export interface Item extends Element {
  readonly node: HtmlNode;
  readonly parent: Item | undefined;
  readonly inline: readonly Declaration[];
  /** Its text is no text of the mail. */
  readonly isSkipped: boolean;
  /** The verdict of each screen about its box, for an element, or itself, for a text. */
  readonly verdicts: Verdict[];
  /** Of a link: whether some of its text, or a picture, is shown. */
  isShown: boolean;
}

/** Tags deeper than this are left out: no person writes such a mail. */
export const MAX_DEPTH = 100;
/** Not text of the mail. */
export const SKIPPED = new Set(['head', 'style', 'script', 'title']);
/** Elements whose content is shown as their styles say. */
export const SHOWN = new Set(
  'html body a abbr acronym address article aside b bdi bdo big blockquote br button caption center cite code col colgroup dd del details dfn dir div dl dt em fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 header hgroup hr i img input ins kbd label legend li main map mark menu nav nobr o:p ol p picture pre q s samp section small source span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr area base link meta'.split(
    ' ',
  ),
);
const OF_HEAD = /^(?:style|link|meta|title|base|script)$/;

/** All nodes in document order. */
export function itemsOf(root: HtmlNode): readonly Item[] {
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
      inline: attribs['style'] === undefined ? [] : parseDeclarations(attribs['style']),
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
