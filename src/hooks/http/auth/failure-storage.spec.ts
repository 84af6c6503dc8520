import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ManualClock } from '../../../../test/support/clocks.ts';
import { BoundedFailureStorage, MAX_TRACKED_KEYS } from './failure-storage.ts';

const clock = new ManualClock();
const fail = (
  storage: BoundedFailureStorage,
  key: string,
): ReturnType<BoundedFailureStorage['increment']> => storage.increment(key, 60_000, 3, 30_000);

function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('the garbage collector cannot be called');
  collect();
  return process.memoryUsage().heapUsed;
}

describe('BoundedFailureStorage, the contract of @nestjs/throttler', () => {
  it.each([-86_400_000, 86_400_000])(
    'a block lasts as long when the clock is set by %i',
    async (step) => {
      const storage = new BoundedFailureStorage(clock);
      for (let time = 0; time < 4; time += 1) await fail(storage, 'a');
      clock.jump(step);
      clock.advance(29_000);
      expect(await fail(storage, 'a')).toMatchObject({ isBlocked: true, timeToBlockExpire: 1 });
      clock.advance(1000);
      expect(await fail(storage, 'a')).toMatchObject({ isBlocked: false });
    },
  );

  it('forgets what failed longer ago than the window', async () => {
    const storage = new BoundedFailureStorage(clock);
    for (let time = 0; time < 3; time += 1) await fail(storage, 'a');
    clock.advance(60_000);
    expect(await fail(storage, 'a')).toMatchObject({ totalHits: 1, isBlocked: false });
  });

  it('1,000,000 addresses: never more than the cap, the youngest are kept, little memory', async () => {
    const storage = new BoundedFailureStorage(clock);
    const before = heapInUse();
    for (let client = 0; client < 1_000_000; client += 1) await fail(storage, `10.${client}`);
    expect(storage.size).toBeLessThanOrEqual(MAX_TRACKED_KEYS);
    expect(storage.size).toBeGreaterThanOrEqual(MAX_TRACKED_KEYS / 2);
    expect((await fail(storage, '10.999999')).totalHits).toBe(2);
    expect((await fail(storage, '10.0')).totalHits).toBe(1);
    expect(heapInUse() - before).toBeLessThan(20_000_000);
  });
});
