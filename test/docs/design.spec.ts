import { readFileSync, readdirSync } from 'node:fs';

const ROOT = new URL('../../', import.meta.url);
const FOLDER = new URL('docs/design/', ROOT);
const PAGES = readdirSync(FOLDER);

const LINKED = new Set(
  readdirSync(new URL('src/', ROOT), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      Array.from(
        readFileSync(new URL(`src/${file}`, ROOT), 'utf8').matchAll(
          /docs\/design\/([\w.-]+\.md)/gu,
        ),
        ([, name = '']) => name,
      ),
    ),
);

describe('docs/design', () => {
  it('is at most sixteen pages', () => {
    expect(PAGES.length).toBeLessThanOrEqual(16);
  });

  it('is linked from the code that it governs, by links that lead to a page', () => {
    expect([...LINKED].toSorted()).toEqual(PAGES.toSorted());
  });

  it.each(PAGES)('%s is read in one sitting', (name) => {
    const text = readFileSync(new URL(name, FOLDER), 'utf8');
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  });
});
