import { Backoff, FollowingSignal, backoffMs, parseRetryAfter } from './time.ts';

const NOW = Date.UTC(2026, 0, 1);

describe('backoffMs', () => {
  it('doubles up to the longest wait', () => {
    const limits = { firstMs: 1000, maxMs: 60_000 };
    const waits = [0, 1, 2, 5, 6, 5000].map((failures) => backoffMs(limits, failures));
    expect(waits).toEqual([1000, 2000, 4000, 32_000, 60_000, 60_000]);
  });

  it('leaves only its share to chance', () => {
    const limits = { firstMs: 1000, maxMs: 60_000, jitter: 0.5 };
    const waits = Array.from({ length: 1000 }, () => backoffMs(limits, 1));
    expect(Math.min(...waits)).toBeGreaterThan(1000);
    expect(Math.min(...waits)).toBeLessThan(1500);
    expect(Math.max(...waits)).toBeLessThanOrEqual(2000);
    expect(Math.max(...waits)).toBeGreaterThan(1500);
  });
});

it('a Backoff counts until something worked', () => {
  const backoff = new Backoff({ firstMs: 10, maxMs: 40 });
  expect([1, 2, 3, 4].map(() => backoff.next())).toEqual([10, 20, 40, 40]);
  backoff.reset();
  expect(backoff.next()).toBe(10);
});

describe('parseRetryAfter', () => {
  it.each([
    ['7', 7000],
    [' 0.5 ', 500],
    ['0', 0],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Thursday, 01-Jan-26 00:01:00 GMT', 60_000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
    ['-5', undefined],
    ['soon', undefined],
    ['Mon, never', undefined],
    ['', undefined],
    [null, undefined],
    [undefined, undefined],
  ])('%j asks for %s ms', (header, ms) => {
    expect(parseRetryAfter(header, NOW)).toBe(ms);
  });
});

describe('a signal that follows another one', () => {
  it('aborts with it, for its reason, now or from the beginning', () => {
    const leader = new AbortController();
    const early = new FollowingSignal(leader.signal);
    expect(early.signal.aborted).toBe(false);
    leader.abort('the end');
    const late = new FollowingSignal(leader.signal);
    expect([early.signal.reason, late.signal.reason]).toEqual(['the end', 'the end']);
  });

  it('aborts by itself, and the other one does not', () => {
    const leader = new AbortController();
    const following = new FollowingSignal(leader.signal);
    following.abort();
    expect([following.signal.aborted, leader.signal.aborted]).toEqual([true, false]);
  });

  it('hears nothing once it is released', () => {
    const leader = new AbortController();
    const following = new FollowingSignal(leader.signal);
    following.release();
    leader.abort();
    expect(following.signal.aborted).toBe(false);
  });
});
