import type { Clock } from '../ports/index.ts';

/** A time limit on one step: its signal aborts when the limit has passed or when the service stops. */
export class Deadline implements Disposable {
  readonly signal: AbortSignal;
  readonly #timeout = new AbortController();
  readonly #released = new AbortController();

  constructor(clock: Clock, ms: number, stop: AbortSignal) {
    this.signal = AbortSignal.any([stop, this.#timeout.signal]);
    const { signal: released } = this.#released;
    void clock.wait(ms, released).then(() => {
      if (!released.aborted) this.#timeout.abort();
    });
  }

  /**
   * What `begin` gives, unless the signal aborts first: what ignores it costs its own step, not the queue.
   * Begins nothing when it has aborted already.
   */
  async race<T>(begin: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal } = this;
    signal.throwIfAborted();
    const { promise, reject } = Promise.withResolvers<never>();
    const onAbort = (): void => reject(new Error('aborted'));
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([begin(signal), promise]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** True once the limit was reached before the step was over. */
  get hasPassed(): boolean {
    return this.#timeout.signal.aborted;
  }

  [Symbol.dispose](): void {
    this.#released.abort();
  }
}
