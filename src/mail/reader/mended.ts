/** Elements that a browser opens again behind a block that ended before them. */
const FORMATTING = /^(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)$/;
const COMMENT = /<!--(?:[^]*?-->|[^]*$)/g;
/** A tag that another begins in: only a browser knows where it ends. */
const TAG_IN_TAG = /<[a-z][^<>]*</i;
const TAG = /<(\/?)([a-z][\w:-]*)((?:[^<>"']|"[^"<>]*"|'[^'<>]*')*)>/gi;

/** A browser opens again what a block leaves open; the parser's tree has not that. Linear. Erasable syntax only. */
export function isMended(html: string): boolean {
  const open: { readonly name: string; readonly isStyled: boolean }[] = [];
  const counts = new Map<string, number>();
  const plain = html.replace(COMMENT, '');
  if (TAG_IN_TAG.test(plain)) return true;
  for (const [, slash, written = '', attributes = ''] of plain.matchAll(TAG)) {
    const name = written.toLowerCase();
    const count = counts.get(name) ?? 0;
    if (slash !== '/') {
      open.push({ name, isStyled: FORMATTING.test(name) && /[a-z]/i.test(attributes) });
      counts.set(name, count + 1);
      continue;
    }
    if (count === 0) continue;
    for (let last = open.pop(); last !== undefined; last = open.pop()) {
      counts.set(last.name, (counts.get(last.name) ?? 1) - 1);
      if (last.name === name) break;
      if (last.isStyled) return true;
    }
  }
  return false;
}
