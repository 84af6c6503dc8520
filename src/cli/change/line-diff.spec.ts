import * as fc from 'fast-check';
import { hunksOf, lineDiff } from './line-diff.ts';
import type { DiffLine } from './line-diff.ts';

const SIGN = { old: '-', new: '+', same: ' ' } as const;
const texts = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 });

function written(lines: readonly (DiffLine | undefined)[]): string[] {
  return lines.map((line) => (line === undefined ? '…' : SIGN[line.kind] + line.text));
}

describe('lineDiff', () => {
  it('tells what went and what came', () => {
    expect(written(lineDiff('a\nb\nc\n', 'a\nB\nc\nd\n'))).toEqual([' a', '-b', '+B', ' c', '+d']);
    expect(written(lineDiff('', 'a\n'))).toEqual(['+a']);
  });

  it('holds all of both texts, in order', () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const lines = lineDiff(`${before.join('\n')}\n`, `${after.join('\n')}\n`);
        const without = (kind: DiffLine['kind']): string[] =>
          lines.filter((line) => line.kind !== kind).map(({ text }) => text);
        expect(without('new').join('\n')).toBe(before.join('\n'));
        expect(without('old').join('\n')).toBe(after.join('\n'));
      }),
    );
  });
});

describe('hunksOf', () => {
  it('leaves out what is far from every change', () => {
    const before = 'a\nb\nc\nd\ne\nf\ng\nh\ni\n';
    const after = before.replace('e\n', 'E\n');
    expect(written(hunksOf(lineDiff(before, after)))).toEqual([
      '…',
      ' c',
      ' d',
      '-e',
      '+E',
      ' f',
      ' g',
    ]);
  });
});

describe('a file of megabytes', () => {
  const lines = Array.from({ length: 100_000 }, (_, n) => `line ${n}\n`);

  it('is compared around its change only', () => {
    const diff = lineDiff(lines.join(''), lines.with(50_000, 'new\n').join(''));
    expect(diff.filter(({ kind }) => kind !== 'same')).toEqual([
      { kind: 'old', text: 'line 50000' },
      { kind: 'new', text: 'new' },
    ]);
  });

  it('is all new where everything changed', () => {
    const diff = lineDiff(lines.join(''), lines.map((line) => `x${line}`).join(''));
    expect(diff).toHaveLength(200_000);
  });
});
