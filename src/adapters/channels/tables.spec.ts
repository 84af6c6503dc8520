import * as fc from 'fast-check';
import { QUADRATIC, growth } from '../../../test/support/cpu-time.ts';
import { PHONE_COLUMNS, withoutTables } from './tables.ts';

const PODS = `Here they are:
| Pod | Status | Restarts |
|:----|:------:|---------:|
| \`web-1\` | **Running** | 3 |
| web-2 | ✅ ok | 12 |
| 東京 |  | 1 |
That is all.`;

describe('withoutTables', () => {
  it('aligns a table that a telephone can show', () => {
    expect(withoutTables(PODS, PHONE_COLUMNS)).toBe(`Here they are:
\`\`\`
Pod    Status   Restarts
-----  -------  --------
web-1  Running         3
web-2  ✅ ok          12
東京                   1
\`\`\`

That is all.`);
  });

  it('makes a list of one that is too wide, or where there is no code', () => {
    const list = `Here they are:
- Pod: \`web-1\`
  - Status: **Running**
  - Restarts: 3
- Pod: web-2
  - Status: ✅ ok
  - Restarts: 12
- Pod: 東京
  - Restarts: 1

That is all.`;
    expect(withoutTables(PODS, 23)).toBe(list);
    expect(withoutTables(PODS, 0)).toBe(list);
  });

  it.each([
    [
      'names and values',
      'Field | Value\n--|--\nHost: | a\nUser | b',
      'Field: Value\n- Host: a\n- User: b',
    ],
    ['a single column', '| a |\n|---|\n| b |', 'a\n- b'],
    ['no rows', '| a | b | c |\n|---|---|---|', 'a: b: c'],
    ['more cells than headers', '|a|b|c|\n|-|-|-|\n|1|2|3|4|', '- a: 1\n  - b: 2\n  - c: 3\n  - 4'],
    ['no first header', '| |b|c|\n|-|-|-|\n|1|2|3|', '- 1\n  - b: 2\n  - c: 3'],
    ['a bar in a cell', '|a|b|\n|-|-|\n|x \\| y|2|', 'a: b\n- x | y: 2'],
    ['one in a list', '- x\n  |a|\n  |-|\n  |1|', '- x\n  a\n  - 1'],
  ])('reads %s', (_name, table, list) => {
    expect(withoutTables(table, 0)).toBe(list);
  });

  it.each([
    'a | b',
    'a | b\nc | d',
    'Title\n---',
    '| a | b |\n|---|',
    '```\n| a |\n|---|\n| 1 |\n```',
    '| a |\n| : |',
  ])('leaves what is no table as it is: %j', (text) => {
    expect(withoutTables(text, PHONE_COLUMNS)).toBe(text);
    expect(withoutTables(text, 0)).toBe(text);
  });

  it('closes the block of code where it ends, whatever the cells say', () => {
    const [fence, ...lines] = withoutTables('|a|\n|-|\n|```|', PHONE_COLUMNS).split('\n');
    expect([fence, lines.at(-1)]).toEqual(['````', '````']);
  });

  it('loses no word', () => {
    const cell = fc.stringMatching(/^[a-z0-9]{1,8}$/);
    const row = fc
      .array(cell, { minLength: 3, maxLength: 3 })
      .map((all) => `| ${all.join(' | ')} |`);
    const tables = fc
      .array(row, { minLength: 2, maxLength: 5 })
      .map(([head, ...rows]) => [head, '|-|-|-|', ...rows, '', 'end'].join('\n'));
    expect(() =>
      fc.assert(
        fc.property(tables, fc.constantFrom(0, 20, PHONE_COLUMNS), (table, columns) => {
          const text = withoutTables(table, columns);
          for (const [word] of table.matchAll(/[a-z0-9]+/g)) expect(text).toContain(word);
        }),
      ),
    ).not.toThrow();
  });

  it.each([
    '|',
    '-|',
    '|\n',
    '|-\n|-|\n',
    'a|b\n-|-\n',
    '|a|\n|-|\n|1|\n\n',
    '\\|',
    '| ',
    '|`',
    '東|',
  ])('takes any number of %j in linear time', (piece) => {
    const asList = (size: number) => withoutTables(piece.repeat(size), 0);
    const asRows = (size: number) =>
      withoutTables(`|a|b|\n|-|-|\n${piece.repeat(size)}`, PHONE_COLUMNS);
    expect(growth(asList, 30_000)).toBeLessThan(QUADRATIC);
    expect(growth(asRows, 30_000)).toBeLessThan(QUADRATIC);
  });

  it('takes a table as wide as it is long in linear time', () => {
    const square = (size: number) =>
      withoutTables(
        `${'a|'.repeat(size)}\n${'-|'.repeat(size)}\n${'1|\n'.repeat(size)}`,
        PHONE_COLUMNS,
      );
    expect(growth(square, 20_000)).toBeLessThan(QUADRATIC);
  });
});
