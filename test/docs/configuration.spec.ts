import { readFile } from 'node:fs/promises';
import { CONFIGURATION } from '../../src/service/index.ts';

/** Keys inside of these are described at another place. */
const ELSEWHERE = /^agents\.defaults\.runner\.|(?:Template|replyTo\.to)\[\]\./;

const keys = CONFIGURATION.below()
  .map(({ key }) => key.replaceAll('[0]', '[]').replace(/^channels\.chan_\d/, 'channels.*'))
  .filter((key) => !ELSEWHERE.test(key));

/** Keys that only hold other keys may be described by those. */
function isLeaf(key: string): boolean {
  return !keys.some((other) => other.startsWith(`${key}.`) || other.startsWith(`${key}[]`));
}

describe('docs/configuration.md', () => {
  it('describes every key of every section, and no other', async () => {
    const text = await readFile(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
    const documented = Array.from(text.matchAll(/^\| `([^`]+)`/gm), (match) => match[1] ?? '');
    const all = new Set(keys.filter((key) => key.includes('.')));
    const missing = [...all].filter((key) => isLeaf(key) && !documented.includes(key));
    expect(missing).toEqual([]);
    expect(documented.filter((key) => !all.has(key))).toEqual([]);
    expect(new Set(documented).size).toBe(documented.length);
  });
});
