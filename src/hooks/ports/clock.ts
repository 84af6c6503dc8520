/** Where all waiting and all timestamps come from, so that tests can own the time. */
export abstract class Clock {
  /** Milliseconds since the epoch. */
  abstract now(): number;

  /** Milliseconds since some moment in the past; goes on evenly when the time of day is set. @default {@link now} */
  elapsed(): number {
    return this.now();
  }

  /**
   * Resolves after `ms` milliseconds, or as soon as `signal` aborts (it never rejects); does not keep the process
   * alive.
   */
  abstract wait(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Longest delay a Node timer takes; a longer one would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** The machine's own time. */
export class SystemClock extends Clock {
  now(): number {
    return Date.now();
  }

  override elapsed(): number {
    return Math.floor(performance.now());
  }

  /** By a timer of its own: that of `node:timers/promises` makes an error with a stack for every wait that is ended. */
  wait(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, Math.min(Math.max(ms, 0), MAX_TIMER_MS)).unref();
      signal?.addEventListener('abort', end, { once: true });
    });
  }
}
