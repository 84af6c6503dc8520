import type { Clock } from '../../hooks/ports/clock.ts';
import { Maintenance } from '../../hooks/ports/ledger.ts';
import type { LedgerLog, Retention, StoreState } from '../../hooks/ports/ledger.ts';
import { ChangedEvents } from '../changed-events.ts';
import type { Key } from '../rows.ts';
import type { SearchFollower } from '../search-follower.ts';
import { WorkNotifier } from '../work-notifier.ts';
import type { QueuedCaller } from '../call-queue.ts';
import type { GroupAnswer, HeldLease, Inventory, WriterCalls } from './protocol.ts';
import { StoreHealth } from './store-health.ts';

/** What this process has in hand: claimed and heard of, not ended yet. */
export class HeldLeases {
  readonly #attempts = new Map<number, number>();

  add(leases: Iterable<{ workId: number; attempt: number }>): void {
    for (const { workId, attempt } of leases) this.#attempts.set(workId, attempt);
  }

  delete({ workId, attempt }: { workId: number; attempt: number }): void {
    if (this.#attempts.get(workId) === attempt) this.#attempts.delete(workId);
  }

  all(): HeldLease[] {
    return [...this.#attempts];
  }
}

export const SILENT: LedgerLog = { log: () => {}, warn: () => {}, error: () => {} };

/**
 * Passes on what the writer tells: lanes with work to the claims that wait, changed events to their followers, times of
 * commits to the health of the store. A writer's thread that dies is begun again, and requests wait meanwhile; when the
 * file cannot be used any more, that is final, and `untilLost` says why.
 */
export class StoreWatch {
  readonly notifier: WorkNotifier;
  readonly leases = new HeldLeases();
  readonly changedEvents: ChangedEvents<Key>;
  readonly health: StoreHealth;
  readonly #dir: string | null;
  readonly #log: LedgerLog;
  readonly #lost = Promise.withResolvers<string>();

  /** @param dir null: in memory */
  constructor(dir: string | null, clock: Clock, log: LedgerLog) {
    this.#dir = dir;
    this.health = new StoreHealth(dir, clock, log);
    this.#log = log;
    this.notifier = new WorkNotifier(clock);
    this.changedEvents = new ChangedEvents<Key>(clock);
  }

  get untilLost(): Promise<string> {
    return this.#lost.promise;
  }

  /** An operator sees by this line whether the ledger is the one he meant. */
  opened({ isNew, events, hasMore, waiting }: Inventory): void {
    this.health.begin();
    if (isNew) {
      this.#log.log(`a new ledger was made in ${this.#dir}`);
      return;
    }
    const found = `${hasMore ? 'more than ' : ''}${events} ${events === 1 ? 'event' : 'events'}`;
    this.#log.log(`the ledger in ${this.#dir} is open: ${found}, ${waiting} waiting`);
  }

  get isWatched(): boolean {
    return this.changedEvents.isWatched;
  }

  heard({ tookMs, changedLanes, changedEvents }: GroupAnswer): void {
    this.health.committed(tookMs);
    if (changedLanes.length > 0) this.notifier.notify(changedLanes);
    if (changedEvents.length > 0) this.changedEvents.note(changedEvents);
  }

  damaged(reason: string): void {
    this.health.foundDamage(reason);
  }

  underWay(ms: number): void {
    this.health.waiting(ms);
  }

  waits(): void {
    this.#log.log(`another process uses the ledger in ${this.#dir}; waiting until it has ended`);
  }

  died(reason: string): void {
    this.#log.error(`${reason}. It is being restarted, and requests wait until then`);
  }

  /** The disk became too slow for the main thread, which goes on with it. */
  slow(commitMs: number): void {
    this.#log.warn(
      `the disk is slow: a commit to the ledger takes ${Math.round(commitMs)} ms, and everything else waits as long: set store.sqlite.host ("host" of sqliteLedger) to "thread" and start again`,
    );
  }

  lost(reason: string): void {
    this.#log.error(`${reason}. No more events are accepted`);
    this.#lost.resolve(reason);
    // Claims that wait look once more and hear it.
    this.notifier.notifyAll();
  }
}

export class SqliteMaintenance extends Maintenance {
  readonly #writer: QueuedCaller<WriterCalls>;
  readonly #watch: StoreWatch;
  readonly #follower: SearchFollower | null;
  readonly #close: () => Promise<void>;

  constructor(
    writer: QueuedCaller<WriterCalls>,
    watch: StoreWatch,
    follower: SearchFollower | null,
    close: () => Promise<void>,
  ) {
    super();
    this.#writer = writer;
    this.#watch = watch;
    this.#follower = follower;
    this.#close = close;
  }

  async prune(retention: Retention): Promise<boolean> {
    const hasMore = await this.#writer.call('prune', retention);
    await this.#follower?.look();
    return hasMore;
  }

  async health(): Promise<void> {
    // A ledger that is closed or lost says so itself.
    await this.#writer.call('probe');
    await this.#watch.health.check();
  }

  override state(): Promise<StoreState> {
    return this.#watch.health.state();
  }

  override untilLost(): Promise<string> {
    return this.#watch.untilLost;
  }

  close(): Promise<void> {
    return this.#close();
  }
}
