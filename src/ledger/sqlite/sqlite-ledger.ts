// docs/design/ledger.md
import { resolve } from 'node:path';
import type { BudgetRoom, TurnReservation } from '../../hooks/ports/budgets.ts';
import type { Change } from '../../hooks/ports/change.ts';
import type { Clock } from '../../hooks/ports/clock.ts';
import { LedgerUnavailable } from '../../hooks/ports/ledger.ts';
import type { Ledger, LedgerLog, LedgerProvider } from '../../hooks/ports/ledger.ts';
import type { Lane, NewWork } from '../../hooks/ports/jobs.ts';
import type { ChannelConditions } from '../../hooks/ports/channel.ts';
import { WorkLedger } from '../../hooks/ports/work-ledger.ts';
import type { Meter, Reservation } from '../../hooks/ports/rules.ts';
import type {
  BadEnds,
  Behind,
  ClaimLimits,
  Lease,
  StepOutcome,
} from '../../hooks/ports/work-ledger.ts';
import { StoredAdmin } from '../ports/admin.ts';
import { StoredConsoleSessions } from '../ports/console-sessions.ts';
import { StoredEvents } from '../ports/event-store.ts';
import { StoredIntake } from '../ports/intake.ts';
import { StoredRefusals } from '../ports/refusals.ts';
import { StoredSessions } from '../ports/sessions.ts';
import { CallQueue } from '../call-queue.ts';
import type { QueuedCaller } from '../call-queue.ts';
import { upgradeCopies } from './worker/file/data-directory.ts';
import type {
  AllCalls,
  GroupAnswer,
  GroupHead,
  ReaderCalls,
  ReaderThreadCalls,
  WriterCalls,
} from './protocol.ts';
import { ThreadSearch } from './search-file.ts';
import { SILENT, SqliteMaintenance, StoreWatch } from './store-watch.ts';
import type { HeldLeases } from './store-watch.ts';
import type { WorkNotifier } from '../work-notifier.ts';
import { SearchFollower } from '../search-follower.ts';
import { SearchSlices, removeSearchFileOf } from './search-file.ts';
import { ThreadHost } from './thread-host.ts';
import { openMemory } from './worker/open.ts';
import { Writer } from './writer.ts';
import type { WriterPlace } from './writer.ts';

// The ledger on SQLite, from the top: this file opens the store and gives each port its class. What a class is asked waits
// in a queue (call-queue.ts) that gives groups of calls to a host, on the main thread or in one of its own, and does
// everything of a group in one transaction with one fsync (worker/). A reader thread answers what an operator looks at, so
// that a long list never delays an accepted event; those ports are in ../ports.
//
// The way of a wake, as an example:
// 1. `StoredIntake.accept` queues the event.
// 2. In the next turn of the event loop, the host begins a transaction, runs `accept` for this event and whatever else is
//    in the group (../accepting/accept.ts), and commits: one fsync, after which everything of the group is durable.
// 3. The answer resolves the call, so the sender gets its 200; it also names the lanes in which there is new work.
// 4. The WorkNotifier wakes the claim that waits in that lane. It asks the writer once more and gets a lease, written
//    before it is handed out (worker/work/claims.ts).
// 5. The step ends with `commit`, which carries the lease's attempt as its fencing token: if another attempt holds the
//    work by now, nothing is written (../work/commit.ts).

/** Where {@link sqliteLedger} keeps its file. */
export interface SqliteLedgerOptions {
  /** Directory of the ledger, made when absent. One process at a time may use it. */
  readonly dir: string;
  /** True: waits, without an end, until no other process uses the directory. @default false: it is refused */
  readonly waitForLock?: boolean;
  /**
   * True: events can be searched by their texts, by an index in `<dir>/search.db` that is written a moment after they were
   * accepted. False: they cannot, and there is no such file. @default true
   */
  readonly search?: boolean;
  /**
   * Where it is written. `inline`: on the main thread, which waits for the disk at each commit; `thread`: in a thread of its
   * own, which costs more; `auto`: on the main thread where an fsync takes less than 10 ms when it is opened.
   * @default 'auto'
   */
  readonly host?: 'auto' | 'inline' | 'thread';
}

/**
 * A ledger in one SQLite file, `<dir>/ledger.db`: durable before it answers, power loss included. For one process on a
 * local disk.
 * @example sqliteLedger({ dir: './data' })
 */
export function sqliteLedger(options: SqliteLedgerOptions): LedgerProvider {
  const dir = resolve(options.dir);
  return {
    open: (clock, log = SILENT) => {
      const { waitForLock = false, search: hasSearch = true, host = 'auto' } = options;
      return openDirectory({ dir, waitForLock, hasSearch, host }, clock, log);
    },
  };
}

/** A ledger that is empty when it opens and gone when it closes: the same code on SQLite's `:memory:`. For tests. */
export function memoryLedger(): LedgerProvider {
  return { open: openInMemory };
}

/** A writer, which holds the directory, and a reader thread once somebody reads or the log has grown. */
async function openDirectory(place: WriterPlace, clock: Clock, log: LedgerLog): Promise<Ledger> {
  const { dir, hasSearch } = place;
  const watch = new StoreWatch(dir, clock, log);
  const reader = new CallQueue<ReaderThreadCalls, GroupHead, GroupAnswer>(clock, {
    begin: () => ThreadHost.begin({ role: 'reader', dir }),
    head: () => UNWATCHED,
    damaged: (reason) => watch.damaged(reason),
  });
  const writer = new Writer(place, clock, watch, () => reader.call('checkpoint'));
  watch.opened(await writer.open());
  const slices = new SearchSlices(reader, writer);
  const follower = hasSearch ? new SearchFollower(slices, clock, log) : null;
  if (!hasSearch) removeSearchFileOf(dir, log);
  const close = async () => {
    await follower?.close();
    await reader.close();
    await writer.close();
  };
  return buildLedger({ watch, writer, reader, follower, hasSearch, dir, clock, close });
}

const UNWATCHED: GroupHead = { isWatched: false, checkpoint: 'none' };

/** A database in memory belongs to one connection, on the main thread: it does the reading too. */
async function openInMemory(clock: Clock, log = SILENT): Promise<Ledger> {
  const watch = new StoreWatch(null, clock, log);
  const start = { now: clock.now(), elapsed: clock.elapsed(), held: [], hasSearch: true };
  const queue = new CallQueue<AllCalls, GroupHead, GroupAnswer>(clock, {
    begin: () => openMemory(start),
    head: () => ({ ...UNWATCHED, isWatched: watch.isWatched }),
    answered: (answer) => watch.heard(answer),
    damaged: (reason) => watch.damaged(reason),
  });
  await queue.begin();
  return buildLedger({
    watch,
    writer: queue,
    reader: queue,
    // A search in memory follows everything before it looks.
    follower: null,
    hasSearch: true,
    dir: null,
    clock,
    close: () => queue.close(),
  });
}

interface OpenStore {
  readonly watch: StoreWatch;
  readonly writer: QueuedCaller<WriterCalls>;
  readonly reader: QueuedCaller<ReaderCalls>;
  /** Null: the index is not followed beside the calls. */
  readonly follower: SearchFollower | null;
  readonly hasSearch: boolean;
  /** Null: in memory. */
  readonly dir: string | null;
  readonly clock: Clock;
  readonly close: () => Promise<void>;
}

/** The ports of a ledger over one open store: what writes or must be up to date asks the writer, the rest the reader. */
function buildLedger(store: OpenStore): Ledger {
  const { watch, writer, reader, follower, clock, close } = store;
  return {
    intake: new StoredIntake({
      queue: writer,
      reader: writer,
      writer,
      health: watch.health,
      follower,
    }),
    work: new SqliteWorkLedger(writer, watch, follower),
    sessions: new StoredSessions(writer, writer),
    events: new StoredEvents({
      reader,
      changed: watch.changedEvents,
      clock,
      search: store.hasSearch ? new ThreadSearch(reader) : null,
      // A group that is under way does not know that anybody listens. This call comes after it.
      isHeard: async () => void (await writer.call('isPaused')),
      damaged: (reason) => watch.damaged(reason),
    }),
    refusals: new StoredRefusals(reader, async (refusals, changes) => {
      await writer.call('recordRefusals', refusals, changes);
    }),
    consoleSessions: new StoredConsoleSessions(reader, writer),
    admin: new StoredAdmin({
      reader,
      freshReader: writer,
      writer,
      leftovers: async () => (store.dir === null ? [] : upgradeCopies(store.dir)),
    }),
    maintenance: new SqliteMaintenance(writer, watch, follower, async () => {
      // Claims that wait look once more, find the ledger closed and end.
      const closed = close();
      watch.notifier.notifyAll();
      await watch.health.close();
      await closed;
    }),
  };
}

/** Claims and ends work. Waiting for work happens here, on the main thread: the writer only says whether there is any. */
class SqliteWorkLedger extends WorkLedger {
  readonly #writer: QueuedCaller<WriterCalls>;
  readonly #notifier: WorkNotifier;
  readonly #leases: HeldLeases;
  readonly #follower: SearchFollower | null;

  constructor(
    writer: QueuedCaller<WriterCalls>,
    { notifier, leases }: StoreWatch,
    follower: SearchFollower | null,
  ) {
    super();
    this.#writer = writer;
    this.#notifier = notifier;
    this.#leases = leases;
    this.#follower = follower;
  }

  async claim(
    lane: Lane,
    max: number,
    signal: AbortSignal,
    limits: () => ClaimLimits = () => ({}),
  ): Promise<readonly Lease[]> {
    while (!signal.aborted) {
      const version = this.#notifier.version(lane);
      const { leases, nextDue } = await this.#writer.call('claim', lane, max, limits());
      if (leases.length > 0) {
        this.#leases.add(leases);
        return leases;
      }
      await this.#notifier.wait(lane, version, nextDue, signal);
    }
    return [];
  }

  async add(work: NewWork): Promise<void> {
    await this.#writer.call('add', work);
  }

  behind({ lane, key }: Lease, most: number): Promise<Behind> {
    return this.#writer.call('readBehind', { lane, key }, most);
  }

  reserve(runId: string, meters: readonly Meter[]): Promise<Reservation> {
    return this.#writer.call('reserve', runId, meters);
  }

  async reconsider(): Promise<void> {
    await this.#writer.call('reconsider');
  }

  reserveTurn(turn: TurnReservation): Promise<BudgetRoom> {
    return this.#writer.call('reserveTurn', turn);
  }

  badEnds(maxLines: number): Promise<BadEnds> {
    return this.#writer.call('gatherBadEnds', maxLines);
  }

  async noteChannels(news: ChannelConditions): Promise<void> {
    await this.#writer.call('noteChannels', news);
  }

  renew(lease: Lease): Promise<boolean> {
    return this.#writer.call('renew', lease.workId, lease.attempt);
  }

  noteActing(lease: Lease): Promise<boolean> {
    return this.#writer.call('noteActing', lease.workId, lease.attempt);
  }

  async commit(lease: Lease, outcome: StepOutcome, changes: readonly Change[]): Promise<boolean> {
    // What is to be done may be long, and would be copied into a thread.
    const { workId, attempt, lane, key, kind, ref, eventId, crashes } = lease;
    try {
      const ending = { workId, attempt, lane, key, kind, ref, eventId, crashes };
      const isWritten = await this.#writer.call('commit', ending, outcome, changes);
      this.#leases.delete(lease);
      this.#follower?.note();
      return isWritten;
    } catch (error) {
      // These changes can never be written. Leases do not run out by the clock, so this one has to be ended, or its key
      // would stand still for ever.
      if (!(error instanceof LedgerUnavailable)) {
        await this.#writer.call('abandon', workId, attempt);
        this.#leases.delete(lease);
      }
      throw error;
    }
  }
}
