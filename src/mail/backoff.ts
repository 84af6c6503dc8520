/** Waits that double from one failure to the next, half of each left to chance so that nobody knocks in step. */
export class Backoff {
  #failures = 0;

  /**
   * @param firstMs longest first wait, in milliseconds
   * @param mostMs longest wait of all
   */
  constructor(
    private readonly firstMs: number,
    private readonly mostMs: number,
  ) {}

  /** How long to wait after one more failure, in milliseconds. */
  next(): number {
    const longest = Math.min(this.firstMs * 2 ** Math.min(this.#failures, 30), this.mostMs);
    this.#failures += 1;
    return longest / 2 + (Math.random() * longest) / 2;
  }

  /** Something worked: the next failure is a first one again. */
  reset(): void {
    this.#failures = 0;
  }
}
