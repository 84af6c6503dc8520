import { Injectable } from '@nestjs/common';
import { Clock } from '../ports/index.ts';
import { Rejection } from '../rejection.ts';

/** Most that wait at a time with one token, and in all: each holds a connection. */
const MOST_OF_ONE = 4;
const MOST = 100;

/** For `Retry-After`: in seconds, when a place may be free again. */
const RETRY_SECONDS = 5;

/** What a wait ends by, beside its time. */
export interface WaitEnds {
  /** Resolves when there is news. */
  readonly news: Promise<void>;
  /** Aborts when nobody waits any more. */
  readonly gone: AbortSignal;
}

/** The places in which senders wait for the end of a run. */
@Injectable()
export class RunWaits {
  readonly #places = new Map<string, number>();
  readonly #closing = new AbortController();
  #taken = 0;

  constructor(private readonly clock: Clock) {}

  /**
   * Resolves when there is news, when nobody waits for it any more, after `ms`, or at a stop, whichever comes first.
   * @param sender how it was verified: who has so many places
   * @throws Rejection too_many_waits, waits_full
   */
  async hold(sender: string, ms: number, { news, gone }: WaitEnds): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const own = this.#places.get(sender) ?? 0;
    if (own >= MOST_OF_ONE) throw new Rejection('too_many_waits', '', RETRY_SECONDS);
    if (this.#taken >= MOST) throw new Rejection('waits_full', '', RETRY_SECONDS);
    this.#places.set(sender, own + 1);
    this.#taken += 1;
    const heard = new AbortController();
    void news.then(() => heard.abort());
    try {
      const ends = AbortSignal.any([heard.signal, gone, this.#closing.signal]);
      await this.clock.wait(ms, ends);
    } finally {
      this.#giveBack(sender);
    }
  }

  /** Ends all waits, and every later one at once: their senders are told how the run stands. */
  close(): void {
    this.#closing.abort();
  }

  #giveBack(sender: string): void {
    const left = (this.#places.get(sender) ?? 1) - 1;
    if (left === 0) this.#places.delete(sender);
    else this.#places.set(sender, left);
    this.#taken -= 1;
  }
}
