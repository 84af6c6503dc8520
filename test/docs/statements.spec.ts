import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { REJECTIONS } from '../../src/hooks/ports/rejection.ts';

const ROOT = new URL('../../', import.meta.url);
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  ...['docs', 'docs/design'].flatMap((folder) =>
    readdirSync(new URL(folder, ROOT))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
];

const { scripts }: { scripts: Record<string, string> } = JSON.parse(readPage('package.json'));
const SCRIPTS = new Set(Object.keys(scripts));

function readPage(page: string): string {
  return readFileSync(new URL(page, ROOT), 'utf8');
}

/** As GitHub makes them of headings. */
function anchorsOf(page: string): Set<string> {
  const headings = Array.from(readPage(page).matchAll(/^#+ (.+)$/gmu), (match) => match[1]!);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

describe.each(PAGES)('%s', (page) => {
  it('names only files and folders that exist', () => {
    const named = readPage(page).matchAll(
      /`((?:src|test|docs|bench|scripts|console)\/[\w./<>-]+)`/gu,
    );
    for (const [, path = ''] of named) {
      // Of a recipe (`src/…/<name>.ts`) the folder.
      const known = path.includes('<')
        ? path.slice(0, path.lastIndexOf('/', path.indexOf('<')))
        : path;
      expect([path, existsSync(new URL(known, ROOT))]).toEqual([path, true]);
    }
  });

  it('names only scripts of package.json', () => {
    const named = Array.from(readPage(page).matchAll(/npm run ([\w:-]+)/gu), (match) => match[1]!);
    expect(named.filter((name) => !SCRIPTS.has(name))).toEqual([]);
  });

  it('links only to pages and headings that exist', () => {
    const links = readPage(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/gu);
    for (const [link, path = '', anchor] of links) {
      const target = path === '' ? page : new URL(path, new URL(page, ROOT)).pathname;
      const isThere = existsSync(new URL(target, ROOT));
      const isHeading = anchor === undefined || anchorsOf(target).has(anchor);
      expect({ link, anchor, isThere, isHeading }).toMatchObject({
        isThere: true,
        isHeading: true,
      });
    }
  });
});

describe('docs/http-api.md', () => {
  it('has every status that a sender can be answered', () => {
    const [, table = ''] = readPage('docs/http-api.md').split('## Answers');
    const rows = Array.from(table.matchAll(/^\| ([\d/]+) +\|/gmu), (match) => match[1]!.split('/'));
    const listed = new Set(rows.flat().map(Number));
    for (const { status } of Object.values(REJECTIONS)) expect(listed).toContain(status);
  });
});

describe('docs/glossary.md', () => {
  it('has each word once', () => {
    const words = Array.from(
      readPage('docs/glossary.md').matchAll(/^\| ([^|]+?) +\|/gmu),
      (match) => match[1]!,
    );
    expect(words).toHaveLength(new Set(words).size);
    expect(words.filter((word) => /^-+$/u.test(word))).toHaveLength(1);
  });
});
