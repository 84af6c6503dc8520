import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const ID_BYTES = 16;
/** How many ids of one millisecond the 12 bits beside it can count. */
const PER_MILLISECOND = 4096;
const RANDOM_BITS = 20;

/** UUIDv7s that rise by their first 60 bits, milliseconds and a count, which goes on where the clock was set back. */
export class RisingIds {
  readonly #now: () => number;
  #millisecond = -Infinity;
  #count = 0;

  /** @param now epoch milliseconds. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  next(): string {
    this.#advance();
    const random = drawRandomBytes(ID_BYTES);
    const low = (random[6]! << 16) | (random[7]! << 8) | random[8]!;
    const seq = (this.#count << RANDOM_BITS) | (low & ((1 << RANDOM_BITS) - 1));
    return v7({ random, msecs: this.#millisecond, seq });
  }

  /** Whatever comes next is later than this one, which an earlier process made. */
  continueAfter(id: string): void {
    const millisecond = parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
    const count = parseInt(id.slice(15, 18), 16);
    if (millisecond < this.#millisecond) return;
    this.#count = millisecond > this.#millisecond ? count : Math.max(count, this.#count);
    this.#millisecond = millisecond;
  }

  #advance(): void {
    const now = this.#now();
    this.#count += 1;
    if (now > this.#millisecond) {
      this.#millisecond = now;
      this.#count = 0;
    } else if (this.#count === PER_MILLISECOND) {
      this.#millisecond += 1;
      this.#count = 0;
    }
  }
}

/** One for the process: ids of two ledgers in it never meet either. */
const ids = new RisingIds();

/** A UUIDv7 that is later than every one before it. Events, runs and deliveries have one. */
export function newId(): string {
  return ids.next();
}

export function continueIdsAfter(id: string): void {
  ids.continueAfter(id);
}

/** Random bytes for what is made often: asking the system for a few at a time costs more than what they are for. */
const POOL = Buffer.allocUnsafeSlow(4096);
let used = POOL.length;

/**
 * Random bytes that nobody can guess and nobody else gets.
 * @param count at most 4096
 * @returns a part of a pool: use it before the next call, and do not keep it.
 */
export function drawRandomBytes(count: number): Buffer {
  if (used + count > POOL.length) {
    randomFillSync(POOL);
    used = 0;
  }
  return POOL.subarray(used, (used += count));
}
