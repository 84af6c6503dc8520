/** The guest's own time stands still at the request's; the host's runs on until the deadline. */
export class GuestClock {
  /** Epoch milliseconds that `Date.now()` gives in the guest. */
  now = 0;
  #deadline = Infinity;
  #wasOver = false;

  /** Begins a call. */
  start(now: number, timeoutMs: number): void {
    this.now = Math.trunc(now);
    this.#deadline = performance.now() + timeoutMs;
    this.#wasOver = false;
  }

  /** True once somebody saw the deadline pass: what the guest says afterwards is not an answer. */
  get wasOver(): boolean {
    return this.#wasOver;
  }

  isOver(): boolean {
    this.#wasOver ||= performance.now() > this.#deadline;
    return this.#wasOver;
  }
}
