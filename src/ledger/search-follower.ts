import type { Clock } from '../hooks/ports/clock.ts';
import type { LedgerLog } from '../hooks/ports/ledger.ts';

/** Before the first slice: what comes meanwhile shares it. */
const GATHERING_MS = 1000;
/** One slice: whoever wants the same thread meanwhile waits so long at most. */
const SLICE_MS = 20;
/** The same while requests come fast: it takes a core from those that accept them. */
const BUSY_SLICE_MS = 5;
/** Commits in a second from which on requests come fast. */
const BUSY_RATE = 50;
/** The share of a core that following takes at most. */
const SHARE = { idle: 0.5, busy: 0.01 };
/** An index that cannot be used is tried again. */
const AFTER_TROUBLE_MS = 60_000;

export interface Followed {
  readonly isBehind: boolean;
  readonly tookMs: number;
  /** What is the matter with the index, in a sentence without its stop; null: nothing is. */
  readonly trouble: string | null;
}

export interface FollowedIndex {
  /** Follows for about so long. @throws LedgerUnavailable */
  follow(budgetMs: number): Promise<Followed>;
  /** Whether there may be something to follow, of this process or one before it. */
  hasMore(): Promise<boolean>;
}

/** What was accepted can be searched a moment later while little comes, and mostly after a rush is over. */
export class SearchFollower {
  readonly #index: FollowedIndex;
  readonly #clock: Clock;
  readonly #log: LedgerLog;
  readonly #closing = new AbortController();
  #commits = 0;
  #isFollowing = false;
  #following = Promise.resolve();
  #trouble: string | null = null;

  constructor(index: FollowedIndex, clock: Clock, log: LedgerLog) {
    this.#index = index;
    this.#clock = clock;
    this.#log = log;
  }

  /** Something was committed that can be searched. Costs those who commit next to nothing. */
  note(): void {
    this.#commits += 1;
    if (this.#isFollowing || this.#closing.signal.aborted) return;
    this.#isFollowing = true;
    this.#following = this.#follow();
  }

  /** Something may have been forgotten, by this process or one before it. */
  async look(): Promise<void> {
    if (await this.#index.hasMore()) this.note();
  }

  /** Follows nothing more; nothing is under way afterwards. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#following;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing;
    let rest = 0;
    let followed: number;
    do {
      const [commits, began] = [this.#commits, this.#clock.elapsed()];
      await this.#clock.wait(rest || GATHERING_MS, signal);
      if (signal.aborted) return;
      const seconds = Math.max(1, this.#clock.elapsed() - began) / 1000;
      followed = this.#commits;
      rest = await this.#slice((followed - commits) / seconds > BUSY_RATE);
      // What was committed meanwhile did not begin anything, since this was under way: asked last of all.
    } while (rest > 0 || followed !== this.#commits);
    this.#isFollowing = false;
  }

  /** @returns how long to rest until the next one, in milliseconds; 0: there was nothing more to follow */
  async #slice(isBusy: boolean): Promise<number> {
    try {
      const budget = isBusy ? BUSY_SLICE_MS : SLICE_MS;
      const { isBehind, tookMs, trouble } = await this.#index.follow(budget);
      this.#tell(trouble);
      if (trouble !== null) return AFTER_TROUBLE_MS;
      return isBehind ? Math.ceil(tookMs / (isBusy ? SHARE.busy : SHARE.idle)) : 0;
    } catch {
      // The ledger says itself what is the matter with it.
      return AFTER_TROUBLE_MS;
    }
  }

  /** Once, when it begins. */
  #tell(trouble: string | null): void {
    if (trouble !== null && trouble !== this.#trouble) {
      this.#log.warn(`${trouble}: events cannot be searched until then. Nothing else is affected`);
    }
    this.#trouble = trouble;
  }
}
