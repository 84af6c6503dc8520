// What goes wrong with the index is its own trouble: the ledger is only read.
import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { EventFilter } from '../../../../hooks/ports/event-store.ts';
import type { ReaderCalls } from '../../protocol.ts';
import { removeSearchFile } from '../../search-file.ts';
import type { Tx } from '../../../tx.ts';
import { storeTrouble } from '../file/store-trouble.ts';
import { EventTexts } from './event-texts.ts';
import { Finding } from './finding.ts';
import { Following } from './following.ts';
import { IndexTables } from './index-tables.ts';
import { isOfThisEdition, openIndexFile } from './index-file.ts';

/** Below, the index grows no more: the room is for events. */
const LEAST_FREE_BYTES = 256 * 1024 * 1024;
/** How long a search waits for what is not in the index yet. */
const CATCH_UP_MS = 50;
/** SQLite's codes of a file that is damaged, or not what it should be. */
const DAMAGED = new Set([1, 11, 26]);

interface Opened {
  readonly db: DatabaseSync;
  readonly tables: IndexTables;
  readonly following: Following;
  readonly finding: Finding;
}

export class SearchIndex {
  readonly #ledger: DatabaseSync;
  readonly #tx: Tx;
  readonly #file: string | null;
  readonly #texts: EventTexts;
  #opened: Opened | null = null;

  /** @param file null: in memory */
  constructor(ledger: DatabaseSync, tx: Tx, file: string | null) {
    this.#ledger = ledger;
    this.#tx = tx;
    this.#file = file;
    this.#texts = new EventTexts(ledger);
  }

  /** One slice of following the ledger, then of removing what was forgotten; at rest, all of it is in the file. */
  follow(budgetMs: number): ReaderCalls['follow']['result'] {
    const began = performance.now();
    try {
      const isBehind = this.#step(began + budgetMs);
      const followed = isBehind ? null : this.#settle();
      return { isBehind, followed, tookMs: performance.now() - began, trouble: null };
    } catch (error) {
      const trouble = this.#giveUp(error);
      return { isBehind: true, followed: null, tookMs: performance.now() - began, trouble };
    }
  }

  /** What came a moment ago is looked for first: it may not be in the index yet. */
  async search(filter: EventFilter, search: string): Promise<ReaderCalls['search']['result']> {
    try {
      const isBehind = this.#step(this.#file === null ? Infinity : performance.now() + CATCH_UP_MS);
      const { finding, following } = this.#open();
      const searchedUntil = isBehind ? following.behindSince() : null;
      return { trouble: null, page: { ...(await finding.find(filter, search)), searchedUntil } };
    } catch (error) {
      return { trouble: this.#giveUp(error), page: null };
    }
  }

  close(): void {
    const { db } = this.#opened ?? {};
    this.#opened = null;
    db?.close();
  }

  #step(until: number): boolean {
    const { db, tables, following } = this.#open();
    const isOver = () => performance.now() > until;
    db.exec('BEGIN IMMEDIATE');
    let isBehind = following.step(isOver, this.#hasRoom());
    while (!isBehind && tables.cleanUp()) isBehind = isOver();
    db.exec('COMMIT');
    return isBehind;
  }

  /** Nothing of what was forgotten stays in the log, and the ledger may forget what was followed. */
  #settle(): number {
    const { db, following } = this.#open();
    db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    return following.change;
  }

  #open(): Opened {
    if (this.#opened?.following.hasMissed === true) this.close();
    return (this.#opened ??= this.#tryToOpen() ?? this.#openAnew());
  }

  /** Null: what is there is of no use. */
  #tryToOpen(): Opened | null {
    const db = openIndexFile(this.#file);
    try {
      const opened = isOfThisEdition(db) ? this.#begin(db) : null;
      if (opened === null) db.close();
      return opened;
    } catch (error) {
      db.close();
      throw error;
    }
  }

  #openAnew(): Opened {
    if (this.#file !== null) removeSearchFile(this.#file);
    const opened = this.#begin(openIndexFile(this.#file));
    if (opened === null) throw new Error('a new index cannot be used');
    return opened;
  }

  #begin(db: DatabaseSync): Opened | null {
    const tables = new IndexTables(db);
    const following = new Following(this.#ledger, this.#texts, db, tables);
    if (!following.resume()) return null;
    return { db, tables, following, finding: new Finding(this.#tx, this.#texts, tables) };
  }

  /**
   * What is damaged is made anew with the next call; anything else may pass by itself.
   * @returns what is the matter, in a sentence
   */
  #giveUp(error: unknown): string {
    try {
      this.close();
      if (this.#file !== null && isDamage(error)) {
        removeSearchFile(this.#file);
        return 'search.db was damaged and is made anew';
      }
    } catch {
      return 'search.db is damaged and cannot be removed: remove it';
    }
    const trouble = storeTrouble(error)?.replaceAll('the ledger', 'search.db');
    return trouble ?? 'search.db cannot be used';
  }

  /** A full disk costs events; the index can wait. */
  #hasRoom(): boolean {
    if (this.#file === null) return true;
    const { bavail, bsize } = statfsSync(dirname(this.#file));
    return bavail * bsize > LEAST_FREE_BYTES;
  }
}

function isDamage(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return false;
  return typeof error.errcode === 'number' && DAMAGED.has(error.errcode & 0xff);
}
