import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import type { Clock } from '../../hooks/ports/clock.ts';
import { LedgerUnavailable } from '../../hooks/ports/ledger.ts';
import type { LedgerLog, StoreState } from '../../hooks/ports/ledger.ts';
import { CommitHealth } from '../commit-health.ts';
import type { CheckResult } from './protocol.ts';
import { startThread } from './thread-host.ts';

/** Below, the next larger event may find no room, though a small one still does. */
const LEAST_FREE_BYTES = 64 * 1024 * 1024;
/** The first look for damage comes when the start is over. */
const FIRST_CHECK_MS = 60_000;
const BETWEEN_CHECKS_MS = 86_400_000;

export class StoreHealth extends CommitHealth {
  readonly #dir: string | null;
  readonly #clock: Clock;
  readonly #log: LedgerLog;
  readonly #leastFreeBytes: number;
  readonly #closing = new AbortController();
  #checker: Worker | null = null;
  /** As of the last look. */
  #damage: string | null = null;
  /** What somebody met since the start; a look at the pages may not find it. */
  #met: string | null = null;

  /** @param dir null: in memory, where nothing fills up or rots */
  constructor(dir: string | null, clock: Clock, log: LedgerLog, leastFreeBytes = LEAST_FREE_BYTES) {
    super(clock, log, 'the disk is slow: a commit to the ledger');
    this.#leastFreeBytes = leastFreeBytes;
    this.#dir = dir;
    this.#clock = clock;
    this.#log = log;
  }

  begin(): void {
    if (this.#dir !== null) void this.#watchForDamage(this.#dir);
  }

  /** @throws LedgerUnavailable when events cannot be expected to be stored, though a small write succeeds */
  async check(): Promise<void> {
    this.checkCommits();
    const free = await this.#freeBytes();
    if (free !== null && free < this.#leastFreeBytes) {
      throw new LedgerUnavailable('the disk of the ledger is nearly full: make room');
    }
  }

  async state(): Promise<StoreState> {
    return {
      damage: this.#damage ?? this.#met,
      ...this.figures,
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
      if (this.#damage !== null) this.#tell(dir, this.#damage);
      await this.#clock.wait(BETWEEN_CHECKS_MS, signal);
    }
  }

  /** Somebody met it who read or wrote. Told once: the same may be asked for again and again. */
  foundDamage(reason: string): void {
    if (this.#met !== null || this.#dir === null) return;
    this.#met = reason;
    this.#tell(this.#dir, reason);
  }

  #tell(dir: string, damage: string): void {
    this.#log.error(
      `${join(dir, 'ledger.db')} is damaged (${damage}): make a copy of the directory while the service is stopped, and put a backup of ledger.db in its place`,
    );
  }

  /** Null: none, or it could not be looked for. */
  #findDamage(dir: string): Promise<string | null> {
    return new Promise((resolve) => {
      const checker = startThread({ role: 'checker', dir });
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
