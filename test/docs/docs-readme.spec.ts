import { existsSync, readFileSync, readdirSync } from 'node:fs';

const DOCS = new URL('../../docs/', import.meta.url);
const ROOT = new URL('../../', import.meta.url);
const page = readFileSync(new URL('README.md', DOCS), 'utf8');
const [contents = '', reading = ''] = page.split(/^## Read these ten files.*$/mu);

describe('docs/README.md', () => {
  it('lists every page of docs/ and of docs/design/', () => {
    const linked = Array.from(contents.matchAll(/\]\(([^)#]+)[^)]*\)/gu), ([, to = '']) => to);
    const pages = [
      ...readdirSync(DOCS, { withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name !== 'README.md')
        .map(({ name }) => name),
      ...readdirSync(new URL('design/', DOCS)).map((name) => `design/${name}`),
    ];
    expect(pages.filter((name) => !linked.includes(name))).toEqual([]);
    expect(linked.filter((to) => !existsSync(new URL(to, DOCS)))).toEqual([]);
  });

  it('names ten files to read, all of which exist', () => {
    const files = Array.from(reading.matchAll(/^(\d+)\. `([^`]+)`: \S/gmu), ([, n, path = '']) => ({
      n: Number(n),
      path,
    }));
    expect(files.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(files.filter(({ path }) => !existsSync(new URL(path, ROOT)))).toEqual([]);
    expect(new Set(files.map(({ path }) => path)).size).toBe(10);
  });
});
