// docs/design/postgres.md
import type { Clock } from '../../hooks/ports/clock.ts';
import { Maintenance } from '../../hooks/ports/ledger.ts';
import type { Ledger, LedgerLog, Retention, StoreState } from '../../hooks/ports/ledger.ts';
import { continueIdsAfter } from '../../platform/new-id.ts';
import { text } from '../rows.ts';
import { CallQueue } from '../call-queue.ts';
import type { Outcome } from '../call-queue.ts';
import { StoredAdmin } from '../ports/admin.ts';
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

export interface OpenedDatabase {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: LedgerLog;
  readonly hasSearch: boolean;
}

/** The ports of a ledger over an open database, which it closes with itself. */
export async function openLedger(opened: OpenedDatabase): Promise<Ledger> {
  const { database, clock, log } = opened;
  const instance = new Instance(database, clock);
  const index = await openSearch(opened);
  const store = new PostgresStore({
    database,
    clock,
    instance,
    wakeups: new Wakeups(database, instance.id, clock, log),
    health: new PostgresHealth(database, clock, log),
    follower: index && new SearchFollower(index, clock, log),
  });
  await begin(store);
  return buildLedger(store, index);
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

const LEFTOVERS = [
  'PostgreSQL keeps what was deleted in its files until VACUUM has run and the pages are used again; VACUUM FULL of the schema gives the room back at once. Its write-ahead log, archives and replicas keep it as long as you keep them.',
];

function buildLedger(store: PostgresStore, index: SearchIndex | null): Ledger {
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
    // It makes no difference which instance is asked: a pause is a row that all read in their own transactions.
    admin: new StoredAdmin({
      reader: store.reads,
      freshReader: store.freshReads,
      writer: store.writes,
      leftovers: () => Promise.resolve(LEFTOVERS),
    }),
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
  await endInHand(store).catch(() => {});
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

interface PruningSteps {
  step(retention: Retention): Promise<boolean>;
}

/** The end gives back what is in hand as if this process had died: others need not wait for leases to run out. */
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
