import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { Logger } from '@nestjs/common';
import { errorMessage } from '../../platform/errors.ts';
import type { BundleText, CallOutcome, TransformCall, WorkerMessage } from './worker/messages.ts';

// What the virtual machine cannot interrupt at its deadline, the pool ends by terminating the thread. Threads never
// keep the process alive by themselves.

/** Calls that may wait, and what their contexts may hold in characters: beyond that, a sender is asked to come again. */
const MAX_WAITING = 1000;
const MAX_WAITING_CHARS = 32 * 1024 * 1024;

/** A call that waited longer than this many of its timeouts is given up: whoever sent it has gone. */
const MAX_WAIT_TIMEOUTS = 10;

/** How long after the deadline inside a thread is given up from outside. */
const GRACE_MS = 250;

/** How long a new thread may take before its first call begins. */
const START_MS = 10_000;

/** A thread that was given this many bundles, by edits, is replaced: it remembers them all. */
const MAX_BUNDLES = 64;

/** Heap of a thread itself; what virtual machines take is not in it. */
const THREAD_HEAP = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };

const STUCK: CallOutcome = { kind: 'timeout', console: [] };
const BROKEN: CallOutcome = {
  kind: 'threw',
  name: 'Error',
  message: 'its thread broke',
  summary: 'Error',
  console: [],
};

/** A call as the pool is given it: which thread it goes to, and whether that one has the bundle, is the pool's affair. */
export interface PoolCall extends Omit<TransformCall, 'id' | 'bundle'>, BundleText {}

interface WaitingCall {
  readonly call: PoolCall;
  /** By `performance.now()`. */
  readonly since: number;
  readonly resolve: (outcome: CallOutcome | null) => void;
}

const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const THREAD = new URL(`./worker/worker.${EXTENSION}`, import.meta.url);

const logger = new Logger('WorkerPool');

export class WorkerPool {
  readonly #workers = new Set<PooledWorker>();
  readonly #waiting: WaitingCall[] = [];
  #waitingChars = 0;
  readonly #running: string[] = [];
  /** Keys of bundles whose last call was stuck: one thread is all they get, so that they cost only themselves. */
  readonly #quarantined = new Set<string>();
  #size = 1;
  #isClosed = false;

  constructor(private readonly thread = THREAD) {}

  get threads(): number {
    return this.#workers.size;
  }

  /** @param workers most threads from now on @returns null when the queue is full or the wait too long */
  run(call: PoolCall, workers: number): Promise<CallOutcome | null> {
    this.#size = workers;
    const { length } = call.context;
    if (this.#isClosed || this.#waiting.length >= MAX_WAITING) return Promise.resolve(null);
    if (this.#waitingChars + length > MAX_WAITING_CHARS && this.#waiting.length > 0) {
      return Promise.resolve(null);
    }
    return new Promise((resolve) => {
      this.#waiting.push({ call, since: performance.now(), resolve });
      this.#waitingChars += length;
      this.#startWaiting();
    });
  }

  /** Ends every thread. Whoever waits gets null, whoever is being served an outcome. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { resolve } of this.#waiting.splice(0)) resolve(null);
    await Promise.all([...this.#workers].map((worker) => worker.close()));
  }

  #startWaiting(): void {
    for (;;) {
      const at = this.#waiting.findIndex(({ call }) => this.#mayRun(call));
      if (at < 0) return;
      const worker = this.#freeWorker();
      if (worker === null) return;
      const [next] = this.#waiting.splice(at, 1);
      if (next === undefined) return;
      this.#waitingChars -= next.call.context.length;
      this.#start(worker, next);
    }
  }

  #start(worker: PooledWorker, { call, since, resolve }: WaitingCall): void {
    if (performance.now() - since > MAX_WAIT_TIMEOUTS * call.limits.timeoutMs) {
      resolve(null);
      return;
    }
    this.#running.push(call.key);
    worker.run(call, (outcome) => {
      this.#running.splice(this.#running.indexOf(call.key), 1);
      if (outcome.kind === 'timeout') this.#quarantined.add(call.key);
      else this.#quarantined.delete(call.key);
      resolve(outcome);
      this.#startWaiting();
    });
  }

  #mayRun({ key }: PoolCall): boolean {
    return !this.#quarantined.has(key) || !this.#running.includes(key);
  }

  #freeWorker(): PooledWorker | null {
    const free = [...this.#workers].find(({ isFree }) => isFree);
    if (free !== undefined) return free;
    if (this.#isClosed || this.#workers.size >= this.#size) return null;
    const worker = new PooledWorker(this.thread, {
      onExit: () => {
        this.#workers.delete(worker);
        this.#startWaiting();
      },
      onReady: (canReset) => {
        if (!canReset) {
          logger.warn('virtual machines cannot be reset: each call gets a new one');
        }
      },
    });
    this.#workers.add(worker);
    return worker;
  }
}

interface WorkerEvents {
  readonly onExit: () => void;
  readonly onReady: (canReset: boolean) => void;
}

/** One disposable thread. Whoever gave it a call gets an outcome, whatever becomes of the thread. */
class PooledWorker {
  readonly #worker: Worker;
  readonly #on: WorkerEvents;
  readonly #known = new Set<string>();
  #id = 0;
  /** What it is given once it is ready. */
  #first: TransformCall | undefined;
  /** How long the current call may take from here, in milliseconds. */
  #budgetMs = 0;
  #answer: ((outcome: CallOutcome) => void) | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isReady = false;
  #isStuck = false;
  #isGone = false;

  constructor(thread: URL, on: WorkerEvents) {
    this.#on = on;
    this.#worker = new Worker(thread, {
      name: 'transform',
      env: {},
      execArgv: yarnLoader(),
      stdin: false,
      resourceLimits: THREAD_HEAP,
    });
    this.#worker.on('message', (message: WorkerMessage) => this.#receive(message));
    this.#worker.on('error', (error) => {
      // Once it was given a call, what it died of may hold text of a payload: the caller learns only that it died.
      if (!this.#isReady)
        logger.error(`a thread for transforms does not start: ${errorMessage(error)}`);
      this.#exited();
    });
    this.#worker.on('exit', () => this.#exited());
    this.#worker.unref();
  }

  get isFree(): boolean {
    return this.#answer === null && !this.#isGone && !this.#isStuck;
  }

  run(call: PoolCall, answer: (outcome: CallOutcome) => void): void {
    const { code, map, ...rest } = call;
    const isKnown = this.#known.has(call.key);
    this.#known.add(call.key);
    this.#answer = answer;
    this.#id += 1;
    const message: TransformCall = {
      ...rest,
      id: this.#id,
      ...(!isKnown && { bundle: { code, map } }),
    };
    // The process must not end while somebody waits for an answer.
    this.#worker.ref();
    this.#budgetMs = call.limits.timeoutMs + GRACE_MS;
    this.#terminateAfter(this.#isReady ? this.#budgetMs : START_MS);
    if (this.#isReady) this.#worker.postMessage(message, []);
    else this.#first = message;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #receive(message: WorkerMessage): void {
    if (message.type === 'answer') {
      if (message.id === this.#id) this.#end(message.outcome);
      return;
    }
    this.#isReady = true;
    this.#on.onReady(message.canReset);
    if (this.#first === undefined) return;
    this.#worker.postMessage(this.#first, []);
    this.#first = undefined;
    this.#terminateAfter(this.#budgetMs);
  }

  #terminateAfter(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#terminate(), ms);
  }

  #terminate(): void {
    this.#isStuck = true;
    void this.#worker.terminate();
  }

  #exited(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#on.onExit();
    this.#end(this.#isStuck ? STUCK : BROKEN);
  }

  #end(outcome: CallOutcome): void {
    const answer = this.#answer;
    this.#answer = null;
    clearTimeout(this.#timer);
    this.#worker.unref();
    if (this.#known.size >= MAX_BUNDLES) this.#terminate();
    answer?.(outcome);
  }
}

/** Where packages come from under Yarn's Plug'n'Play, which a thread without its environment does not know. */
function yarnLoader(): string[] {
  if (process.versions['pnp'] === undefined) return [];
  const api = createRequire(import.meta.url).resolve('pnpapi');
  const loader = new URL('.pnp.loader.mjs', pathToFileURL(api)).href;
  return ['--require', api, '--experimental-loader', loader];
}
