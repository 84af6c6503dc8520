import { compile } from 'html-to-text';

/** Tags deeper than this are left out: no person writes such a mail. */
const MAX_DEPTH = 100;

const convert = compile({
  wordwrap: false,
  limits: { maxDepth: MAX_DEPTH, maxChildNodes: 20_000, maxInputLength: 16_777_216 },
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
export function htmlText(html: string): string {
  return convert(html);
}
