// docs/design/postgres.md
import type { Clock } from '../../hooks/ports/clock.ts';
import { Maintenance } from '../../hooks/ports/ledger.ts';
import type { Ledger, LedgerLog, Retention, StoreState } from '../../hooks/ports/ledger.ts';
import type { InstanceFacts } from '../../hooks/ports/ledger-admin.ts';
import { continueIdsAfter } from '../../platform/new-id.ts';
import { text } from '../rows.ts';
import { CallQueue } from '../call-queue.ts';
import type { Outcome } from '../call-queue.ts';
import { StoredConsoleSessions } from '../ports/console-sessions.ts';
import { StoredEvents } from '../ports/event-store.ts';
import { StoredIntake } from '../ports/intake.ts';
import type { AcceptCalls } from '../ports/intake.ts';
import { StoredRefusals } from '../ports/refusals.ts';
import { StoredSessions } from '../ports/sessions.ts';
import { SearchFollower } from '../search-follower.ts';
import { AcceptingHost } from './accepting-host.ts';
import type { Database } from './connection.ts';
import { PostgresHealth } from './health.ts';
import { Instance } from './instance.ts';
import { endExpired, endLeases } from './leases.ts';
import { ActivityRecord } from './operating/activity.ts';
import { InstanceList } from './operating/instances.ts';
import { PostgresLedgerAdmin } from './operating/ledger-admin.ts';
import { SharedPruning } from './operating/shared-pruning.ts';
import { SearchIndex } from './search/search-index.ts';
import { removeSearchTables } from './search/search-tables.ts';
import { PostgresTx } from './statements.ts';
import { PostgresStore } from './store.ts';
import { Wakeups } from './wakeups.ts';
import { PostgresWorkLedger } from './work-ledger.ts';

// An open ledger on PostgreSQL: this file gives each port its class. Several processes have one ledger open at a time.
//
// The way of a wake, as an example:
// 1. `StoredIntake.accept` queues the event.
// 2. The group is one transaction (../accepting/accept.ts): it takes the locks of keys and sessions, looks for repeats and
//    for room, and writes everything. What a 200 means is its commit.
// 3. It names the lanes in which there is new work; wakeups.ts tells it to claims that wait here and, a moment later, to
//    other instances.
// 4. A claim (functions/claiming.ts) leases what is next, for this instance and until a time of the database's clock.
// 5. The step ends with `commit` (../work/commit.ts), fenced by work, attempt and instance.

/** A database with the schema of this release, and whom to tell. */
export interface OpenedDatabase {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: LedgerLog;
  readonly hasSearch: boolean;
  /** What this process says of itself to the others. */
  readonly facts: () => InstanceFacts | undefined;
}

/** The ports of a ledger over an open database, which it closes with itself. */
export async function openLedger(opened: OpenedDatabase): Promise<Ledger> {
  const { database, clock, log, facts } = opened;
  const instances = new InstanceList(database, log, facts);
  const instance = new Instance(database, clock, instances);
  const index = await openSearch(opened);
  const store = new PostgresStore({
    database,
    clock,
    instance,
    wakeups: new Wakeups(database, instance.id, clock, log),
    health: new PostgresHealth(database, clock, log),
    activity: new ActivityRecord(database, clock),
    follower: index && new SearchFollower(index, clock, log),
  });
  await begin(store);
  return buildLedger(store, instances, index);
}

/** Null: events cannot be searched. */
async function openSearch({ database, log, hasSearch }: OpenedDatabase) {
  if (!hasSearch) {
    await removeSearchTables(database, log);
    return null;
  }
  const index = new SearchIndex(database);
  const trouble = await index.make();
  if (trouble !== null) {
    log.warn(`${trouble}: events cannot be searched until then. Nothing else is affected`);
  }
  return index;
}

/** Finds what earlier processes left behind, and begins to hear the others. */
async function begin(store: PostgresStore): Promise<void> {
  const { database, clock, instance, wakeups } = store;
  await instance.begin();
  const [last] = await database.query(LAST_ID);
  if (last !== undefined) continueIdsAfter(text(last, 'id'));
  await store.transact((tx) => endExpired(tx, [], instance.now()));
  await database.query(PULL_IN, [clock.now()]);
  await wakeups.start();
}

/** Of all events, runs and deliveries. */
const LAST_ID = `SELECT id FROM (
  (SELECT id FROM @schema.events ORDER BY id DESC LIMIT 1) UNION ALL
  (SELECT id FROM @schema.runs ORDER BY id DESC LIMIT 1) UNION ALL
  (SELECT id FROM @schema.deliveries ORDER BY id DESC LIMIT 1)) AS last ORDER BY id DESC LIMIT 1`;

/** Makes retries due that would wait longer than any retry does (a day after acceptance): the clock was set back since. */
const PULL_IN = `UPDATE @schema.work SET due_at = $1::bigint
  WHERE (stage = 'retrying' OR kind = 'delivery') AND stage IN ('deferred', 'retrying') AND due_at > $1::bigint + ${25 * 3_600_000}`;

function buildLedger(
  store: PostgresStore,
  instances: InstanceList,
  index: SearchIndex | null,
): Ledger {
  const { database, clock, wakeups } = store;
  const queue = new CallQueue<AcceptCalls, unknown, Outcome>(clock, {
    begin: () => Promise.resolve(new AcceptingHost(store)),
    head: () => ({}),
  });
  return {
    intake: new StoredIntake({
      queue,
      reader: store.freshReads,
      writer: store.writes,
      health: store.health,
      follower: store.follower,
    }),
    work: new PostgresWorkLedger(store),
    sessions: new StoredSessions(store.freshReads, store.writes),
    events: new StoredEvents({
      reader: store.reads,
      changed: wakeups.changedEvents,
      clock,
      search: index,
      isHeard: () => wakeups.watch(),
      damaged: () => {},
    }),
    refusals: new StoredRefusals(store.reads, async (refusals, changes) => {
      await store.writes.call('recordRefusals', refusals, changes);
    }),
    consoleSessions: new StoredConsoleSessions(store.reads, store.writes),
    admin: new PostgresLedgerAdmin(store, instances),
    maintenance: new PostgresMaintenance(store, new SharedPruning(database, clock), () =>
      close(store, queue),
    ),
  };
}

async function close(store: PostgresStore, intake: { close(): Promise<void> }): Promise<void> {
  if (store.isClosed) return;
  store.end();
  await intake.close();
  await store.follower?.close();
  // What cannot be written any more is given up: leases end by themselves.
  await Promise.allSettled([store.activity.close(), endInHand(store)]);
  // Others go on with what was in hand here. Claims that wait look once more, find the ledger closed and end.
  store.wakeups.changed(['turn', 'delivery']);
  await store.wakeups.close();
  await store.database.close();
}

/** Ends what is in hand as if the process had died, and is gone. */
async function endInHand({ database, clock, instance }: PostgresStore): Promise<void> {
  await database.transaction((run) =>
    endLeases(new PostgresTx(database, run, clock.now(), instance.id), [], true),
  );
  await instance.end();
}

/** What forgets a small step's worth. */
interface PruningSteps {
  step(retention: Retention): Promise<boolean>;
}

/**
 * Pruning, the health check (a real write) and the end. The end gives back what is in hand as if this process had died,
 * so that other instances go on with it at once instead of waiting for leases to run out.
 */
class PostgresMaintenance extends Maintenance {
  readonly #store: PostgresStore;
  readonly #pruning: PruningSteps;
  readonly #close: () => Promise<void>;

  constructor(store: PostgresStore, pruning: PruningSteps, close: () => Promise<void>) {
    super();
    this.#store = store;
    this.#pruning = pruning;
    this.#close = close;
  }

  async prune(retention: Retention): Promise<boolean> {
    this.#store.checkOpen();
    const hasMore = await this.#pruning.step(retention);
    await this.#store.follower?.look();
    return hasMore;
  }

  async health(): Promise<void> {
    this.#store.checkOpen();
    await this.#store.writes.call('probe');
    this.#store.health.checkCommits();
  }

  override async state(): Promise<StoreState> {
    this.#store.checkOpen();
    return this.#store.health.state();
  }

  close(): Promise<void> {
    return this.#close();
  }
}
