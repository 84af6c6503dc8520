import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Clock } from '../../ports/index.ts';
import { BoundedFailureStorage, MAX_TRACKED_CLIENTS } from './bounded-failure-storage.ts';

class StillClock extends Clock {
  ms = 1_000_000;

  override now(): number {
    return this.ms;
  }

  override async wait(): Promise<void> {}
}

const clock = new StillClock();
const fail = (
  storage: BoundedFailureStorage,
  key: string,
): ReturnType<BoundedFailureStorage['increment']> => storage.increment(key, 60_000, 3, 30_000);

/** What is still in reach, in bytes: garbage is collected before. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('the garbage collector cannot be called');
  collect();
  return process.memoryUsage().heapUsed;
}

describe('BoundedFailureStorage', () => {
  it('the failure that reaches the limit locks and is itself not blocked', async () => {
    const storage = new BoundedFailureStorage(clock);
    const blocked = [];
    for (let time = 0; time < 4; time += 1) blocked.push((await fail(storage, 'a')).isBlocked);
    expect(blocked).toEqual([false, false, false, true]);
    expect(await storage.lockedSeconds('a')).toBe(30);
    expect(await storage.lockedSeconds('b')).toBe(0);
  });

  it('a lock that is over leaves nothing behind', async () => {
    const storage = new BoundedFailureStorage(clock);
    for (let time = 0; time < 3; time += 1) await fail(storage, 'a');
    clock.ms += 30_000;
    expect(await storage.lockedSeconds('a')).toBe(0);
    expect((await fail(storage, 'a')).totalHits).toBe(1);
  });

  it('tracks nothing until something failed, nor after it was cleared', async () => {
    const storage = new BoundedFailureStorage(clock);
    expect(storage.mayTrackAny).toBe(false);
    await fail(storage, 'a');
    expect(storage.mayTrackAny).toBe(true);
    await storage.clear('a');
    expect(storage.mayTrackAny).toBe(false);
  });

  it('forgets everything once nothing of it matters any more', async () => {
    const storage = new BoundedFailureStorage(clock);
    for (let client = 0; client < 100; client += 1) await fail(storage, `old-${client}`);
    clock.ms += 60_000;
    expect(storage.mayTrackAny).toBe(false);
    expect(storage.size).toBe(0);
  });

  it('1,000,000 addresses: never more than the cap, the youngest are kept, little memory', async () => {
    const storage = new BoundedFailureStorage(clock);
    const before = heapInUse();
    for (let client = 0; client < 1_000_000; client += 1) await fail(storage, `10.${client}`);
    expect(storage.size).toBeLessThanOrEqual(MAX_TRACKED_CLIENTS);
    expect(storage.size).toBeGreaterThanOrEqual(MAX_TRACKED_CLIENTS / 2);
    expect((await fail(storage, '10.999999')).totalHits).toBe(2);
    expect((await fail(storage, '10.0')).totalHits).toBe(1);
    expect(heapInUse() - before).toBeLessThan(20_000_000);
  });
});
