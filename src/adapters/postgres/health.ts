import type { Clock } from '../../hooks/ports/clock.ts';
import { LedgerUnavailable } from '../../hooks/ports/ledger.ts';
import type { LedgerLog, StoreState } from '../../hooks/ports/ledger.ts';
import { integer } from '../stored/rows.ts';
import type { Database } from './connection.ts';

/** How long a store that could not take an event counts as not ready; as long as `Retry-After` says. */
const TROUBLE_MS = 5000;
const SLOW_COMMIT_MS = 1000;
const MINUTE_MS = 60_000;

const SIZE = `SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint AS bytes FROM pg_class
  WHERE relnamespace = $1::text::regnamespace AND relkind = 'r'`;

/** How the database is doing, as far as this instance sees it. */
export class PostgresHealth {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #log: LedgerLog;
  #commits = 0;
  #commitMs = 0;
  /** Of the minute that began at `since`, and of the one before. */
  #slowest = { since: 0, ms: 0, beforeMs: 0 };
  #warnedAt = -Infinity;
  #failedAt = -Infinity;

  constructor(database: Database, clock: Clock, log: LedgerLog) {
    this.#database = database;
    this.#clock = clock;
    this.#log = log;
  }

  /** A group of events took so long. */
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
      `the database is slow: accepting took ${(ms / 1000).toFixed(1)} s, and senders wait as long`,
    );
  }

  /** An event could not be stored. */
  failed(): void {
    this.#failedAt = this.#clock.elapsed();
  }

  /** By writing: a full disk or a standby shows only then. @throws LedgerUnavailable */
  async check(): Promise<void> {
    await this.#database.query(
      `INSERT INTO @schema.meta VALUES ('probed', $1)
       ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
      [String(this.#clock.now())],
    );
    if (this.#clock.elapsed() - this.#failedAt < TROUBLE_MS) {
      throw new LedgerUnavailable('an event could not be stored a moment ago');
    }
  }

  async state(): Promise<StoreState> {
    const [size] = await this.#database.query(SIZE, [this.#database.schema]);
    return {
      damage: null,
      commits: this.#commits,
      commitSeconds: this.#commitMs / 1000,
      slowestCommitSeconds: Math.max(this.#slowest.ms, this.#slowest.beforeMs) / 1000,
      ledgerBytes: integer(size!, 'bytes'),
      // The log is that of the whole server, and so is its disk.
      logBytes: 0,
      freeBytes: null,
    };
  }
}
