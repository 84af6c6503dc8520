import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { continueIdsAfter } from '../../platform/new-id.ts';
import type { Clock } from '../../hooks/ports/clock.ts';
import type { Lane } from '../../hooks/ports/jobs.ts';
import { LedgerUnavailable } from '../../hooks/ports/ledger.ts';
import { LANES } from '../work-rows.ts';
import { WAITS } from './protocol.ts';
import type { CallMap } from '../calls.ts';
import type { Key } from '../rows.ts';
import type { Handshake, HeldLease, Inventory, ThreadData } from './protocol.ts';
import { CLOSED, WorkerClient, startThread } from './worker-client.ts';
import type { RpcClient } from './worker-client.ts';

/** What the writer tells about itself. */
export interface WriterReports {
  /** Something may have become claimable in these lanes. */
  changed(lanes: readonly Lane[]): void;
  /** Whether anybody wants to know which events change. */
  isWatched(): boolean;
  /** These events, by key, were accepted or changed their status. */
  eventsChanged(keys: readonly Key[]): void;
  /** A batch took so many milliseconds. */
  committed(ms: number): void;
  /** A call found that the file is damaged. */
  damaged(reason: string): void;
  /** Somebody waits for a batch that has been under way for so many milliseconds. */
  underWay(ms: number): void;
  /** What this process has in hand, while a writer that died is begun anew. */
  held(): readonly HeldLease[];
  /** The thread ended by itself, for the reason given; a new one is begun. */
  died(reason: string): void;
  /** Another process has the directory; the writer opens it when that has ended. */
  waits(): void;
  /** Nothing can be written any more, for the reason given. */
  lost(reason: string): void;
}

/** Where a writer finds its ledger, and how its thread is started. */
export interface WriterPlace {
  readonly dir: string | null;
  readonly start?: (data: ThreadData) => Worker;
  /** True: a directory that another process has is waited for, and refused otherwise. */
  readonly waitForLock?: boolean;
  /** True: events can be searched by their texts. @default true */
  readonly hasSearch?: boolean;
}

/**
 * The writer thread. One that dies is begun anew and finds everything that was answered; what it was asked last fails as
 * unavailable. A ledger that is gone, or cannot be opened again, is lost: every later call is refused with the reason.
 */
export class WriterClient<C extends CallMap<C>> implements RpcClient<C> {
  readonly #place: Required<WriterPlace>;
  readonly #clock: Clock;
  readonly #reports: WriterReports;
  /** Null while a new one is begun. */
  #client: WorkerClient<C> | null = null;
  #lost: string | null = null;
  #beginning: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(place: WriterPlace, clock: Clock, reports: WriterReports) {
    this.#place = { start: startThread, waitForLock: false, hasSearch: true, ...place };
    this.#clock = clock;
    this.#reports = reports;
  }

  /**
   * Resolves when the thread has opened the ledger.
   * @throws Error with a sentence that says what to do when it cannot be used.
   */
  async open(): Promise<Inventory> {
    const { dir, start, waitForLock, hasSearch } = this.#place;
    const held = this.#reports.held();
    const [now, elapsed] = [this.#clock.now(), this.#clock.elapsed()];
    const worker = start({ role: 'writer', dir, now, elapsed, held, waitForLock, hasSearch });
    const handshake = await this.#handshake(worker);
    if (handshake === undefined || handshake.refusal !== null) {
      const where = dir ?? 'memory';
      throw new Error(`the ledger in ${where} cannot be used: ${handshake?.refusal}`);
    }
    const { found } = handshake;
    if (found.lastId !== null) continueIdsAfter(found.lastId);
    this.#client = new WorkerClient<C>(worker, this.#clock, {
      changed: (lanes) => this.#reports.changed(lanes),
      isWatched: () => this.#reports.isWatched(),
      eventsChanged: (keys) => this.#reports.eventsChanged(keys),
      committed: (ms) => this.#reports.committed(ms),
      damaged: (reason) => this.#reports.damaged(reason),
      underWay: (ms) => this.#reports.underWay(ms),
      ended: (reason, isLost) => this.#end(reason, isLost),
    });
    return found;
  }

  async #handshake(worker: Worker): Promise<Handshake | undefined> {
    const [first]: (Handshake | typeof WAITS)[] = await once(worker, 'message');
    if (first !== WAITS) return first;
    this.#reports.waits();
    const [handshake]: Handshake[] = await once(worker, 'message');
    return handshake;
  }

  get waiting(): number {
    return this.#client?.waiting ?? 0;
  }

  call<K extends keyof C>(name: K, ...args: C[K]['args']): Promise<C[K]['result']> {
    if (this.#client !== null) return this.#client.call(name, ...args);
    return Promise.reject(new LedgerUnavailable(this.#lost ?? 'the ledger is being opened anew'));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#beginning;
    await this.#client?.close();
    this.#client = null;
    this.#lost ??= CLOSED;
  }

  #end(reason: string, isLost: boolean): void {
    if (this.#isClosed) return;
    this.#client = null;
    if (isLost) return this.#lose(reason);
    if (this.#place.dir === null) return this.#lose(`${reason}, and with it a ledger in memory`);
    this.#reports.died(reason);
    this.#beginning = this.#beginAnew();
  }

  async #beginAnew(): Promise<void> {
    try {
      await this.open();
      this.#reports.changed(LANES);
    } catch (error) {
      this.#lose(error instanceof Error ? error.message : 'the ledger cannot be opened');
    }
  }

  #lose(reason: string): void {
    this.#lost = reason;
    this.#reports.lost(reason);
  }
}
