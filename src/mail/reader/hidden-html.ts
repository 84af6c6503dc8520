import { SHOWN, SKIPPED, itemsOf } from './elements.ts';
import type { HtmlNode, Item } from './elements.ts';
import { Budget } from './selectors.ts';
import { Styles, WIDTHS, candidatesOf, valuesOf } from './styles.ts';
import { paintOf, START, verdictOf } from './visibility.ts';
import type { Paint, Verdict } from './visibility.ts';

/**
 * What a mail says in HTML without showing it: the usual way to tell an agent what its person cannot see. Text is visible,
 * hidden or, wherever that is not known, unknown; it is judged on a desk and on a phone, and visible where it is on one of
 * them. Hidden and unknown text is taken out of the tree before `html-to-text` reads it. Erasable syntax only.
 */

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

/** Comparisons of selectors and elements for one mail; a usual newsletter takes some ten thousand. */
const MAX_STEPS = 2_000_000;
/** Elements that no program shows, whatever the styles of usual mails say. */
const NEVER_SHOWN = new Set(['template', 'datalist', 'noframes', 'noembed', 'rp']);
const INLINE = /^(?:a|abbr|b|big|code|em|font|i|img|s|small|span|strong|sub|sup|u|o:p)$/;
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
