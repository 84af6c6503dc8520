import { defaultLimit } from './body.ts';

const MIB = 1_048_576;

describe('defaultLimit', () => {
  it.each([
    ['a small container', 256 * MIB, 8 * MIB],
    ['one of a gigabyte', 1024 * MIB, 32 * MIB],
    ['a large machine', 65_536 * MIB, 64 * MIB],
  ])('for %s', (_, memory, limit) => {
    expect(defaultLimit(memory)).toBe(limit);
  });
});
