import { SystemClock } from '../hooks/index.ts';
import { OVER } from '../platform/time.ts';

interface Waiter {
  /** By {@link MovableClock.elapsed}. */
  readonly dueAt: number;
  readonly begin: () => void;
}

/**
 * The machine's own time, which a test moves on: what is due by then happens at once.
 * @example
 * const clock = new MovableClock();
 * HooksModule.forRoot({ clock, … });
 * clock.move(3_600_000);
 * @publicApi
 */
export class MovableClock extends SystemClock {
  #moved = 0;
  readonly #waiters = new Set<Waiter>();

  override now(): number {
    return super.now() + this.#moved;
  }

  override elapsed(): number {
    return super.elapsed() + this.#moved;
  }

  override wait(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const dueAt = this.elapsed() + ms;
    let timer = new AbortController();
    const begin = (): void => {
      timer.abort(OVER);
      const mine = (timer = new AbortController());
      void super.wait(dueAt - this.elapsed(), mine.signal).then(() => mine === timer && end());
    };
    const waiter = { dueAt, begin };
    const end = (): void => {
      this.#waiters.delete(waiter);
      timer.abort(OVER);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    this.#waiters.add(waiter);
    signal?.addEventListener('abort', end, { once: true });
    begin();
    return promise;
  }

  /** @param ms how far, in milliseconds, over 0 */
  move(ms: number): void {
    if (!(ms > 0)) throw new RangeError('a clock is moved on, by more than 0 milliseconds');
    this.#moved += ms;
    const waiters = [...this.#waiters].toSorted((one, other) => one.dueAt - other.dueAt);
    for (const { begin } of waiters) begin();
  }
}
