import { readFile } from 'node:fs/promises';
import { EXIT } from '../../src/cli/cli-error.ts';
import { CHECKS } from '../../src/cli/doctor/run-checks.ts';

const page = await readFile(new URL('../../docs/cli.md', import.meta.url), 'utf8');

describe('docs/cli.md', () => {
  it('has every check of the doctor, in its order', () => {
    const [, section = ''] = page.split('## What the doctor looks at');
    const rows = Array.from(section.matchAll(/^\| `([\w-]+)` +\|/gmu), ([, name]) => name);
    expect(rows).toEqual(CHECKS.map(({ name }) => name));
  });

  it('has every exit code', () => {
    const codes = Array.from(page.matchAll(/^\| (\d+) +\|/gmu), ([, code]) => Number(code));
    expect(codes).toEqual(Object.values(EXIT));
  });

  it('has examples for every command', () => {
    const [, ...sections] = page.split(/^## hooks/mu);
    expect(sections.length).toBeGreaterThan(5);
    expect(sections.filter((section) => !section.includes('\nExamples:\n  '))).toEqual([]);
  });
});
