import { retryAfterMs } from './retry-after.ts';

const NOW = Date.UTC(2026, 0, 1);

describe('retryAfterMs', () => {
  it.each([
    ['7', 7000],
    [' 0.5 ', 500],
    ['0', 0],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
    ['-5', undefined],
    ['soon', undefined],
    ['Mon, never', undefined],
    ['', undefined],
    [null, undefined],
  ])('%j asks for %s ms', (header, ms) => {
    expect(retryAfterMs(header, NOW)).toBe(ms);
  });
});
