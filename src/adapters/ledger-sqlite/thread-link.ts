import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import type { Clock } from '../../hooks/ports/clock.ts';
import { LedgerUnavailable } from '../../hooks/ports/intake.ts';
import type { Lane } from '../../hooks/ports/new-work.ts';
import { CLOSE } from './calls.ts';
import type { BatchAnswer, CallFailure, CallMap } from './calls.ts';
import { Gathering } from './gathering.ts';

/** Calls of one batch: more would keep the first of them waiting for the last. */
const MAX_BATCH = 256;

/** Whoever can do the calls of `C`. */
export interface Caller<C extends CallMap<C>> {
  /** Calls that were asked for and not answered yet. */
  readonly waiting: number;
  /** @throws LedgerUnavailable when the store cannot be used. */
  call<K extends keyof C>(name: K, ...args: C[K]['args']): Promise<C[K]['result']>;
}

interface Pending {
  readonly call: { readonly name: PropertyKey; readonly args: readonly unknown[] };
  /** As a method: each call resolves to a result of its own type. */
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * Group commit, the main side: gathers calls and keeps at most one batch under way, so that under load a batch is as
 * large as what arrived during the commit before it, and alone a call goes at once. No timer is involved.
 */
export class ThreadLink<C extends CallMap<C>> implements Caller<C> {
  readonly #worker: Worker;
  readonly #clock: Clock;
  readonly #onRing: (lanes: readonly Lane[]) => void;
  readonly #gathering = new Gathering();
  #waiting: Pending[] = [];
  #underWay: Pending[] = [];
  #scheduled = false;
  #refusal: string | null = null;
  #drained: (() => void) | null = null;

  constructor(worker: Worker, clock: Clock, onRing: (lanes: readonly Lane[]) => void = () => {}) {
    this.#worker = worker;
    this.#clock = clock;
    this.#onRing = onRing;
    worker.on('message', (answer: BatchAnswer) => this.#take(answer));
    worker.on('error', () => this.#lose('the thread of the ledger broke: restart the service'));
    worker.on('exit', () => this.#lose('the thread of the ledger has ended: restart the service'));
    worker.unref();
  }

  get waiting(): number {
    return this.#waiting.length + this.#underWay.length;
  }

  /** False once the thread ended. */
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
    this.#refusal = 'the ledger is closed';
    if (this.waiting > 0) await new Promise<void>((resolve) => (this.#drained = resolve));
    const ended = once(this.#worker, 'exit');
    this.#worker.ref();
    this.#worker.postMessage(CLOSE, []);
    await ended;
  }

  #schedule(): void {
    if (this.#scheduled || this.#underWay.length > 0) return;
    this.#scheduled = true;
    this.#gather();
  }

  #gather(): void {
    setImmediate(() => {
      const { length } = this.#waiting;
      if (length >= MAX_BATCH || this.#gathering.isComplete(length)) this.#send();
      else this.#gather();
    });
  }

  #send(): void {
    this.#scheduled = false;
    if (this.#waiting.length === 0) return;
    this.#underWay = this.#waiting.splice(0, MAX_BATCH);
    // Nobody may end the process while somebody waits for an answer.
    this.#worker.ref();
    const calls = this.#underWay.map(({ call }) => call);
    this.#worker.postMessage({ now: this.#clock.now(), calls }, []);
  }

  #take({ values, failures, rung }: BatchAnswer): void {
    const answered = this.#underWay;
    this.#underWay = [];
    const failed = new Map(failures.map((failure) => [failure.index, toError(failure)]));
    for (const [index, pending] of answered.entries()) {
      const error = failed.get(index);
      if (error === undefined) pending.resolve(values[index]);
      else pending.reject(error);
    }
    if (rung.length > 0) this.#onRing(rung);
    this.#gathering.expect(answered.length, this.#waiting.length);
    if (this.#waiting.length > 0) this.#schedule();
    else this.#rest();
  }

  #rest(): void {
    this.#worker.unref();
    this.#drained?.();
  }

  #lose(reason: string): void {
    this.#refusal ??= reason;
    const lost = [...this.#underWay, ...this.#waiting];
    this.#underWay = [];
    this.#waiting = [];
    for (const pending of lost) pending.reject(new LedgerUnavailable(reason));
    this.#drained?.();
  }
}

function toError({ unavailable, message }: CallFailure): Error {
  return unavailable ? new LedgerUnavailable(message) : new Error(message);
}
