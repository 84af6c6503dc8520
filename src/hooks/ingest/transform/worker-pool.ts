import { Logger } from '@nestjs/common';
import type { GuestOutcome } from './thread/messages.ts';
import { WorkerSeat } from './worker-seat.ts';
import type { PoolCall } from './worker-seat.ts';

/** Calls that may wait, and what they may hold in characters: beyond, a sender is better told to come again. */
const MAX_WAITING = 1000;
const MAX_WAITING_CHARS = 32 * 1024 * 1024;

/** A call that waited longer than this many of its timeouts is given up: whoever waits has gone. */
const MAX_WAIT_TIMEOUTS = 10;

interface Waiting {
  readonly call: PoolCall;
  readonly since: number;
  readonly resolve: (outcome: GuestOutcome | null) => void;
}

/** A few disposable threads and a bounded queue before them. Threads are started when there is something to do. */
export class WorkerPool {
  readonly #logger = new Logger(WorkerPool.name);
  readonly #seats = new Set<WorkerSeat>();
  readonly #waiting: Waiting[] = [];
  #waitingChars = 0;
  readonly #running: string[] = [];
  /** Bundles whose last call was stuck: one thread is all they get, so that they cost only themselves. */
  readonly #suspects = new Set<string>();
  #size = 1;
  #isClosed = false;

  /** How many threads there are. */
  get threads(): number {
    return this.#seats.size;
  }

  /** @returns null when the queue is full or was too long: nothing was run. */
  run(call: PoolCall, workers: number): Promise<GuestOutcome | null> {
    this.#size = workers;
    const { length } = call.context;
    if (this.#isClosed || this.#waiting.length >= MAX_WAITING) return Promise.resolve(null);
    if (this.#waitingChars + length > MAX_WAITING_CHARS && this.#waiting.length > 0) {
      return Promise.resolve(null);
    }
    return new Promise((resolve) => {
      this.#waiting.push({ call, since: performance.now(), resolve });
      this.#waitingChars += length;
      this.#pump();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { resolve } of this.#waiting.splice(0)) resolve(null);
    await Promise.all([...this.#seats].map((seat) => seat.close()));
  }

  #pump(): void {
    for (;;) {
      const at = this.#waiting.findIndex(({ call }) => this.#mayRun(call));
      if (at < 0) return;
      const seat = this.#freeSeat();
      if (seat === null) return;
      const [next] = this.#waiting.splice(at, 1);
      if (next === undefined) return;
      this.#waitingChars -= next.call.context.length;
      this.#begin(seat, next);
    }
  }

  #begin(seat: WorkerSeat, { call, since, resolve }: Waiting): void {
    if (performance.now() - since > MAX_WAIT_TIMEOUTS * call.limits.timeoutMs) {
      resolve(null);
      return;
    }
    this.#running.push(call.key);
    seat.run(call, (outcome) => {
      this.#running.splice(this.#running.indexOf(call.key), 1);
      if (outcome.kind === 'timeout') this.#suspects.add(call.key);
      else this.#suspects.delete(call.key);
      resolve(outcome);
      this.#pump();
    });
  }

  #mayRun({ key }: PoolCall): boolean {
    return !this.#suspects.has(key) || !this.#running.includes(key);
  }

  #freeSeat(): WorkerSeat | null {
    const free = [...this.#seats].find(({ isFree }) => isFree);
    if (free !== undefined) return free;
    if (this.#isClosed || this.#seats.size >= this.#size) return null;
    const seat = new WorkerSeat({
      gone: () => {
        this.#seats.delete(seat);
        this.#pump();
      },
      resets: (resets) => {
        if (!resets) this.#logger.warn('guests cannot be put back: each call gets a new one');
      },
    });
    this.#seats.add(seat);
    return seat;
  }
}
