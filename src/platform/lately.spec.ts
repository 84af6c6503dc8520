import { lately } from './lately.ts';

describe('lately', () => {
  it('gives whoever asks within the time the same answer, and one look that is under way', async () => {
    let now = 0;
    let looks = 0;
    const look = lately({ now: () => now }, 1000, async () => ++looks);
    expect(await Promise.all([look(), look()])).toEqual([1, 1]);
    now = 999;
    expect(await look()).toBe(1);
    now = 1000;
    expect(await look()).toBe(2);
  });

  it('looks again when the clock was set back', async () => {
    let now = 10_000;
    let looks = 0;
    const look = lately({ now: () => now }, 1000, async () => ++looks);
    await look();
    now = 1;
    expect(await look()).toBe(2);
  });
});
