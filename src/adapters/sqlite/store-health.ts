import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import type { Clock } from '../../hooks/ports/clock.ts';
import { LedgerUnavailable } from '../../hooks/ports/ledger.ts';
import type { LedgerLog, StoreState } from '../../hooks/ports/ledger.ts';
import type { CheckResult } from './protocol.ts';
import { startThread } from './worker-client.ts';

/** Below, the next larger event may find no room, though a small one still does. */
const LEAST_FREE_BYTES = 64 * 1024 * 1024;
/** How long a store that could not take an event counts as not ready; as long as `Retry-After` says. */
const TROUBLE_MS = 5000;
const SLOW_COMMIT_MS = 1000;
const MINUTE_MS = 60_000;
/** The first look for damage comes when the start is over. */
const FIRST_CHECK_MS = 60_000;
const BETWEEN_CHECKS_MS = 86_400_000;

/** How the store is doing: what commits cost, what room is left, whether the file is sound. */
export class StoreHealth {
  readonly #dir: string | null;
  readonly #clock: Clock;
  readonly #log: LedgerLog;
  readonly #leastFreeBytes: number;
  readonly #closing = new AbortController();
  #checker: Worker | null = null;
  #damage: string | null = null;
  #commits = 0;
  #commitMs = 0;
  /** Of the minute that began at `since`, and of the one before. */
  #slowest = { since: 0, ms: 0, beforeMs: 0 };
  #warnedAt = -Infinity;
  #failedAt = -Infinity;

  /** @param dir null: in memory, where nothing fills up or rots */
  constructor(dir: string | null, clock: Clock, log: LedgerLog, leastFreeBytes = LEAST_FREE_BYTES) {
    this.#leastFreeBytes = leastFreeBytes;
    this.#dir = dir;
    this.#clock = clock;
    this.#log = log;
  }

  /** Begins to look for damage, now and then, once the ledger is open. */
  begin(): void {
    if (this.#dir !== null) void this.#watchForDamage(this.#dir);
  }

  /** A transaction of the writer took so long. */
  committed(ms: number): void {
    this.#commits += 1;
    this.#commitMs += ms;
    const now = this.#clock.elapsed();
    if (now - this.#slowest.since > MINUTE_MS) {
      this.#slowest = { since: now, ms: 0, beforeMs: this.#slowest.ms };
    }
    this.#slowest.ms = Math.max(this.#slowest.ms, ms);
    if (ms < SLOW_COMMIT_MS || now - this.#warnedAt < MINUTE_MS) return;
    this.#warnedAt = now;
    this.#log.warn(
      `the disk is slow: a commit to the ledger took ${(ms / 1000).toFixed(1)} s, and senders wait as long`,
    );
  }

  /** An event could not be stored. */
  failed(): void {
    this.#failedAt = this.#clock.elapsed();
  }

  /** @throws LedgerUnavailable when events cannot be expected to be stored, though a small write succeeds */
  async check(): Promise<void> {
    if (this.#clock.elapsed() - this.#failedAt < TROUBLE_MS) {
      throw new LedgerUnavailable('an event could not be stored a moment ago');
    }
    const free = await this.#freeBytes();
    if (free !== null && free < this.#leastFreeBytes) {
      throw new LedgerUnavailable('the disk of the ledger is nearly full: make room');
    }
  }

  /** What is known without asking the writer. */
  async state(): Promise<StoreState> {
    return {
      damage: this.#damage,
      commits: this.#commits,
      commitSeconds: this.#commitMs / 1000,
      slowestCommitSeconds: Math.max(this.#slowest.ms, this.#slowest.beforeMs) / 1000,
      ledgerBytes: await this.#sizeOf('ledger.db'),
      logBytes: await this.#sizeOf('ledger.db-wal'),
      freeBytes: await this.#freeBytes(),
    };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#checker?.terminate();
  }

  /** In a thread of its own, so that it is in nobody's way; the file is read once from end to end. */
  async #watchForDamage(dir: string): Promise<void> {
    const { signal } = this.#closing;
    await this.#clock.wait(FIRST_CHECK_MS, signal);
    while (!signal.aborted) {
      this.#damage = await this.#findDamage(dir);
      if (this.#damage !== null) {
        this.#log.error(
          `${join(dir, 'ledger.db')} is damaged (${this.#damage}): make a copy of the directory while the service is stopped, and put a backup of ledger.db in its place`,
        );
      }
      await this.#clock.wait(BETWEEN_CHECKS_MS, signal);
    }
  }

  /** Null: none, or it could not be looked for. */
  #findDamage(dir: string): Promise<string | null> {
    return new Promise((resolve) => {
      const time = { now: this.#clock.now(), elapsed: this.#clock.elapsed() };
      const checker = startThread({ role: 'checker', dir, ...time, held: [] });
      this.#checker = checker;
      checker.unref();
      checker.once('message', ({ damage }: CheckResult) => resolve(damage));
      checker.once('error', () => resolve(null));
      checker.once('exit', () => resolve(null));
    });
  }

  async #sizeOf(name: string): Promise<number> {
    if (this.#dir === null) return 0;
    try {
      return (await stat(join(this.#dir, name))).size;
    } catch {
      return 0;
    }
  }

  async #freeBytes(): Promise<number | null> {
    if (this.#dir === null) return null;
    try {
      const { bavail, bsize } = await statfs(this.#dir);
      return bavail * bsize;
    } catch {
      return null;
    }
  }
}
