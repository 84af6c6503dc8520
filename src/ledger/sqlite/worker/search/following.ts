// New events are followed by their keys, earlier ones by changed-texts.ts; no commit waits for it.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { integer, optionalInteger, time } from '../../../rows.ts';
import type { EventTexts } from './event-texts.ts';
import { prepareWrite } from './index-tables.ts';
import type { IndexTables } from './index-tables.ts';

/** How far one index has followed one ledger. Every method is called inside of a transaction of both. */
export class Following {
  readonly #texts: EventTexts;
  readonly #tables: IndexTables;
  readonly #ledger: ReturnType<typeof prepareLedger>;
  readonly #progress: ReturnType<typeof prepareProgress>;
  #change = 0;
  #event: number | null = null;

  constructor(ledger: DatabaseSync, texts: EventTexts, db: DatabaseSync, tables: IndexTables) {
    this.#texts = texts;
    this.#tables = tables;
    this.#ledger = prepareLedger(ledger);
    this.#progress = prepareProgress(db);
  }

  /**
   * Goes on where the index stopped.
   * @returns false: it followed another ledger, or an other state of this one, and has to be made anew
   */
  resume(): boolean {
    const row = this.#progress.get.get();
    if (row === undefined) {
      // A new index reads every event, and so has no need of what changed before.
      this.#change = this.#changes().newest;
      this.#progress.begin.run(this.#change);
      return true;
    }
    this.#change = integer(row, 'change');
    this.#event = optionalInteger(row, 'event');
    if (this.hasMissed) return false;
    return this.#event === null || this.#knows(this.#event);
  }

  /** Some of the changes that it did not follow are gone, or some that it followed never came: it has to be made anew. */
  get hasMissed(): boolean {
    const { oldest, newest } = this.#changes();
    return this.#change < oldest - 1 || this.#change > newest;
  }

  /** @param canGrow false: only what was forgotten is followed. @returns true: there is more to follow */
  step(until: () => boolean, canGrow: boolean): boolean {
    const isBehind = this.#followChanges(until, canGrow) || this.#followEvents(until, canGrow);
    this.#progress.set.run(this.#change, this.#event);
    return isBehind;
  }

  /** How far changes were followed: the ledger need not keep those before. */
  get change(): number {
    return this.#change;
  }

  /** When the first event came that has something which is not in the index; null: all of it is. */
  behindSince(): string | null {
    const [first] = [
      this.#ledger.changedEvent.get(this.#change),
      this.#ledger.nextEvent.get(this.#event ?? -Infinity),
    ]
      .filter((row) => row !== undefined)
      .toSorted((a, b) => integer(a, 'received_at') - integer(b, 'received_at'));
    return first === undefined ? null : time(first, 'received_at');
  }

  #followChanges(until: () => boolean, canGrow: boolean): boolean {
    for (const row of this.#ledger.changes.iterate(this.#change)) {
      if (until()) return true;
      const key = integer(row, 'event');
      // One that is still to come is read as it is then.
      if (this.#event !== null && key <= this.#event && !this.#follow(key, canGrow)) return true;
      this.#change = integer(row, 'n');
    }
    return false;
  }

  #followEvents(until: () => boolean, canGrow: boolean): boolean {
    if (!canGrow) return this.#ledger.nextEvent.get(this.#event ?? -Infinity) !== undefined;
    for (const row of this.#ledger.events.iterate(this.#event ?? -Infinity)) {
      if (until()) return true;
      const key = integer(row, 'key');
      this.#follow(key, true);
      this.#event = key;
    }
    return false;
  }

  /** False: it has texts, for which there is no room. */
  #follow(key: number, canGrow: boolean): boolean {
    const text = this.#texts.of(key);
    if (text === null) this.#tables.remove(key);
    else if (canGrow) this.#tables.put(key, text);
    return text === null || canGrow;
  }

  #knows(key: number): boolean {
    if (this.#ledger.event.get(key) !== undefined) return true;
    return this.#ledger.isChanged.get(key, this.#change) !== undefined;
  }

  #changes(): { oldest: number; newest: number } {
    const row = this.#ledger.span.get()!;
    return { oldest: integer(row, 'oldest'), newest: integer(row, 'newest') };
  }
}

function prepareLedger(
  ledger: DatabaseSync,
): Readonly<
  Record<
    'events' | 'nextEvent' | 'event' | 'changes' | 'changedEvent' | 'isChanged' | 'span',
    StatementSync
  >
> {
  return {
    events: ledger.prepare('SELECT key FROM events WHERE key > ? ORDER BY key'),
    nextEvent: ledger.prepare('SELECT received_at FROM events WHERE key > ? ORDER BY key LIMIT 1'),
    event: ledger.prepare('SELECT 1 FROM events WHERE key = ?'),
    changes: ledger.prepare('SELECT n, event FROM changed_texts WHERE n > ? ORDER BY n'),
    changedEvent: ledger.prepare(
      `SELECT received_at FROM changed_texts CROSS JOIN events ON key = event
       WHERE n > ? ORDER BY n LIMIT 1`,
    ),
    isChanged: ledger.prepare('SELECT 1 FROM changed_texts WHERE event = ? AND n > ?'),
    // One of the two in a query is a seek, both are a scan.
    span: ledger.prepare(
      `SELECT (SELECT min(n) FROM changed_texts) AS oldest,
         (SELECT max(n) FROM changed_texts) AS newest`,
    ),
  };
}

function prepareProgress(db: DatabaseSync) {
  return {
    get: db.prepare('SELECT change, event FROM progress'),
    begin: prepareWrite(db, 'INSERT INTO progress (change) VALUES (?)'),
    set: prepareWrite(db, 'UPDATE progress SET change = ?, event = ?'),
  };
}
