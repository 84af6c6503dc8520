import type { Clock } from '../../hooks/ports/clock.ts';
import type { ReaderCalls } from './calls.ts';
import { ThreadLink } from './thread-link.ts';
import type { Caller } from './thread-link.ts';
import { startThread } from './threads.ts';

/** The reading thread: begun with the first question, begun anew after it broke. */
export class ReaderThread implements Caller<ReaderCalls> {
  readonly #dir: string;
  readonly #clock: Clock;
  #link: ThreadLink<ReaderCalls> | null = null;
  #closed = false;

  constructor(dir: string, clock: Clock) {
    this.#dir = dir;
    this.#clock = clock;
  }

  get waiting(): number {
    return this.#link?.waiting ?? 0;
  }

  call<K extends keyof ReaderCalls>(
    name: K,
    ...args: ReaderCalls[K]['args']
  ): Promise<ReaderCalls[K]['result']> {
    return this.#alive().call(name, ...args);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#link?.close();
  }

  #alive(): ThreadLink<ReaderCalls> {
    if (this.#link !== null && (this.#link.isAlive || this.#closed)) return this.#link;
    const worker = startThread('reader', { dir: this.#dir, now: this.#clock.now() });
    this.#link = new ThreadLink(worker, this.#clock);
    return this.#link;
  }
}
