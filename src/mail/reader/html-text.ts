import { compile } from 'html-to-text';
import { bounded } from './bounded.ts';

/** Tags deeper than this are left out: no person writes such a mail. */
const MAX_DEPTH = 100;

/**
 * Longest HTML that is read, in UTF-16 units. Time and memory grow faster than the HTML where tags nest, and a thread
 * that runs out of memory can take the whole process with it.
 */
const LONGEST_HTML = 262_144;

const convert = compile({
  wordwrap: false,
  limits: { maxDepth: MAX_DEPTH, maxChildNodes: 20_000 },
  selectors: [
    { selector: 'img', format: 'skip' },
    { selector: 'head', format: 'skip' },
    { selector: 'style', format: 'skip' },
    { selector: 'script', format: 'skip' },
    { selector: 'template', format: 'skip' },
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({
      selector,
      options: { uppercase: false },
    })),
  ],
});

/** What a person would read of an HTML mail: text, addresses of links, lists; no images, styles or scripts. */
export function htmlText(html: string): { readonly text: string; readonly isCut: boolean } {
  const read = bounded(html, LONGEST_HTML);
  return { text: convert(read), isCut: read.length < html.length };
}
