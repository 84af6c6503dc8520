import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the ledger is written: on the main thread, in a thread of its own, or wherever the disk lets it. */
export type HostChoice = 'auto' | 'inline' | 'thread';

/** What an fsync may cost for the main thread to begin with: everything else waits as long. */
const MOST_FSYNC_MS = 4;
/** What groups may wait for the disk on average before they go elsewhere: a busy machine makes them wait, too. */
const MOST_WAITED_MS = 8;
/** Of how many groups, about: one that waits for so many times the average is enough. */
const GROUPS = 32;

/** Says where the main thread may wait for the disk. */
export interface Pace {
  /** Measures a directory before the ledger is opened. */
  isFast(dir: string): Promise<boolean>;
  /** @returns true: the disk has become too slow */
  note(waitedMs: number): boolean;
  beginAnew(): void;
}

/** By what an fsync costs at the start, and by how long groups wait then, averaged over the last ones. */
export class DiskPace implements Pace {
  #waitedMs = 0;

  async isFast(dir: string): Promise<boolean> {
    return (await measureFsync(dir)) <= MOST_FSYNC_MS;
  }

  note(waitedMs: number): boolean {
    this.#waitedMs += (waitedMs - this.#waitedMs) / GROUPS;
    return this.#waitedMs > MOST_WAITED_MS;
  }

  beginAnew(): void {
    this.#waitedMs = 0;
  }
}

const PROBES = 5;
/** Nothing more has to be known then. */
const MOST_MEASURING_MS = 100;
const PROBE_BYTES = 4096;

/**
 * Measures what an fsync costs in a directory, beside the event loop: in milliseconds, the second best of a few, since a
 * busy machine delays some. A directory that cannot be measured is left to the opening to complain of.
 */
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
