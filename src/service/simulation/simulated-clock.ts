import { Clock } from '../../hooks/index.ts';

interface Waiter {
  readonly at: number;
  readonly release: () => void;
}

/** A clock that stands still until it is set to a later time: what is waited for in between costs nothing. */
export class SimulatedClock extends Clock {
  #now: number;
  readonly #waiters = new Set<Waiter>();

  /** @param now epoch milliseconds */
  constructor(now: number) {
    super();
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  wait(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms <= 0 || signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const release = () => {
        this.#waiters.delete(waiter);
        signal?.removeEventListener('abort', release);
        resolve();
      };
      const waiter: Waiter = { at: this.#now + ms, release };
      this.#waiters.add(waiter);
      signal?.addEventListener('abort', release, { once: true });
    });
  }

  /** When the first of those who wait is due, in epoch milliseconds; null: nobody waits. */
  get nextAt(): number | null {
    let next: number | null = null;
    for (const { at } of this.#waiters) if (next === null || at < next) next = at;
    return next;
  }

  /** Goes on to a time and releases whoever waits until then. Nothing goes back. */
  moveTo(time: number): void {
    this.#now = Math.max(this.#now, time);
    for (const { at, release } of this.#waiters) if (at <= this.#now) release();
  }
}
