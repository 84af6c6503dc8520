import { randomBytes } from 'node:crypto';
import type { Clock } from '../hooks/ports/clock.ts';

/** Changes that are remembered for those who come back after a break. */
const MOST_REMEMBERED = 10_000;
/** So long changes are noted after the last listener has left: he may come back and go on. */
const GRACE_MS = 60_000;
/** A run of notes, the place in it, and when that was, in epoch milliseconds. */
const MARK = /^([\da-f]{8})-(\d{1,15})-(\d{1,15})$/;

export interface Place {
  /** How many changes came before. */
  readonly at: number;
  /** Epoch milliseconds since which something was missed that is not remembered; null: nothing was. */
  readonly missedSince: number | null;
}

/** Which events were accepted or changed their status lately; noted only while somebody listens. `Key` names an event. */
export class ChangedEvents<Key> {
  readonly #clock: Clock;
  /** The oldest first; an event stands here as often as it changed. */
  #keys: Key[] = [];
  /** How many came before the first of {@link #keys}. */
  #dropped = 0;
  #listeners = 0;
  #graceUntil = -Infinity;
  /** Names the notes since somebody listens: marks of an earlier time mean nothing here. */
  #run = '';
  readonly #waiting = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isWatched(): boolean {
    return this.#listeners > 0 || this.#clock.elapsed() < this.#graceUntil;
  }

  get end(): number {
    return this.#dropped + this.#keys.length;
  }

  /** Listens, until the answer is disposed of, from the place of a mark; without one, or with none of ours, from the end. */
  listen(mark: string | undefined): Place & Disposable {
    if (!this.isWatched) {
      this.#run = randomBytes(4).toString('hex');
      this.#keys = [];
      this.#dropped = 0;
    }
    this.#listeners += 1;
    return {
      ...this.#placeOf(mark),
      [Symbol.dispose]: () => {
        this.#listeners -= 1;
        this.#graceUntil = this.#clock.elapsed() + GRACE_MS;
      },
    };
  }

  note(keys: readonly Key[]): void {
    if (!this.isWatched) return;
    for (const key of keys) this.#keys.push(key);
    const surplus = this.#keys.length - MOST_REMEMBERED;
    // Not for each of them: the rest would be moved as often.
    if (surplus > MOST_REMEMBERED) {
      this.#keys = this.#keys.slice(surplus);
      this.#dropped += surplus;
    }
    for (const wake of this.#waiting) wake();
  }

  /** Resolves once there is something after this place, or the signal aborts. */
  async wait(at: number, signal: AbortSignal): Promise<void> {
    if (at < this.end || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    await promise;
    this.#waiting.delete(resolve);
  }

  /** The events that changed after this place, the last one first; `more`: how many besides so many. */
  after(at: number, most: number): { keys: Key[]; more: number } {
    const changed = new Set(this.#keys.slice(Math.max(0, at - this.#dropped)).toReversed());
    const keys = [...changed].slice(0, most);
    return { keys, more: changed.size - keys.length };
  }

  markOf(at: number): string {
    return `${this.#run}-${at}-${this.#clock.now()}`;
  }

  #placeOf(mark: string | undefined): Place {
    const [, run, at, since] = MARK.exec(mark ?? '') ?? [];
    if (run === undefined) return { at: this.end, missedSince: null };
    const place = Number(at);
    if (run === this.#run && place >= this.#dropped && place <= this.end) {
      return { at: place, missedSince: null };
    }
    return { at: this.end, missedSince: Number(since) };
  }
}
