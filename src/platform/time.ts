/** A length of time in the configuration: `90s`, `30m`, `2h`, `7d`; `0m` is off. */
export const DURATION = /^(\d{1,5})(s|m|h|d)$/;
export const DURATION_MESSAGE = {
  message: 'must be a number of at most five digits followed by s, m, h or d, for example 30m',
};
const UNIT_MS = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

export function durationMs(text: string): number {
  const [, amount, unit = ''] = DURATION.exec(text) ?? [];
  return Number(amount) * (UNIT_MS.get(unit) ?? 0);
}

export interface BackoffLimits {
  /** Longest wait after the first failure, in milliseconds. */
  readonly firstMs: number;
  readonly maxMs: number;
  /** Share of a wait that is left to chance, 0 to 1, so that many do not come back together. @default 0 */
  readonly jitter?: number;
}

/** How long to wait, in milliseconds, not rounded, after `failures` earlier failures: 0 for the first. */
export function backoffMs({ firstMs, maxMs, jitter = 0 }: BackoffLimits, failures: number): number {
  return Math.min(firstMs * 2 ** failures, maxMs) * (1 - Math.random() * jitter);
}

/** A backoff that counts the failures itself, for loops that keep no account of their own. */
export class Backoff {
  readonly #limits: BackoffLimits;
  #failures = 0;

  constructor(limits: BackoffLimits) {
    this.#limits = limits;
  }

  /** How long to wait after one more failure, in milliseconds. */
  next(): number {
    return backoffMs(this.#limits, this.#failures++);
  }

  reset(): void {
    this.#failures = 0;
  }
}

/** Milliseconds from `now` (epoch), for seconds or an HTTP date (past: 0). Undefined when absent or unreadable. */
export function parseRetryAfter(
  header: string | null | undefined,
  now: number,
): number | undefined {
  const value = header?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/.test(value)) return Math.round(Number(value) * 1000);
  // Date.parse also reads bare numbers such as "-5"; an HTTP date begins with the name of a day.
  const date = /^[A-Za-z]{3,9},? /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** A reason for `abort` where nobody asks: without one an exception with its stack is made each time. */
export const OVER = 'over';

interface Waiting {
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A signal that aborts with another one, or by itself: as `AbortSignal.any`, at a quarter of what that takes. */
export class FollowingSignal {
  readonly #leader: AbortSignal;
  readonly #own = new AbortController();
  readonly #follow = (): void => this.#own.abort(this.#leader.reason);

  constructor(leader: AbortSignal) {
    this.#leader = leader;
    if (leader.aborted) this.#follow();
    else leader.addEventListener('abort', this.#follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#own.signal;
  }

  abort(): void {
    this.#own.abort();
  }

  release(): void {
    this.#leader.removeEventListener('abort', this.#follow);
  }
}

/** A time limit on one attempt: its signal aborts when the limit has passed or when `stop` does. */
export class Deadline implements Disposable {
  readonly #limit: FollowingSignal;
  readonly #released = new AbortController();
  #hasPassed = false;

  constructor(clock: Waiting, ms: number, stop: AbortSignal) {
    this.#limit = new FollowingSignal(stop);
    const { signal: released } = this.#released;
    void clock.wait(ms, released).then(() => {
      if (released.aborted) return;
      this.#hasPassed = true;
      this.#limit.abort();
    });
  }

  get signal(): AbortSignal {
    return this.#limit.signal;
  }

  /** What ignores the signal costs its own step, not the queue. Begins nothing when it has aborted already. */
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
    return this.#hasPassed;
  }

  [Symbol.dispose](): void {
    this.#released.abort(OVER);
    this.#limit.release();
  }
}

/** A time as people read it: `2026-11-28 07:00 UTC`. @param at epoch milliseconds */
export function dayAndTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** One that is near: `07:00 UTC`. @param at epoch milliseconds */
export function timeOfDay(at: number): string {
  return `${new Date(at).toISOString().slice(11, 16)} UTC`;
}
