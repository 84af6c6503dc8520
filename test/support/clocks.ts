import { Clock, SystemClock } from '../../src/hooks/ports/clock.ts';

interface Waiter {
  readonly at: number;
  readonly release: () => void;
}

export class ManualClock extends Clock {
  #now: number;
  #set = 0;
  /** Of the process, an hour before. */
  readonly #startedAt: number;
  readonly #waiters = new Set<Waiter>();

  constructor(now = Date.UTC(2026, 0, 1)) {
    super();
    this.#now = now;
    this.#startedAt = now - 3_600_000;
  }

  get waiting(): number {
    return this.#waiters.size;
  }

  now(): number {
    return this.#now + this.#set;
  }

  /** As with the system's clock another number than {@link now}: whoever takes one for the other is seen. */
  override elapsed(): number {
    return this.#now - this.#startedAt;
  }

  /** Somebody sets the time of day; no time passes. */
  jump(ms: number): void {
    this.#set += ms;
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

  /** Moves the time on and releases everybody whose time has come, the earliest first. */
  advance(ms: number): void {
    this.#now += ms;
    const due = [...this.#waiters].filter(({ at }) => at <= this.#now);
    for (const { release } of due.toSorted((a, b) => a.at - b.at)) release();
  }
}

/** For tests that are not about time: everything lasts a fraction of it, in the same order. */
export class FastClock extends Clock {
  /** Every wait that was asked for, in milliseconds. */
  readonly waits: number[] = [];
  readonly #startedAt = Date.now();
  readonly #system = new SystemClock();

  /** @param pace how many times as fast as real time: at 10 a wake's heartbeat is held back for 25 ms instead of 250 */
  constructor(private readonly pace = 10) {
    super();
  }

  now(): number {
    return this.#startedAt + (Date.now() - this.#startedAt) * this.pace;
  }

  wait(ms: number, signal?: AbortSignal): Promise<void> {
    this.waits.push(ms);
    return this.#system.wait(Math.ceil(ms / this.pace), signal);
  }
}
