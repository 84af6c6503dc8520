import { readFileSync } from 'node:fs';

/** A row of docs/configuration.md: `| key | default | meaning |`. */
const ROW = /^\| `([^`]+)` +\| (?:[^|\\]|\\.)* \| ((?:[^|\\]|\\.)*) \|$/gmu;

/** What each key means, from docs/configuration.md, which describes all of them. Keys as there: `hooks.mappings[].id`. */
export function documentedKeys(): ReadonlyMap<string, string> {
  const page = new URL('../../../../docs/configuration.md', import.meta.url);
  const rows = readFileSync(page, 'utf8').matchAll(ROW);
  return new Map(Array.from(rows, ([, key = '', meaning = '']) => [key, plain(meaning)]));
}

function plain(markdown: string): string {
  return markdown
    .trim()
    .replaceAll(String.raw`\|`, '|')
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/gu, '$1');
}
