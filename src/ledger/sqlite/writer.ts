import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import type { Clock } from '../../hooks/ports/clock.ts';
import { continueIdsAfter } from '../../platform/new-id.ts';
import { LANES } from '../work-rows.ts';
import { CallQueue } from '../call-queue.ts';
import type { QueuedCaller } from '../call-queue.ts';
import { Checkpoints } from './checkpoints.ts';
import { DiskPace } from './disk-pace.ts';
import type { HostChoice, Pace } from './disk-pace.ts';
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
import type { OpenWriter } from './worker/open.ts';

/** Where a writer finds its ledger, and how it is hosted. */
export interface WriterPlace {
  readonly dir: string;
  readonly host: HostChoice;
  /** True: a directory that another process has is waited for, and refused otherwise. */
  readonly waitForLock: boolean;
  /** True: events can be searched by their texts. */
  readonly hasSearch: boolean;
  readonly start?: (data: ThreadData) => Worker;
  readonly pace?: Pace;
}

/**
 * Writes the ledger of a directory: on the main thread where the disk is fast, and in a thread of its own where it is not,
 * or no longer. A thread that dies is begun anew and finds everything that was answered; what it was asked last fails as
 * unavailable. A ledger that is gone, or cannot be opened again, is lost: every later call is refused with the reason.
 */
export class Writer implements QueuedCaller<WriterCalls> {
  readonly #place: WriterPlace;
  readonly #clock: Clock;
  readonly #watch: StoreWatch;
  readonly #queue: CallQueue<WriterCalls, GroupHead, GroupAnswer>;
  readonly #checkpoints: Checkpoints;
  readonly #pace: Pace;
  #directory: HeldDirectory | null = null;
  #isInline = false;
  /** While it writes on the main thread. */
  #inline: OpenWriter | null = null;
  #found: Inventory | null = null;
  #moving: Promise<void> | null = null;
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
    this.#pace = place.pace ?? new DiskPace();
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
    await this.#moving;
    await this.#queue.close();
    this.#directory?.release();
    this.#directory = null;
  }

  async #mayBeInline(): Promise<boolean> {
    const { host, dir } = this.#place;
    return host === 'inline' || (host === 'auto' && (await this.#pace.isFast(dir)));
  }

  /** Bringing tables to this edition may take minutes, in which the main thread has other things to do. */
  async #upgrade({ hasOldTables }: HeldDirectory): Promise<void> {
    if (!hasOldTables || !this.#isInline) return;
    const upgraded = await this.#beginThread();
    await upgraded.close();
  }

  async #begin(): Promise<SqliteHost<WriterCalls>> {
    if (!this.#isInline) return this.#beginThread();
    this.#inline = await openWriter(this.#directory!.files(), this.#start());
    this.#found = this.#inline.found;
    return this.#inline.host;
  }

  /** @param time when the writer before ended */
  async #beginThread(time = this.#time()): Promise<ThreadHost<WriterCalls>> {
    const files = this.#directory!.files(this.#inline?.guard.log);
    const data: ThreadData = { role: 'writer', files, start: this.#start(time) };
    const host = await ThreadHost.begin<WriterCalls>(data, this.#place.start);
    this.#found = host.found;
    return host;
  }

  #start(time = this.#time()): WriterStart {
    return { ...time, held: this.#watch.leases.all(), hasSearch: this.#place.hasSearch };
  }

  #time(): Pick<WriterStart, 'now' | 'elapsed'> {
    return { now: this.#clock.now(), elapsed: this.#clock.elapsed() };
  }

  #answered(answer: GroupAnswer): void {
    this.#watch.heard(answer);
    if (answer.log !== null) this.#checkpoints.note(answer.log);
    const { host } = this.#place;
    if (this.#inline === null || host !== 'auto' || this.#moving !== null) return;
    if (this.#pace.note(answer.waitedMs)) this.#moving = this.#move(this.#inline, answer.waitedMs);
  }

  /** From the main thread into one of its own; what is asked for meanwhile waits. */
  async #move({ host }: OpenWriter, waitedMs: number): Promise<void> {
    const release = this.#queue.hold();
    // A clock that is set meanwhile is noticed with the next group.
    const time = this.#time();
    // Whoever was answered just now has taken its leases into its hands then.
    await nextTurn();
    try {
      host.settle();
      const thread = await this.#beginThread(time);
      this.#queue.replace(thread);
      this.#isInline = false;
      this.#inline = null;
      // The thread has the files open, so that this closes a connection and moves nothing.
      host.leave();
      this.#watch.moved(waitedMs);
    } catch (error) {
      host.goOn();
      this.#watch.stayed(refusalOf(error));
      this.#pace.beginAnew();
      this.#moving = null;
    }
    release();
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
