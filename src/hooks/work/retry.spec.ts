import * as fc from 'fast-check';
import { BROKEN_RETRY, DELIVERY_RETRY, TURN_RETRY, nextAttempt } from './retry.ts';

const TURNS = { ...TURN_RETRY, maxAgeMs: 24 * 3_600_000 };
const policies = fc.constantFrom(TURNS, BROKEN_RETRY, DELIVERY_RETRY);

function delay(...[policy, lease, now, retryAfterMs]: Parameters<typeof nextAttempt>): number {
  const end = nextAttempt(policy, lease, now, retryAfterMs);
  return end.type === 'retry' ? end.at - now : Number.NaN;
}

describe('nextAttempt (issue 2: retries with backoff for retryable failures)', () => {
  it('waits between half of the doubled delay and all of it, up to the longest', () => {
    const counts = fc.integer({ min: 0, max: 39 });
    expect(() =>
      fc.assert(
        fc.property(counts, (failures) => {
          const full = Math.min(1000 * 2 ** failures, 900_000);
          const ms = delay(DELIVERY_RETRY, { failures, since: 0 }, 0);
          return ms >= full / 2 && ms <= full;
        }),
      ),
    ).not.toThrow();
  });

  it('asks for whole milliseconds, which is all that ledgers store', () => {
    const afters = fc.double({ min: 0, max: 1e6, noNaN: true });
    expect(() =>
      fc.assert(
        fc.property(policies, afters, (policy, after) =>
          Number.isInteger(delay(policy, { failures: 0, since: 0 }, 0, after)),
        ),
      ),
    ).not.toThrow();
  });

  it('is never earlier than the other side asked for', () => {
    expect(delay(TURNS, { failures: 0, since: 0 }, 0, 90_000)).toBe(90_000);
  });

  it('does not send many failures back together', () => {
    const delays = Array.from({ length: 50 }, () =>
      delay(DELIVERY_RETRY, { failures: 9, since: 0 }, 0),
    );
    expect(new Set(delays).size).toBeGreaterThan(5);
  });

  it('gives up what is broken at its eighth attempt', () => {
    expect(nextAttempt(BROKEN_RETRY, { failures: 6, since: 0 }, 0).type).toBe('retry');
    expect(nextAttempt(BROKEN_RETRY, { failures: 7, since: 0 }, 0)).toEqual({ type: 'dead' });
  });

  it('lets a turn wait for ten minutes at most', () => {
    expect(delay(TURNS, { failures: 99, since: 0 }, 0)).toBeLessThanOrEqual(600_000);
  });

  it('counts the day from the retry of an operator', () => {
    const day = 24 * 3_600_000;
    const lease = { failures: 0, since: 3 * day };
    expect(nextAttempt(TURNS, lease, 3 * day + 1).type).toBe('retry');
  });

  it('gives up what would be older than a day, however often it was tried', () => {
    const day = 24 * 3_600_000;
    expect(nextAttempt(DELIVERY_RETRY, { failures: 89, since: 0 }, day - 900_000).type).toBe(
      'retry',
    );
    expect(nextAttempt(DELIVERY_RETRY, { failures: 89, since: 0 }, day)).toEqual({
      type: 'dead',
    });
    expect(nextAttempt(TURNS, { failures: 0, since: 0 }, 0, day + 1)).toEqual({
      type: 'dead',
    });
  });
});
