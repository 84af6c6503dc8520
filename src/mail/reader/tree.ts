/** The elements of a mail as a browser has them. Erasable syntax only. */

/** A node of the parsed HTML, as far as it is looked at; a text has `data` and no `attribs`. */
export interface HtmlNode {
  readonly type: string;
  name?: string;
  data?: string;
  attribs?: Record<string, string>;
  children?: HtmlNode[];
  parent?: HtmlNode | null;
}

export type Element = HtmlNode & {
  name: string;
  attribs: Record<string, string>;
  children: HtmlNode[];
};

/** Tags deeper than this are left out: no person writes such a mail. */
export const MAX_DEPTH = 100;
export const SKIPPED = new Set(['head', 'style', 'script', 'title']);
/** Elements that no program shows, whatever the styles of usual mails say. */
export const NEVER_SHOWN = new Set(['template', 'datalist', 'noframes', 'noembed', 'rp']);
export const SHOWN = new Set(
  'html head body a abbr acronym address article aside b bdi bdo big blockquote br button caption center cite code col colgroup dd del dfn dir div dl dt em fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 header hgroup hr i img input ins kbd label legend li main map mark menu nav nobr o:p ol p picture pre q s samp section small source span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr area base link meta'.split(
    ' ',
  ),
);
const OF_HEAD = /^(?:style|link|meta|title|base|script)$/;

export function isElement(node: HtmlNode): node is Element {
  return node.attribs !== undefined && node.name !== undefined && node.children !== undefined;
}

export function elementsOf(root: HtmlNode): Element[] {
  const found: Element[] = [];
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isElement(node)) found.push(node);
    for (const child of (node.children ?? []).toReversed()) open.push(child);
  }
  return found;
}

export function cutOff(root: Element): void {
  let level: HtmlNode[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    const next = level.flatMap(({ children = [] }) => children);
    if (depth > MAX_DEPTH)
      for (const node of level) if (!SKIPPED.has(node.name ?? '')) node.children = [];
    level = depth > MAX_DEPTH ? [] : next;
  }
}

/** Adds the elements that a mail leaves out and a browser adds: selectors name them. @returns the element `html` */
export function complete(root: HtmlNode): Element {
  const given = root.children ?? [];
  const outer = opened(given, 'html');
  const isOfHead = ({ name = '' }: HtmlNode): boolean => name === 'head' || OF_HEAD.test(name);
  const inHead = outer.filter(isOfHead);
  const inBody = outer.filter((node) => !isOfHead(node));
  for (const table of inBody.flatMap(elementsOf)) {
    const rows = table.name === 'table' ? table.children.filter(({ name }) => name === 'tr') : [];
    if (rows.length === 0) continue;
    const others = table.children.filter(({ name }) => name !== 'tr');
    adopt(table, [...others, make('tbody', [], rows)]);
  }
  const html = make('html', given, [
    make('head', inHead, opened(inHead, 'head')),
    make('body', inBody, opened(inBody, 'body')),
  ]);
  root.children = [html];
  return html;
}

function opened(nodes: readonly HtmlNode[], name: string): HtmlNode[] {
  return nodes.flatMap((node) => (node.name === name ? (node.children ?? []) : [node]));
}

/** An element with the attributes of those of its name that were given; the first counts. */
function make(name: string, given: readonly HtmlNode[], children: HtmlNode[]): Element {
  const attribs: Record<string, string> = {};
  for (const node of given.toReversed())
    if (node.name === name) Object.assign(attribs, node.attribs);
  return adopt({ type: 'tag', name, attribs, children, parent: null }, children);
}

function adopt(parent: Element, children: HtmlNode[]): Element {
  for (const child of children) child.parent = parent;
  parent.children = children;
  return parent;
}

/** Elements that hold nothing but their parts: a browser takes all else out of them. */
export const IN_TABLE = /^(?:table|tbody|thead|tfoot|tr)$/;
const HOMES: Readonly<Record<string, RegExp>> = {
  html: /^$/,
  body: /^html$/,
  tbody: /^table$/,
  thead: /^table$/,
  tfoot: /^table$/,
  tr: /^(?:tbody|thead|tfoot)$/,
  td: /^tr$/,
  th: /^tr$/,
};

/** Whether a browser puts an element elsewhere, or leaves it out: then what is written around it is not around it. */
export function isMisplaced({ name, parent }: Element): boolean {
  const above = parent?.name ?? '';
  const home = Object.hasOwn(HOMES, name) ? HOMES[name] : undefined;
  if (home !== undefined) return !home.test(above);
  if (IN_TABLE.test(above)) return !/^(?:caption|colgroup|col|style|script|template)$/.test(name);
  if (/^h[1-6]$/.test(name)) return /^h[1-6]$/.test(above);
  let around = name === 'a' ? parent : null;
  while (around != null && !/^(?:a|td|th)$/.test(around.name ?? '')) around = around.parent;
  return around?.name === 'a';
}
