import { QUADRATIC, growth } from './cpu-time.ts';

const blanks = (size: number): string => `${' '.repeat(size)}.`;

describe('growth', () => {
  it('tells a quadratic expression from a linear one', () => {
    expect(growth((size) => blanks(size).replace(/ +$/, ''), 20_000)).toBeGreaterThan(QUADRATIC);
    expect(growth((size) => blanks(size).replace(/ $/, ''), 20_000_000)).toBeLessThan(QUADRATIC);
  });

  it('counts what takes no noticeable time as linear', () => {
    expect(growth((size) => blanks(size).replace(/ +$/, ''), 100)).toBe(1);
  });
});
