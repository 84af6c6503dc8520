import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const ID_BYTES = 16;

/** Asking the system for randomness once per id would cost more than the rest of it. */
const pool = new Uint8Array(256 * ID_BYTES);
let used = pool.length;

/** A UUIDv7: unique, and sorted by the millisecond it was made in. Events, runs and deliveries have one. */
export function newId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return v7({ random: pool.subarray(used, (used += ID_BYTES)) });
}
