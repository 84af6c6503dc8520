import { drawRandomBytes } from './random-bytes.ts';

describe('random bytes', () => {
  it('are as many as were asked for, and never the same, beyond the pool', () => {
    const draws = Array.from({ length: 2000 }, () => drawRandomBytes(13).toString('hex'));
    expect(new Set(draws).size).toBe(2000);
    expect(draws.every((draw) => draw.length === 26)).toBe(true);
  });
});
