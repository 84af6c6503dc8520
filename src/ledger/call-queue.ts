import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../hooks/ports/clock.ts';
import { LedgerUnavailable } from '../hooks/ports/ledger.ts';
import { errorMessage } from '../platform/errors.ts';
import type { CallMap, Caller } from './calls.ts';

/** Calls of one group: more would keep the first of them waiting for the last. */
const MAX_GROUP = 256;
/** Text of one group in characters, its last call aside: all of it is held until the commit. */
const MAX_GROUP_TEXT = 4 * 1024 * 1024;
/** Calls that are answered in one turn of the event loop: whoever else asks does not wait for a whole group's answers. */
const MOST_AT_ONCE = 8;
const CLOSED = 'the ledger is closed';

export interface Call<C extends CallMap<C>, K extends keyof C = keyof C> {
  readonly name: K;
  readonly args: C[K]['args'];
}

export interface Group<C extends CallMap<C>> {
  /** Epoch milliseconds by the clock of whoever opened the ledger. */
  readonly now: number;
  /** Milliseconds of a clock that nobody can set, by which steps of the other are noticed. */
  readonly elapsed: number;
  readonly calls: readonly Call<C>[];
}

export interface Outcome {
  /** By the place of the call in the group, perhaps promised; absent for a call that failed. */
  readonly values: readonly unknown[];
  readonly failures: readonly CallFailure[];
  readonly lost: string | null;
}

export interface CallFailure {
  readonly index: number;
  /** The store could not be used; the call itself was fine and may be repeated. */
  readonly unavailable: boolean;
  /** How it is seen that the file is damaged, where it is. */
  readonly damage?: string;
  readonly message: string;
}

/** Runs groups of calls, one after the other; `H` is what it is told beside them, `O` what it answers. */
export interface Host<C extends CallMap<C>, H = unknown, O extends Outcome = Outcome> {
  /** @throws Error when the host has ended without being asked to; nobody knows then what became of the group */
  run(group: Group<C> & H): Promise<O>;
  /** No group is under way. */
  close(): Promise<void>;
}

export interface QueuedCaller<C extends CallMap<C>> extends Caller<C> {
  readonly waiting: number;
}

export interface QueueOwner<C extends CallMap<C>, H, O extends Outcome> {
  /** Begins a host: with the first call, and again after one that ended without being asked to. */
  begin(): Promise<Host<C, H, O>>;
  head(): H;
  /** Called with each answer, once its calls are settled. */
  answered?(answer: O): void;
  damaged?(reason: string): void;
  /** Called when somebody asks while a group is under way, with how long it has been. */
  underWay?(ms: number): void;
  /** Called when a host ended without being asked to; a new one is begun. */
  died?(reason: string): void;
  /** Called once, when nothing can be done any more. */
  lost?(reason: string): void;
}

interface PendingCall<C extends CallMap<C>> {
  readonly call: Call<C>;
  /** As a method: each call resolves to a result of its own type. */
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * Group commit: what arrives while a group is under way is the next one, so a group grows with the load; alone a call
 * goes at once. One group at a time is under way, and nothing else gets into its transaction. No timer is involved.
 */
export class CallQueue<C extends CallMap<C>, H, O extends Outcome> implements QueuedCaller<C> {
  readonly #clock: Clock;
  readonly #owner: QueueOwner<C, H, O>;
  /** Null: none was begun, or it ended. */
  #host: Host<C, H, O> | null = null;
  #beginning: Promise<void> | null = null;
  #waiting: PendingCall<C>[] = [];
  #underWay: PendingCall<C>[] = [];
  #isScheduled = false;
  #isHeld = false;
  /** When the last group was given away, by {@link Clock.elapsed}. */
  #sentAt = 0;
  #refusal: string | null = null;
  #rested: (() => void)[] = [];

  constructor(clock: Clock, owner: QueueOwner<C, H, O>) {
    this.#clock = clock;
    this.#owner = owner;
  }

  get waiting(): number {
    return this.#waiting.length + this.#underWay.length;
  }

  call<K extends keyof C>(name: K, ...args: C[K]['args']): Promise<C[K]['result']> {
    if (this.#refusal !== null) return Promise.reject(new LedgerUnavailable(this.#refusal));
    return new Promise<C[K]['result']>((resolve, reject) => {
      this.#waiting.push({ call: { name, args }, resolve, reject });
      if (this.#underWay.length === 0) this.#schedule();
      else this.#owner.underWay?.(this.#clock.elapsed() - this.#sentAt);
    });
  }

  /** Begins a host if there is none. @throws Error that {@link QueueOwner.begin} throws */
  begin(): Promise<void> {
    this.#beginning ??= this.#begin();
    return this.#beginning;
  }

  /** Keeps what is asked for waiting, until what it returns is called, once. */
  hold(): () => void {
    this.#isHeld = true;
    return () => {
      this.#isHeld = false;
      this.#schedule();
    };
  }

  /** Lets everything asked for before finish, then closes the host. */
  async close(): Promise<void> {
    const refusal = this.#refusal;
    this.#refusal ??= CLOSED;
    await this.#beginning?.catch(() => {});
    if (refusal === null) {
      while (this.waiting > 0) await new Promise<void>((resolve) => this.#rested.push(resolve));
    }
    const host = this.#host;
    this.#host = null;
    await host?.close();
  }

  async #begin(): Promise<void> {
    try {
      this.#host = await this.#owner.begin();
      this.#schedule();
    } catch (error) {
      this.#fail(this.#waiting.splice(0), errorMessage(error));
      throw error;
    } finally {
      this.#beginning = null;
    }
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isHeld || this.#waiting.length === 0) return;
    if (this.#host === null) {
      this.begin().catch(() => {});
      return;
    }
    this.#isScheduled = true;
    this.#collect(0);
  }

  /** A group is complete once a turn of the event loop brings nothing more: senders come back together. */
  #collect(before: number): void {
    setImmediate(() => {
      const { length } = this.#waiting;
      if (length > before && length < MAX_GROUP) return this.#collect(length);
      this.#isScheduled = false;
      void this.#run();
    });
  }

  async #run(): Promise<void> {
    const host = this.#host;
    if (host === null || this.#isHeld || this.#underWay.length > 0) return;
    const length = groupLength(this.#waiting);
    if (length === 0) return;
    this.#underWay = this.#waiting.splice(0, length);
    const calls = this.#underWay.map(({ call }) => call);
    const [now, elapsed] = [this.#clock.now(), this.#clock.elapsed()];
    this.#sentAt = elapsed;
    const head = this.#owner.head();
    let answer: O;
    try {
      answer = await host.run({ ...head, now, elapsed, calls });
    } catch (error) {
      return this.#died(errorMessage(error));
    }
    await this.#settle(answer);
  }

  async #settle(answer: O): Promise<void> {
    if (answer.lost !== null) {
      this.#fail(this.#underWay.splice(0), answer.lost);
      return this.lose(answer.lost);
    }
    for (const value of answer.values) {
      // Its caller hears of it below, perhaps turns later.
      if (value instanceof Promise) value.catch(() => {});
    }
    const failed = new Map(answer.failures.map((failure) => [failure.index, failure]));
    for (const [index, pending] of this.#underWay.entries()) {
      if (index > 0 && index % MOST_AT_ONCE === 0) await nextTurn();
      const failure = failed.get(index);
      if (failure === undefined) pending.resolve(answer.values[index]);
      else pending.reject(toError(failure));
      if (failure?.damage !== undefined) this.#owner.damaged?.(failure.damage);
    }
    this.#underWay = [];
    this.#owner.answered?.(answer);
    this.#rest();
  }

  #died(reason: string): void {
    this.#host = null;
    this.#fail(this.#underWay.splice(0), reason);
    this.#owner.died?.(reason);
    this.#rest();
  }

  lose(reason: string): void {
    this.#refusal ??= reason;
    this.#fail(this.#waiting.splice(0), reason);
    this.#rest();
    this.#owner.lost?.(reason);
  }

  #rest(): void {
    for (const resolve of this.#rested.splice(0)) resolve();
    this.#schedule();
  }

  #fail(pending: readonly PendingCall<C>[], reason: string): void {
    for (const call of pending) call.reject(new LedgerUnavailable(reason));
  }
}

function groupLength(
  waiting: readonly { readonly call: { readonly args: readonly unknown[] } }[],
): number {
  let text = 0;
  let length = 0;
  while (length < waiting.length && length < MAX_GROUP && text < MAX_GROUP_TEXT) {
    text += textIn(waiting[length]!.call.args);
    length += 1;
  }
  return length;
}

/** Characters of the texts that stand in arguments themselves, and in lists: whatever is large does. */
function textIn(args: readonly unknown[]): number {
  let sum = 0;
  for (const arg of args) {
    if (Array.isArray(arg)) sum += textIn(arg);
    else if (typeof arg === 'object' && arg !== null) {
      for (const value of Object.values(arg)) if (typeof value === 'string') sum += value.length;
    } else if (typeof arg === 'string') sum += arg.length;
  }
  return sum;
}

function toError({ unavailable, message }: CallFailure): Error {
  return unavailable ? new LedgerUnavailable(message) : new Error(message);
}
