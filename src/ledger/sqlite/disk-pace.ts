import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** What an fsync may cost for the main thread to wait for it, in milliseconds: everything else waits as long. */
const MOST_MS = 10;
/** So many fast ones show that the disk is fast: waiting for a core makes others slower, and none faster. */
const ENOUGH = 2;
const MOST_PROBES = 20;
/** From then on nothing is measured any more. */
const MOST_MEASURING_MS = 300;
const PROBE_BYTES = 4096;
/** Of so many commits in a row not one is fast on a slow disk, however busy the cores are. */
const COMMITS = 32;

/** Whether the main thread may wait for fsyncs in this directory. What cannot be measured is left to the opening. */
export async function isFast(dir: string): Promise<boolean> {
  const path = join(dir, 'probe');
  try {
    const file = await open(path, 'w', 0o600);
    try {
      return await hasFastSync(async (nth) => {
        await file.write(Buffer.alloc(PROBE_BYTES), 0, PROBE_BYTES, nth * PROBE_BYTES);
        const began = performance.now();
        await file.sync();
        return performance.now() - began;
      });
    } finally {
      await file.close();
      await rm(path, { force: true });
    }
  } catch {
    return true;
  }
}

/** @param measure how long an fsync takes, in milliseconds */
export async function hasFastSync(measure: (nth: number) => Promise<number>): Promise<boolean> {
  let fast = 0;
  let sumMs = 0;
  for (let nth = 0; nth < MOST_PROBES && sumMs < MOST_MEASURING_MS; nth += 1) {
    const ms = await measure(nth);
    sumMs += ms;
    if (ms < MOST_MS) fast += 1;
    if (fast === ENOUGH) return true;
  }
  return false;
}

export class DiskPace {
  #slow = 0;

  /** @returns true, once: the disk has become too slow for the main thread */
  note(commitMs: number): boolean {
    if (this.#slow >= COMMITS) return false;
    this.#slow = commitMs < MOST_MS ? 0 : this.#slow + 1;
    return this.#slow === COMMITS;
  }
}
