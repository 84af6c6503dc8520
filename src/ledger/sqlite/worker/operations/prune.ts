// Steps of forgetting, each one call among others in a group; then the pages that this left free.
import type { DatabaseSync } from 'node:sqlite';
import type { Retention } from '../../../../hooks/ports/ledger.ts';
import { Pruning } from '../../../retention/pruning.ts';
import { integer } from '../../../rows.ts';
import type { Tx } from '../../../tx.ts';
import type { ClockSteps } from '../work/clock-steps.ts';

/** Pages that one step may give back to the disk. */
const STEP_PAGES = 200;
/** A file keeps up to this share of free pages, since what comes next needs them again. */
const KEPT_FREE_SHARE = 0.1;
/** Nor is it worth the trouble below so many. */
const KEPT_FREE_PAGES = 256;

export class FilePruning {
  readonly #db: DatabaseSync;
  readonly #clock: ClockSteps;
  readonly #steps = new Pruning();
  #forgot: 'nothing' | 'something' | 'all' = 'nothing';

  constructor(db: DatabaseSync, clock: ClockSteps) {
    this.#db = db;
    this.#clock = clock;
  }

  /** True: there is more to do. */
  async step(tx: Tx, retention: Retention): Promise<boolean> {
    const host = {
      // Inside of that of its group.
      transaction: <T>(act: (inner: Tx) => Promise<T>) => act(tx),
      mayForget: () => this.#clock.isBelieved(tx.now),
    };
    const forgotten = await this.#steps.step(host, retention);
    if (forgotten === null) return false;
    const hasFreePages = this.#shrink();
    const hasMore = Pruning.hasMore(forgotten) || hasFreePages;
    if (forgotten > 0) this.#forgot = 'something';
    if (this.#forgot === 'something' && !hasMore) this.#forgot = 'all';
    return hasMore;
  }

  /** The transaction was rolled back. */
  forget(): void {
    this.#steps.beginAnew();
  }

  /** True, once: everything that was old is forgotten, and some of it just now. */
  takeForgotten(): boolean {
    if (this.#forgot !== 'all') return false;
    this.#forgot = 'nothing';
    return true;
  }

  /** Something was forgotten by an operator's word: the log is not to hold it any longer either. */
  noteForgotten(): void {
    if (this.#forgot === 'nothing') this.#forgot = 'all';
  }

  /** Gives free pages back to the disk. True: there are more. */
  #shrink(): boolean {
    const row = this.#db.prepare(FREE_PAGES).get()!;
    const kept = Math.max(KEPT_FREE_PAGES, integer(row, 'pages') * KEPT_FREE_SHARE);
    const surplus = Math.floor(integer(row, 'free') - kept);
    if (surplus <= 0) return false;
    // `exec` takes every step of the pragma, which is one per page.
    this.#db.exec(`PRAGMA incremental_vacuum(${Math.min(STEP_PAGES, surplus)})`);
    return surplus > STEP_PAGES;
  }
}

const FREE_PAGES = `SELECT freelist_count AS free, page_count AS pages
  FROM pragma_freelist_count, pragma_page_count`;
