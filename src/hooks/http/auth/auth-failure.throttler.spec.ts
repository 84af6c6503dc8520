import { ManualClock } from '../../../../test/support/clocks.ts';
import { HooksSettings } from '../../options/index.ts';
import { AuthFailureThrottler } from './auth-failure.throttler.ts';

/** Of a process that has just begun. */
class StartingClock extends ManualClock {
  readonly #startedAt = super.elapsed();

  override elapsed(): number {
    return super.elapsed() - this.#startedAt;
  }
}

describe('AuthFailureThrottler', () => {
  it('compares one short token a second during a lock, also in the first second of a process', async () => {
    const clock = new StartingClock();
    const settings = new HooksSettings({ authFailures: { limit: 1 } });
    const throttler = new AuthFailureThrottler(null, settings, clock);
    const client = '10.0.0.1';
    expect(await throttler.fail(client)).toBeNull();
    expect(throttler.mayCompare(client, 16)).toBeNull();
    expect(throttler.mayCompare(client, 16)).toBe(60);
    clock.advance(999);
    expect(throttler.mayCompare(client, 16)).toBe(60);
    clock.advance(1);
    expect(throttler.mayCompare(client, 16)).toBeNull();
  });
});
