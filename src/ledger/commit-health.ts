import type { Clock } from '../hooks/ports/clock.ts';
import { LedgerUnavailable } from '../hooks/ports/ledger.ts';
import type { LedgerLog, StoreState } from '../hooks/ports/ledger.ts';

/** How long a store that could not take an event counts as not ready; as long as `Retry-After` says. */
const TROUBLE_MS = 5000;
const SLOW_COMMIT_MS = 1000;
const MINUTE_MS = 60_000;

export class CommitHealth {
  readonly #clock: Clock;
  readonly #log: LedgerLog;
  readonly #whatIsSlow: string;
  #commits = 0;
  #commitMs = 0;
  /** Of the minute that began at `since`, and of the one before. */
  #slowest = { since: 0, ms: 0, beforeMs: 0 };
  #warnedAt = -Infinity;
  #failedAt = -Infinity;
  #saidAt = -Infinity;

  /** @param whatIsSlow begins the warning of a slow commit: `the disk is slow: a commit to the ledger` took so long */
  constructor(clock: Clock, log: LedgerLog, whatIsSlow: string) {
    this.#clock = clock;
    this.#log = log;
    this.#whatIsSlow = whatIsSlow;
  }

  committed(ms: number): void {
    this.#commits += 1;
    this.#commitMs += ms;
    this.#noteSlow(ms, (seconds) => `took ${seconds} s, and senders wait as long`);
  }

  /** What events wait for has taken so long, and is not over: a disk that hangs may never end it. */
  waiting(ms: number): void {
    if (ms < SLOW_COMMIT_MS) return;
    this.#noteSlow(ms, (seconds) => `has taken ${seconds} s so far, and senders wait`);
  }

  #noteSlow(ms: number, describe: (seconds: string) => string): void {
    const now = this.#clock.elapsed();
    if (now - this.#slowest.since > MINUTE_MS) {
      this.#slowest = { since: now, ms: 0, beforeMs: this.#slowest.ms };
    }
    this.#slowest.ms = Math.max(this.#slowest.ms, ms);
    if (ms < SLOW_COMMIT_MS || now - this.#warnedAt < MINUTE_MS) return;
    this.#warnedAt = now;
    this.#log.warn(`${this.#whatIsSlow} ${describe((ms / 1000).toFixed(1))}`);
  }

  /** An event could not be stored; said once a minute at most. @param reason as the store says it */
  failed(reason: string): void {
    const now = this.#clock.elapsed();
    this.#failedAt = now;
    if (now - this.#saidAt < MINUTE_MS) return;
    this.#saidAt = now;
    this.#log.error(`events cannot be stored, and senders are told to retry: ${reason}`);
  }

  /** @throws LedgerUnavailable while the next event cannot be expected to be stored either */
  checkCommits(): void {
    if (this.#clock.elapsed() - this.#failedAt < TROUBLE_MS) {
      throw new LedgerUnavailable('an event could not be stored a moment ago');
    }
  }

  /** Since the start; the slowest of this minute and the one before. */
  protected get figures(): Pick<StoreState, 'commits' | 'commitSeconds' | 'slowestCommitSeconds'> {
    return {
      commits: this.#commits,
      commitSeconds: this.#commitMs / 1000,
      slowestCommitSeconds: Math.max(this.#slowest.ms, this.#slowest.beforeMs) / 1000,
    };
  }
}
