import { existsSync, readFileSync, readdirSync } from 'node:fs';

const FOLDER = new URL('../../docs/decisions/', import.meta.url);
const FILES = readdirSync(FOLDER).filter((name) => name !== 'README.md');
const NUMBERS = FILES.map((name) => name.slice(0, 4));

function readPage(name: string): string {
  return readFileSync(new URL(name, FOLDER), 'utf8');
}

/** What stands behind `<field>:` on a line of its own, between the title and the first heading. */
function fieldOf(text: string, field: string): string | undefined {
  const [head = ''] = text.split('\n## ');
  return new RegExp(`^${field}: (.+)$`, 'mu').exec(head)?.[1];
}

/** The rows of the index, in the order of the page. */
const ROWS = Array.from(
  readPage('README.md').matchAll(
    /^\| (\d{4}) +\| \[(.+)\]\(([^)]+)\) +\| ([^|]+?) +\| ([^|]+?) +\|$/gmu,
  ),
  ([, number = '', title = '', file = '', status = '', date = '']) => ({
    number,
    title,
    file,
    status,
    date,
  }),
);

describe.each(FILES)('docs/decisions/%s', (file) => {
  const text = readPage(file);

  it('is named after its number, which no other record has', () => {
    expect(file).toMatch(/^\d{4}-[a-z\d-]+\.md$/u);
    expect(NUMBERS.filter((number) => number === file.slice(0, 4))).toHaveLength(1);
  });

  it('has a status and a date, and says why, what, and what follows', () => {
    expect(fieldOf(text, 'Status')).toMatch(/^(?:accepted|superseded by \d{4})$/u);
    expect(fieldOf(text, 'Date')).toMatch(/^20\d\d-[01]\d-[0-3]\d$/u);
    const headings = Array.from(text.matchAll(/^## (.+)$/gmu), ([, heading]) => heading);
    expect(headings).toEqual(['Context', 'Decision', 'Consequences']);
  });

  it('is superseded by another record that exists, if at all', () => {
    const [, successor] = /^superseded by (\d{4})$/u.exec(fieldOf(text, 'Status') ?? '') ?? [];
    if (successor === undefined) return;
    expect(successor).not.toBe(file.slice(0, 4));
    expect(NUMBERS).toContain(successor);
  });

  it('has one row in the index, which says the same', () => {
    const [heading = ''] = text.split('\n');
    expect(ROWS.filter((row) => row.file === file)).toEqual([
      {
        number: file.slice(0, 4),
        title: heading.replace(/^# \d{4} /u, ''),
        file,
        status: fieldOf(text, 'Status'),
        date: fieldOf(text, 'Date'),
      },
    ]);
  });

  it('links only to files that exist', () => {
    const links = Array.from(
      text.matchAll(/\]\((?!https?:)([^)#\s]+)[^)]*\)/gu),
      ([, to = '']) => to,
    );
    expect(links.filter((link) => !existsSync(new URL(link, FOLDER)))).toEqual([]);
  });
});

describe('docs/decisions/README.md', () => {
  it('has no row without a record', () => {
    expect(ROWS.map((row) => row.file).toSorted()).toEqual(FILES.toSorted());
  });
});
