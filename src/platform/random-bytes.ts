import { randomFillSync } from 'node:crypto';

/** Asking the system for a few bytes at a time would cost more than what they are for. */
const POOL = Buffer.allocUnsafeSlow(4096);
let used = POOL.length;

/** @param count at most 4096. @returns a part of a pool: use it before the next call, and do not keep it. */
export function drawRandomBytes(count: number): Buffer {
  if (used + count > POOL.length) {
    randomFillSync(POOL);
    used = 0;
  }
  return POOL.subarray(used, (used += count));
}
