import type { Clock } from '../../hooks/ports/clock.ts';
import { LedgerUnavailable } from '../../hooks/ports/ledger.ts';
import type { Caller } from '../calls.ts';
import { FRESH_READS, READS, WRITES } from '../core.ts';
import type { FreshReads, Reads, Writes } from '../core.ts';
import { DirectCalls } from './direct-calls.ts';
import type { SearchFollower } from '../search-follower.ts';
import type { Database } from './connection.ts';
import type { PostgresHealth } from './health.ts';
import type { Instance } from './instance.ts';
import type { ActivityRecord } from './operating/activity.ts';
import type { Wakeups } from './wakeups.ts';

type Parts = Pick<
  PostgresStore,
  'database' | 'clock' | 'instance' | 'wakeups' | 'health' | 'activity' | 'follower'
>;

/**
 * What the ports of an open ledger share: one object, made by open-ledger.ts, which every port is given. It has no
 * behaviour but to say whether the ledger is still open; each port asks for that before its first statement, so that a
 * call after the end gets a sentence instead of an error of a pool that is gone.
 */
export class PostgresStore {
  readonly database: Database;
  readonly clock: Clock;
  readonly instance: Instance;
  readonly wakeups: Wakeups;
  readonly health: PostgresHealth;
  readonly activity: ActivityRecord;
  readonly reads: Caller<Reads>;
  readonly freshReads: Caller<FreshReads>;
  readonly writes: Caller<Writes>;
  /** Null: events cannot be searched. */
  readonly follower: SearchFollower | null;
  #isClosed = false;

  constructor(parts: Parts) {
    this.database = parts.database;
    this.clock = parts.clock;
    this.instance = parts.instance;
    this.wakeups = parts.wakeups;
    this.health = parts.health;
    this.activity = parts.activity;
    this.follower = parts.follower;
    const { database, clock, wakeups } = parts;
    this.reads = new DirectCalls<Reads>(READS, database, clock, null);
    this.freshReads = new DirectCalls<FreshReads>(FRESH_READS, database, clock, null);
    this.writes = new DirectCalls<Writes>(WRITES, database, clock, (lanes, events) =>
      wakeups.changed(lanes, events),
    );
  }

  /** @throws LedgerUnavailable once it was closed */
  checkOpen(): void {
    if (this.#isClosed) throw new LedgerUnavailable('the ledger is closed');
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Nothing new is taken from now on. */
  end(): void {
    this.#isClosed = true;
  }
}
