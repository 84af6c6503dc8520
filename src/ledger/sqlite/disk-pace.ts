import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** What an fsync may cost for the main thread to wait for it, in milliseconds: everything else waits as long. */
const MOST_MS = 10;
/** Commits in the average, about: one that takes so many times the most is enough. */
const COMMITS = 32;

export async function isFast(dir: string): Promise<boolean> {
  return (await measureFsync(dir)) < MOST_MS;
}

export class DiskPace {
  #meanMs = 0;
  #wasSlow = false;

  /** @returns true, once: the disk has become too slow for the main thread */
  note(commitMs: number): boolean {
    this.#meanMs += (commitMs - this.#meanMs) / COMMITS;
    if (this.#wasSlow || this.#meanMs <= MOST_MS) return false;
    this.#wasSlow = true;
    return true;
  }
}

const PROBES = 5;
/** Nothing more has to be known then. */
const MOST_MEASURING_MS = 100;
const PROBE_BYTES = 4096;

/** In ms, beside the event loop: the second best of a few. What cannot be measured is left to the opening. */
async function measureFsync(dir: string): Promise<number> {
  const path = join(dir, 'probe');
  const took: number[] = [];
  try {
    const file = await open(path, 'w', 0o600);
    try {
      for (let n = 0; n < PROBES; n += 1) {
        await file.write(Buffer.alloc(PROBE_BYTES), 0, PROBE_BYTES, n * PROBE_BYTES);
        const began = performance.now();
        await file.sync();
        took.push(performance.now() - began);
        if (took.reduce((sum, ms) => sum + ms) > MOST_MEASURING_MS) break;
      }
    } finally {
      await file.close();
      await rm(path, { force: true });
    }
  } catch {
    return 0;
  }
  const [best = 0, second = best] = took.toSorted((a, b) => a - b);
  return second;
}
