import { array, assert, integer, property, string } from 'fast-check';
import { tableLines } from './table.ts';

describe('tableLines', () => {
  it('aligns the columns', () => {
    expect(
      tableLines(
        [
          ['a', 'b'],
          ['long', 'c'],
        ],
        80,
      ),
    ).toEqual(['a     b', 'long  c']);
  });

  it('cuts the widest column first', () => {
    expect(tableLines([['id-1', 'x'.repeat(30)]], 20)).toEqual([`id-1  ${'x'.repeat(13)}…`]);
  });

  it('never is wider than it may be, unless the columns would vanish', () => {
    const rows = array(array(string(), { minLength: 1, maxLength: 6 }));
    const fits = property(rows, integer({ min: 60, max: 80 }), (cells, columns) =>
      tableLines(cells, columns).every((line) => Array.from(line).length <= columns),
    );
    expect(() => assert(fits)).not.toThrow();
  });
});
