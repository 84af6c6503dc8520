import type { Worker } from 'node:worker_threads';
import type { Clock } from '../../hooks/ports/clock.ts';
import { continueIdsAfter } from '../../platform/new-id.ts';
import { LANES } from '../work-rows.ts';
import { CallQueue } from '../call-queue.ts';
import type { QueuedCaller } from '../call-queue.ts';
import { Checkpoints } from './checkpoints.ts';
import { DiskPace, isFast } from './disk-pace.ts';
import type {
  GroupAnswer,
  GroupHead,
  Inventory,
  SqliteHost,
  ThreadData,
  WriterCalls,
  WriterStart,
} from './protocol.ts';
import type { StoreWatch } from './store-watch.ts';
import { ThreadHost } from './thread-host.ts';
import { HeldDirectory } from './worker/file/held-directory.ts';
import { openWriter, refusalOf } from './worker/open.ts';

export interface WriterPlace {
  readonly dir: string;
  /** `auto`: on the main thread where the disk is fast when the ledger is opened. */
  readonly host: 'auto' | 'inline' | 'thread';
  /** True: a directory that another process has is waited for, and refused otherwise. */
  readonly waitForLock: boolean;
  readonly hasSearch: boolean;
  readonly start?: (data: ThreadData) => Worker;
}

/** A thread that dies is begun anew, and what it was asked last fails as unavailable; a lost ledger refuses all. */
export class Writer implements QueuedCaller<WriterCalls> {
  readonly #place: WriterPlace;
  readonly #clock: Clock;
  readonly #watch: StoreWatch;
  readonly #queue: CallQueue<WriterCalls, GroupHead, GroupAnswer>;
  readonly #checkpoints: Checkpoints;
  readonly #pace = new DiskPace();
  #directory: HeldDirectory | null = null;
  #isInline = false;
  #found: Inventory | null = null;
  #isClosed = false;

  /** @param checkpoint moves what is in the log into the database, in another thread */
  constructor(
    place: WriterPlace,
    clock: Clock,
    watch: StoreWatch,
    checkpoint: () => Promise<unknown>,
  ) {
    this.#place = place;
    this.#clock = clock;
    this.#watch = watch;
    this.#queue = new CallQueue(clock, {
      begin: () => this.#begin(),
      head: () => ({ isWatched: watch.isWatched, checkpoint: this.#checkpoints.take() }),
      answered: (answer) => this.#answered(answer),
      damaged: (reason) => watch.damaged(reason),
      underWay: (ms) => watch.underWay(ms),
      died: (reason) => void this.#beginAnew(reason),
      lost: (reason) => watch.lost(reason),
    });
    this.#checkpoints = new Checkpoints({
      move: checkpoint,
      hold: () => this.#queue.hold(),
      nudge: () => void this.call('isPaused').catch(() => {}),
    });
  }

  /**
   * Holds the directory and opens the ledger.
   * @throws Error with a sentence that says what to do when it cannot be used.
   */
  async open(): Promise<Inventory> {
    const { dir, waitForLock } = this.#place;
    try {
      const onHeld = () => this.#watch.waits();
      this.#directory = await HeldDirectory.hold(dir, waitForLock ? onHeld : undefined);
      this.#isInline = await this.#mayBeInline();
      await this.#upgrade(this.#directory);
      await this.#queue.begin();
    } catch (error) {
      this.#directory?.release();
      this.#directory = null;
      throw new Error(`the ledger in ${dir} cannot be used: ${refusalOf(error)}`, { cause: error });
    }
    const found = this.#found!;
    if (found.lastId !== null) continueIdsAfter(found.lastId);
    return found;
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  call<K extends keyof WriterCalls>(
    name: K,
    ...args: WriterCalls[K]['args']
  ): Promise<WriterCalls[K]['result']> {
    return this.#queue.call(name, ...args);
  }

  /** Nobody else has the database open any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#queue.close();
    this.#directory?.release();
    this.#directory = null;
  }

  async #mayBeInline(): Promise<boolean> {
    const { host, dir } = this.#place;
    return host === 'inline' || (host === 'auto' && (await isFast(dir)));
  }

  /** Bringing tables to this edition may take minutes, in which the main thread has other things to do. */
  async #upgrade({ hasOldTables }: HeldDirectory): Promise<void> {
    if (!hasOldTables || !this.#isInline) return;
    const upgraded = await this.#beginThread();
    await upgraded.close();
  }

  async #begin(): Promise<SqliteHost<WriterCalls>> {
    if (!this.#isInline) return this.#beginThread();
    const { host, found } = await openWriter(this.#directory!.files, this.#start());
    this.#found = found;
    return host;
  }

  async #beginThread(): Promise<ThreadHost<WriterCalls>> {
    const { files } = this.#directory!;
    const data: ThreadData = { role: 'writer', files, start: this.#start() };
    const host = await ThreadHost.begin<WriterCalls>(data, this.#place.start);
    this.#found = host.found;
    return host;
  }

  #start(): WriterStart {
    return {
      now: this.#clock.now(),
      elapsed: this.#clock.elapsed(),
      held: this.#watch.leases.all(),
      hasSearch: this.#place.hasSearch,
    };
  }

  #answered(answer: GroupAnswer): void {
    this.#watch.heard(answer);
    if (answer.log !== null) this.#checkpoints.note(answer.log);
    if (this.#isInline && this.#pace.note(answer.commitMs)) this.#watch.slow(answer.commitMs);
  }

  async #beginAnew(reason: string): Promise<void> {
    if (this.#isClosed) return;
    this.#watch.died(reason);
    try {
      await this.#queue.begin();
      this.#watch.notifier.notify(LANES);
    } catch (error) {
      this.#queue.lose(`the ledger in ${this.#place.dir} cannot be used: ${refusalOf(error)}`);
    }
  }
}
