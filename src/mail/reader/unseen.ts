import { Budget, OverBudget } from './budget.ts';
import { PAGE, paintOf, verdictOf, worst } from './paint.ts';
import type { Paint } from './paint.ts';
import type { Verdict } from './properties.ts';
import { Styles } from './styles.ts';
import {
  IN_TABLE,
  NEVER_SHOWN,
  SHOWN,
  SKIPPED,
  complete,
  cutOff,
  elementsOf,
  isElement,
  isMisplaced,
} from './tree.ts';
import type { Element, HtmlNode } from './tree.ts';

/**
 * What a mail says in HTML without showing it: the usual way to tell an agent what its person cannot see. Text is judged
 * on a desk and on a phone, and seen where it is on one of them. Erasable syntax only.
 */

export interface Unseen {
  /** Without blanks and joiners, with which newsletters fill up a preview. */
  readonly characters: number;
  readonly text: string;
}

/** Steps of work for one mail; a usual newsletter takes ten to thirty thousand. */
const MAX_STEPS = 60_000;
const INLINE = /^(?:a|abbr|b|big|code|em|font|i|img|s|small|span|strong|sub|sup|u|o:p)$/;

/** @param isDoubtful something is missing that may hide everything, such as the end of the mail */
export function removeUnseen(root: HtmlNode, isDoubtful: boolean): Unseen {
  const html = complete(root);
  const elements = elementsOf(html);
  cutOff(html);
  const judged = new Judged();
  let isSure = false;
  try {
    const styles = new Styles(elements, new Budget(MAX_STEPS));
    judged.judge(html, styles, [PAGE, PAGE]);
    isSure = !isDoubtful && !styles.isForeign && !judged.isCovered;
  } catch (error) {
    if (!(error instanceof OverBudget)) throw error;
  }
  const found: string[] = [];
  judged.take(html, isSure, found);
  const text = found
    .join('')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n\s*/g, '\n')
    .trim();
  return { characters: text.replace(/[\s\p{C}\u034f\u2800\u3164]+/gu, '').length, text };
}

class Judged {
  /** A box that is out of its place may lie over any other; or all sizes are unusual. */
  isCovered = false;
  readonly #verdicts = new Map<HtmlNode, Verdict>();
  #pages: readonly Paint[] = [PAGE, PAGE];

  judge(element: Element, styles: Styles, above: readonly Paint[]): void {
    const { name } = element;
    if (SKIPPED.has(name)) return;
    const own = elementVerdict(element);
    // The attributes of a second one count for the first.
    if (/^(?:html|body)$/.test(name) && isMisplaced(element))
      this.isCovered ||= Object.keys(element.attribs).some(
        (key) => !/^(?:dir|lang|xml.*)$/.test(key),
      );
    const values = styles.valuesOf(element);
    const paints = above.map((paint, screen) => {
      const all = new Map(values[screen]);
      // What only phones show, Outlook for Windows never has.
      if (screen > 0 && values[0]?.get('display')?.join() === 'none') all.delete('mso-hide');
      const painted = paintOf(name, all, paint, this.#pages[screen] ?? PAGE);
      const box = worst([painted.box, own]);
      this.isCovered ||= painted.covers && box !== 'unseen';
      return { ...painted, box };
    });
    if (name === 'body' && element.parent?.parent === null) this.#pages = paints;
    if (name === 'html')
      this.isCovered ||= paints.some(({ fontSize = 0 }) => fontSize < 8 || fontSize > 32);
    if (name === 'img') this.#verdicts.set(element, best(paints.map(({ box }) => box)));
    const text = best(paints.map(verdictOf));
    for (const child of element.children) {
      if (isElement(child)) this.judge(child, styles, paints);
      else if (child.type === 'text')
        this.#verdicts.set(child, IN_TABLE.test(name) ? worst([text, 'uncertain']) : text);
    }
  }

  /** Takes text out that is not seen, and the links and boxes of which nothing is left. @returns whether something is seen */
  take(element: Element, isSure: boolean, found: string[]): boolean {
    if (SKIPPED.has(element.name)) return false;
    let isSeen = isSure && this.#verdicts.get(element) === 'seen';
    let isTaken = element.name === 'a';
    if (!INLINE.test(element.name)) found.push('\n');
    for (const child of element.children) {
      if (isElement(child)) {
        isSeen = this.take(child, isSure, found) || isSeen;
      } else if (child.type === 'text' && /\S/.test(child.data ?? '')) {
        const verdict = isSure ? this.#verdicts.get(child) : 'uncertain';
        if (verdict === 'seen') isSeen = true;
        else isTaken = true;
        if (verdict === 'uncertain') found.push(child.data ?? '');
        if (verdict !== 'seen') child.data = '';
      }
    }
    if (isTaken && !isSeen) Object.assign(element, { name: 'span', attribs: {}, children: [] });
    return isSeen;
  }
}

function elementVerdict(element: Element): Verdict {
  const { name, attribs } = element;
  if (NEVER_SHOWN.has(name)) return 'unseen';
  if (name === 'details') return Object.hasOwn(attribs, 'open') ? 'seen' : 'uncertain';
  return SHOWN.has(name) && !isMisplaced(element) ? 'seen' : 'uncertain';
}

/** Seen on one screen is seen; unseen is unseen on all. */
function best(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes('seen')) return 'seen';
  return verdicts.includes('uncertain') ? 'uncertain' : 'unseen';
}
