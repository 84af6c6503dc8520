import { Worker } from 'node:worker_threads';
import type { Clock } from '../../hooks/ports/clock.ts';
import { LedgerUnavailable } from '../../hooks/ports/ledger.ts';
import { threadEnvironment } from '../../platform/thread-environment.ts';
import type { Lane } from '../../hooks/ports/jobs.ts';
import { CLOSE } from './protocol.ts';
import { BatchWindow } from '../batch-window.ts';
import type { CallMap, Caller } from '../calls.ts';
import type { Key } from '../rows.ts';
import type { BatchAnswer, CallFailure, ReaderCalls, ThreadData } from './protocol.ts';

// The main thread's end of the threads: calls go out in batches, one batch at a time, and each call resolves with its
// own result. The other end is worker/worker.ts.

/** Calls of one batch: more would keep the first of them waiting for the last. */
const MAX_BATCH = 256;
/** Text of one batch in characters, its last call aside: each is copied to the thread and held there until the commit. */
const MAX_BATCH_TEXT = 4 * 1024 * 1024;
export const CLOSED = 'the ledger is closed';

/** A thread that does the calls of `C`. */
export interface RpcClient<C extends CallMap<C>> extends Caller<C> {
  /** Calls that were asked for and not answered yet. */
  readonly waiting: number;
}

/** What a thread tells beside its answers. */
export interface ThreadReports {
  /** Called after a batch with the lanes in which something may have become claimable. */
  changed?(lanes: readonly Lane[]): void;
  /** Asked before each batch: whether anybody wants to know which events it changes. @default false */
  isWatched?(): boolean;
  /** Called after a batch with the keys of events that it changed. */
  eventsChanged?(keys: readonly Key[]): void;
  /** Called after each batch that was answered, with how long it took in milliseconds. */
  committed?(ms: number): void;
  /** Called when a call found that the file is damaged. */
  damaged?(reason: string): void;
  /** Called when somebody asks while a batch is under way, with how long it has been. */
  underWay?(ms: number): void;
  /** Called once, when the thread has ended without being asked to; `isLost`: it said that the ledger is gone. */
  ended?(reason: string, isLost: boolean): void;
}

/** A call that waits for its batch or for the answer to it. */
interface PendingCall {
  readonly call: { readonly name: PropertyKey; readonly args: readonly unknown[] };
  /** As a method: each call resolves to a result of its own type. */
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * Group commit, the main thread's side: collects calls and keeps at most one batch under way, so that under load a
 * batch is as large as what arrived during the commit before it, and alone a call goes at once. No timer is involved.
 */
export class WorkerClient<C extends CallMap<C>> implements RpcClient<C> {
  readonly #worker: Worker;
  readonly #clock: Clock;
  readonly #reports: ThreadReports;
  readonly #exited: Promise<unknown>;
  readonly #window = new BatchWindow();
  #waiting: PendingCall[] = [];
  #underWay: PendingCall[] = [];
  #scheduled = false;
  /** When the last batch was sent, by {@link Clock.elapsed}. */
  #sentAt = 0;
  /** Why nothing is taken any more. */
  #refusal: string | null = null;
  #isLost = false;
  #drained: (() => void) | null = null;

  constructor(worker: Worker, clock: Clock, reports: ThreadReports = {}) {
    this.#worker = worker;
    this.#clock = clock;
    this.#reports = reports;
    this.#exited = new Promise((resolve) => worker.once('exit', resolve));
    worker.on('message', (answer: BatchAnswer) => this.#settle(answer));
    worker.on('error', ({ message }: Error) =>
      this.#fail(`the thread of the ledger broke: ${message}`),
    );
    // Only now its locks are free again.
    worker.on('exit', () => this.#exit());
    worker.unref();
  }

  get waiting(): number {
    return this.#waiting.length + this.#underWay.length;
  }

  /** False once the thread ended or was asked to. */
  get isAlive(): boolean {
    return this.#refusal === null;
  }

  call<K extends keyof C>(name: K, ...args: C[K]['args']): Promise<C[K]['result']> {
    if (this.#refusal !== null) return Promise.reject(new LedgerUnavailable(this.#refusal));
    return new Promise<C[K]['result']>((resolve, reject) => {
      this.#waiting.push({ call: { name, args }, resolve, reject });
      this.#schedule();
    });
  }

  /** Lets everything asked for before finish, then ends the thread. */
  async close(): Promise<void> {
    if (this.#refusal !== null) return;
    this.#refusal = CLOSED;
    if (this.waiting > 0) await new Promise<void>((resolve) => (this.#drained = resolve));
    this.#worker.ref();
    this.#worker.postMessage(CLOSE, []);
    await this.#exited;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    if (this.#underWay.length > 0) {
      this.#reports.underWay?.(this.#clock.elapsed() - this.#sentAt);
      return;
    }
    this.#scheduled = true;
    this.#collect();
  }

  #collect(): void {
    setImmediate(() => {
      const { length } = this.#waiting;
      if (length >= MAX_BATCH || this.#window.isComplete(length)) this.#send();
      else this.#collect();
    });
  }

  #send(): void {
    this.#scheduled = false;
    if (this.#waiting.length === 0) return;
    this.#underWay = this.#waiting.splice(0, batchLength(this.#waiting));
    // The process must not end while a caller waits for an answer.
    this.#worker.ref();
    const calls = this.#underWay.map(({ call }) => call);
    const [now, elapsed] = [this.#clock.now(), this.#clock.elapsed()];
    this.#sentAt = elapsed;
    const isWatched = this.#reports.isWatched?.() ?? false;
    this.#worker.postMessage({ now, elapsed, isWatched, calls }, []);
  }

  #settle({ values, failures, changedLanes, changedEvents, tookMs, lost }: BatchAnswer): void {
    if (lost !== null) {
      this.#isLost = true;
      return this.#fail(lost);
    }
    const answered = this.#underWay;
    this.#underWay = [];
    const failed = new Map(failures.map((failure) => [failure.index, toError(failure)]));
    for (const { damage } of failures) if (damage !== undefined) this.#reports.damaged?.(damage);
    for (const [index, pending] of answered.entries()) {
      const error = failed.get(index);
      if (error === undefined) pending.resolve(values[index]);
      else pending.reject(error);
    }
    this.#reports.committed?.(tookMs);
    if (changedLanes.length > 0) this.#reports.changed?.(changedLanes);
    if (changedEvents.length > 0) this.#reports.eventsChanged?.(changedEvents);
    this.#window.open(answered.length, this.#waiting.length);
    if (this.#waiting.length > 0) this.#schedule();
    else this.#rest();
  }

  #rest(): void {
    this.#worker.unref();
    this.#drained?.();
  }

  #exit(): void {
    const reason = 'the thread of the ledger has ended';
    this.#fail(reason);
    if (this.#refusal !== CLOSED) this.#reports.ended?.(this.#refusal ?? reason, this.#isLost);
  }

  #fail(reason: string): void {
    this.#refusal ??= reason;
    const lost = [...this.#underWay, ...this.#waiting];
    this.#underWay = [];
    this.#waiting = [];
    for (const pending of lost) pending.reject(new LedgerUnavailable(reason));
    this.#drained?.();
  }
}

/** How many of the calls make one batch; at least one. */
function batchLength(waiting: readonly PendingCall[]): number {
  let text = 0;
  let length = 0;
  while (length < waiting.length && length < MAX_BATCH && text < MAX_BATCH_TEXT) {
    text += textIn(waiting[length]!.call.args);
    length += 1;
  }
  return length;
}

/** Characters of the texts in data. */
function textIn(data: unknown): number {
  if (typeof data === 'string') return data.length;
  if (typeof data !== 'object' || data === null) return 0;
  let sum = 0;
  for (const item of Object.values(data)) sum += textIn(item);
  return sum;
}

function toError({ unavailable, message }: CallFailure): Error {
  return unavailable ? new LedgerUnavailable(message) : new Error(message);
}

/** The reader thread: started with the first question, started anew after it broke. */
export class ReaderClient implements RpcClient<ReaderCalls> {
  readonly #dir: string;
  readonly #clock: Clock;
  readonly #reports: ThreadReports;
  #client: WorkerClient<ReaderCalls> | null = null;
  #closed = false;

  constructor(dir: string, clock: Clock, reports: ThreadReports = {}) {
    this.#reports = reports;
    this.#dir = dir;
    this.#clock = clock;
  }

  get waiting(): number {
    return this.#client?.waiting ?? 0;
  }

  call<K extends keyof ReaderCalls>(
    name: K,
    ...args: ReaderCalls[K]['args']
  ): Promise<ReaderCalls[K]['result']> {
    if (this.#closed) return Promise.reject(new LedgerUnavailable(CLOSED));
    return this.#startedClient().call(name, ...args);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#client?.close();
  }

  #startedClient(): WorkerClient<ReaderCalls> {
    if (this.#client?.isAlive) return this.#client;
    const [now, elapsed] = [this.#clock.now(), this.#clock.elapsed()];
    const worker = startThread({ role: 'reader', dir: this.#dir, now, elapsed, held: [] });
    this.#client = new WorkerClient(worker, this.#clock, this.#reports);
    return this.#client;
  }
}

/**
 * Starts a thread of the ledger: from the sources in tests (Node strips the types of what a thread imports, so those
 * files keep to syntax that can be erased), from the build otherwise.
 */
export function startThread(data: ThreadData): Worker {
  const isSource = import.meta.url.endsWith('.ts');
  // Many of them start faster from the one file that test/ledger-thread.mjs makes of these sources.
  const sources = process.env['HOOKS_LEDGER_THREAD'] ?? './worker/worker.ts';
  const entry = new URL(isSource ? sources : './worker/worker.js', import.meta.url);
  const env = threadEnvironment(import.meta.url);
  return new Worker(entry, { workerData: data, env, execArgv: [], name: `ledger-${data.role}` });
}
