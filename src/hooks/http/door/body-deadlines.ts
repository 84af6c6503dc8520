import type { Clock } from '../../ports/index.ts';

interface Deadline {
  readonly at: number;
  readonly onLate: () => void;
}

/** One timer for all bodies that are being read: almost all end long before, and then cost no timer of their own. */
export class BodyDeadlines {
  readonly #open = new Set<Deadline>();
  #sleep: { readonly until: number; readonly waking: AbortController } | undefined;

  constructor(private readonly clock: Clock) {}

  /** Calls `onLate` after `ms`, unless the returned deadline is met. */
  begin(ms: number, onLate: () => void): Deadline {
    const deadline = { at: this.clock.now() + ms, onLate };
    this.#open.add(deadline);
    if (this.#sleep === undefined) void this.#watch();
    else if (deadline.at < this.#sleep.until) this.#sleep.waking.abort();
    return deadline;
  }

  met(deadline: Deadline): void {
    this.#open.delete(deadline);
  }

  /** All at once, whatever the time. */
  expireAll(): void {
    this.#expire(Infinity);
  }

  async #watch(): Promise<void> {
    while (this.#open.size > 0) {
      const until = this.#earliest();
      const waking = new AbortController();
      this.#sleep = { until, waking };
      await this.clock.wait(until - this.clock.now(), waking.signal);
      this.#expire(this.clock.now());
    }
    this.#sleep = undefined;
  }

  #earliest(): number {
    let earliest = Infinity;
    for (const { at } of this.#open) earliest = Math.min(earliest, at);
    return earliest;
  }

  #expire(now: number): void {
    for (const deadline of this.#open) {
      if (deadline.at > now) continue;
      this.#open.delete(deadline);
      deadline.onLate();
    }
  }
}
