/** Waits that double from one failure to the next. */
export interface BackoffLimits {
  /** Longest wait after the first failure, in milliseconds. */
  readonly firstMs: number;
  /** Longest wait of all, in milliseconds. */
  readonly maxMs: number;
  /**
   * Share of a wait that is left to chance, 0 to 1, so that many who failed together do not come back together: with
   * 0.5 a wait of 10 s lasts 5 to 10 s. @default 0
   */
  readonly jitter?: number;
}

/** How long to wait, in milliseconds, not rounded, after `failures` earlier failures: 0 for the first. */
export function backoffMs({ firstMs, maxMs, jitter = 0 }: BackoffLimits, failures: number): number {
  return Math.min(firstMs * 2 ** failures, maxMs) * (1 - Math.random() * jitter);
}

/** A backoff that counts the failures itself, for loops that keep no account of their own. */
export class Backoff {
  #failures = 0;

  constructor(private readonly limits: BackoffLimits) {}

  /** How long to wait after one more failure, in milliseconds. */
  next(): number {
    return backoffMs(this.limits, this.#failures++);
  }

  /** Something worked: the next failure is a first one again. */
  reset(): void {
    this.#failures = 0;
  }
}

/**
 * What a `Retry-After` header asks for, in milliseconds from `now`: whole or broken seconds, or an HTTP date (one in
 * the past asks for 0). Undefined when it is absent or cannot be read.
 * @param now in epoch milliseconds.
 */
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
