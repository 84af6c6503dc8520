import { Worker } from 'node:worker_threads';
import type { CallLimits, GuestCall, GuestOutcome, ThreadMessage } from './thread/messages.ts';

/** How long after the deadline inside a thread is given up from outside. */
const GRACE_MS = 250;

/** How long a new thread may take before its first call begins. */
const START_MS = 10_000;

/** A thread that was given this many bundles, by edits, is replaced: it remembers them all. */
const MAX_BUNDLES = 64;

/** Heap of a thread itself; what guests take is not in it. */
const THREAD_HEAP = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };

const STUCK: GuestOutcome = { kind: 'timeout', console: [] };
const BROKEN: GuestOutcome = {
  kind: 'threw',
  name: 'Error',
  message: 'its thread broke',
  stack: '',
  console: [],
};

/** A call as the pool knows it. */
export interface PoolCall extends Omit<GuestCall, 'id' | 'code'> {
  readonly code: string;
  readonly limits: CallLimits;
}

/** One disposable thread with one call at a time. Whoever gave the call gets an outcome, whatever becomes of the thread. */
export class WorkerSeat {
  readonly #worker: Worker;
  readonly #known = new Set<string>();
  readonly #onGone: () => void;
  readonly #onResets: (resets: boolean) => void;
  #id = 0;
  #budgetMs = 0;
  #answer: ((outcome: GuestOutcome) => void) | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isReady = false;
  #isStuck = false;
  #isGone = false;

  constructor(on: { gone: () => void; resets: (resets: boolean) => void }) {
    this.#onGone = on.gone;
    this.#onResets = on.resets;
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    this.#worker = new Worker(new URL(`./thread/worker.${extension}`, import.meta.url), {
      name: 'transform',
      env: {},
      execArgv: [],
      stdin: false,
      resourceLimits: THREAD_HEAP,
    });
    this.#worker.on('message', (message: ThreadMessage) => this.#hear(message));
    // What it died of may hold text of a payload; who waits is told that it died.
    this.#worker.on('error', () => this.#die());
    this.#worker.on('exit', () => this.#die());
    this.#worker.unref();
  }

  get isFree(): boolean {
    return this.#answer === null && !this.#isGone && !this.#isStuck;
  }

  run(call: PoolCall, answer: (outcome: GuestOutcome) => void): void {
    const { code, ...rest } = call;
    const isKnown = this.#known.has(call.key);
    this.#known.add(call.key);
    this.#answer = answer;
    this.#id += 1;
    const message: GuestCall = { ...rest, id: this.#id, ...(!isKnown && { code }) };
    // Nobody may end the process while somebody waits for an answer.
    this.#worker.ref();
    this.#budgetMs = call.limits.timeoutMs + GRACE_MS;
    this.#watch(this.#isReady ? this.#budgetMs : START_MS);
    this.#worker.postMessage(message, []);
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #hear(message: ThreadMessage): void {
    if (message.type === 'answer') {
      if (message.id === this.#id) this.#end(message.outcome);
      return;
    }
    this.#isReady = true;
    this.#onResets(message.resets);
    if (this.#answer !== null) this.#watch(this.#budgetMs);
  }

  #watch(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#giveUp(), ms);
  }

  #giveUp(): void {
    this.#isStuck = true;
    void this.#worker.terminate();
  }

  #die(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#onGone();
    this.#end(this.#isStuck ? STUCK : BROKEN);
  }

  #end(outcome: GuestOutcome): void {
    const answer = this.#answer;
    this.#answer = null;
    clearTimeout(this.#timer);
    this.#worker.unref();
    if (this.#known.size >= MAX_BUNDLES) this.#giveUp();
    answer?.(outcome);
  }
}
