import type { Change, Lease, StepOutcome, Clock } from '../ports/index.ts';

/** How a step ended: what becomes of its work, and its effects. The loop writes both in one commit. */
export interface StepResult {
  readonly outcome: StepOutcome;
  /** In the order in which they take effect. */
  readonly changes: readonly Change[];
}

/** One kind of work. A step decides and writes nothing itself; the loop commits what it decided. */
export interface Step<L extends Lease> {
  /**
   * A step that rejects is broken by a fault of ours: the loop tries it again for a while, unless it rejected with
   * {@link Unrepeatable}.
   * @param stop aborts when the service stops; the step then ends as interrupted, to be begun again by the next start.
   */
  perform(lease: L, stop: AbortSignal): Promise<StepResult>;

  /** What is left to do and to say when {@link perform} broke for the last time. */
  giveUp(lease: L, reason: string): StepResult;
}

/** A step broke after its agent was asked, and the agent must not be asked twice. */
export class Unrepeatable extends Error {
  override readonly name = 'Unrepeatable';

  /** @param cause what broke. */
  constructor(cause: unknown) {
    super('a step broke after its turn', { cause });
  }
}

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
