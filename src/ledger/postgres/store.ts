import type { Clock } from '../../hooks/ports/clock.ts';
import { LedgerUnavailable } from '../../hooks/ports/ledger.ts';
import type { CallMap, Caller, Functions } from '../calls.ts';
import { FRESH_READS, READS, WRITES } from '../core.ts';
import type { FreshReads, Reads, Writes } from '../core.ts';
import type { SearchFollower } from '../search-follower.ts';
import type { Database } from './connection.ts';
import type { Run, Send } from './transaction.ts';
import type { PostgresHealth } from './health.ts';
import type { Instance } from './instance.ts';
import type { Memory } from '../tx.ts';
import { PostgresTx } from './statements.ts';
import type { Wakeups } from './wakeups.ts';

type Parts = Pick<
  PostgresStore,
  'database' | 'clock' | 'instance' | 'wakeups' | 'health' | 'follower'
>;

/** Each port asks whether the ledger is open first: a call after the end gets a sentence, not an error of a pool. */
export class PostgresStore {
  readonly database: Database;
  readonly clock: Clock;
  readonly instance: Instance;
  readonly wakeups: Wakeups;
  readonly health: PostgresHealth;
  readonly reads: Caller<Reads>;
  readonly freshReads: Caller<FreshReads>;
  readonly writes: Caller<Writes>;
  /** Null: events cannot be searched. */
  readonly follower: SearchFollower | null;
  /** Runs of all instances are counted, so that a run which ends here gives a place to whichever. */
  countsEverybody = false;
  #isClosed = false;

  constructor(parts: Parts) {
    this.database = parts.database;
    this.clock = parts.clock;
    this.instance = parts.instance;
    this.wakeups = parts.wakeups;
    this.health = parts.health;
    this.follower = parts.follower;
    this.reads = callerOf<Reads>(READS, (act) => act(this.alone()));
    this.freshReads = callerOf<FreshReads>(FRESH_READS, (act) => act(this.alone()));
    this.writes = callerOf<Writes>(WRITES, (act) => this.transact(act));
  }

  /** Each statement is a transaction of its own. */
  alone(): PostgresTx {
    return this.begin((sql, values) => this.database.query(sql, values));
  }

  /** @param run runs statements in a transaction of the caller's, and so does `send` */
  begin(run: Run, send?: Send, memory?: Memory): PostgresTx {
    const { database, clock, instance } = this;
    return new PostgresTx(database, run, clock.now(), instance.id, send, memory);
  }

  /** Writes all of it or nothing, and tells what has changed. */
  async transact<T>(act: (tx: PostgresTx) => T | Promise<T>): Promise<T> {
    this.checkOpen();
    const { result, tx } = await this.database.write(async (run, send) => {
      const inner = this.begin(run, send);
      return { result: await act(inner), tx: inner };
    });
    this.committed(tx);
    return result;
  }

  /** Tells what a transaction has changed, after its commit. */
  committed({ changedLanes, freedLanes, changedEvents }: PostgresTx): void {
    this.wakeups.changed([...changedLanes], Array.from(changedEvents, String));
    // A place that became free here is nobody else's, but where the runs of all are counted.
    if (this.countsEverybody) this.wakeups.changed([...freedLanes]);
    else this.wakeups.notifier.notify([...freedLanes]);
  }

  /** @throws LedgerUnavailable once it was closed */
  checkOpen(): void {
    if (this.#isClosed) throw new LedgerUnavailable('the ledger is closed');
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  end(): void {
    this.#isClosed = true;
  }
}

function callerOf<C extends CallMap<C>>(
  functions: Functions<C>,
  run: <T>(act: (tx: PostgresTx) => T | Promise<T>) => T | Promise<T>,
): Caller<C> {
  return {
    async call(name, ...args) {
      try {
        return await run((tx) => functions[name](tx, ...args));
      } catch (error) {
        // A row holds something else than was written.
        if (error instanceof SyntaxError) throw new LedgerUnavailable(error.message);
        throw error;
      }
    },
  };
}
