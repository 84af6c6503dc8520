import { Injectable } from '@nestjs/common';
import { Clock, Refusals } from '../../hooks/index.ts';

/** How many a message tells of: what a screen shows. */
const TOLD = 50;
/** Refusals are recorded no more often. */
const LOOKS_EVERY_MS = 1000;

/**
 * The newest refusals, told whenever they are others than before. While anybody listens, one read of the ledger a second
 * serves all who do, whatever comes: requests, which may be refused by the thousand, know nothing of it, and sums grow
 * without a row of their own.
 */
@Injectable()
export class RefusalFeed {
  readonly #wakes = new Set<() => void>();
  #latest: string | null = null;
  #isLooking = false;
  #pause = new AbortController();

  constructor(
    private readonly refusals: Refusals,
    private readonly clock: Clock,
  ) {}

  /**
   * Server-sent events `refusals`, the first at once, unless there are none.
   * @param signal ends it, also while nothing happens
   */
  async *follow(signal: AbortSignal): AsyncGenerator<string, void> {
    let told: string | null = null;
    let wake = (): void => {};
    const wakeUp = (): void => wake();
    this.#wakes.add(wakeUp);
    signal.addEventListener('abort', wakeUp, { once: true });
    void this.#look();
    try {
      while (!signal.aborted) {
        if (this.#latest !== null && this.#latest !== told) {
          told = this.#latest;
          yield told;
        } else {
          await new Promise<void>((resolve) => (wake = resolve));
        }
      }
    } finally {
      this.#wakes.delete(wakeUp);
      if (this.#wakes.size === 0) this.#pause.abort();
    }
  }

  /** Until nobody listens any more. */
  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    while (this.#wakes.size > 0) {
      // A ledger that cannot be read ends the stream of events, or can be read a second later.
      const found = await this.refusals.list({ limit: TOLD }).catch(() => null);
      if (found !== null && found.refusals.length > 0) {
        const data = JSON.stringify({ refusals: found.refusals });
        this.#latest = `event: refusals\ndata: ${data}\n\n`;
      }
      for (const wake of this.#wakes) wake();
      this.#pause = new AbortController();
      await this.clock.wait(LOOKS_EVERY_MS, this.#pause.signal);
    }
    this.#latest = null;
    this.#isLooking = false;
  }
}
