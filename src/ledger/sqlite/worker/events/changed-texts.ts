// Triggers note in the very commit which texts have changed, for the index to read; new events it finds by keys.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { integer } from '../../../rows.ts';

/** More are not kept for an index that does not follow; it is made anew then. */
const MOST_KEPT = 1_000_000;
/** Deleted at a time, which shares the writer with accepted events. */
const LOT = 10_000;

/** Of this connection alone, so that a ledger without search has none. */
const TRIGGERS = `
CREATE TEMP TRIGGER run_changed AFTER UPDATE OF prompt, reply ON main.runs
  WHEN new.prompt IS NOT old.prompt OR new.reply IS NOT old.reply
  BEGIN INSERT INTO changed_texts (event) VALUES (new.event); END;
CREATE TEMP TRIGGER bodies_forgotten AFTER UPDATE OF payload ON main.events
  BEGIN INSERT INTO changed_texts (event) VALUES (new.key); END;
CREATE TEMP TRIGGER event_deleted AFTER DELETE ON main.events
  BEGIN INSERT INTO changed_texts (event) VALUES (old.key); END;
CREATE TEMP TRIGGER event_late AFTER INSERT ON main.events
  WHEN new.key < (SELECT max(key) FROM events)
  BEGIN INSERT INTO changed_texts (event) VALUES (new.key); END;
`;

const NEWEST = '(SELECT max(n) FROM changed_texts)';
const OLDEST = '(SELECT min(n) FROM changed_texts)';

export class ChangedTexts {
  readonly #sql: Readonly<Record<'isMore' | 'trim', StatementSync>>;

  constructor(db: DatabaseSync) {
    db.exec(TRIGGERS);
    this.#sql = {
      // One of the two in a query is a seek, both are a scan.
      isMore: db.prepare(`SELECT ${NEWEST} > ${OLDEST} AS more`),
      trim: db.prepare(
        `DELETE FROM changed_texts WHERE n < min(max(?, ${NEWEST} - ${MOST_KEPT}), ${OLDEST} + ${LOT})`,
      ),
    };
  }

  /** Whether there is something that the index may not have followed. */
  get isMore(): boolean {
    return integer(this.#sql.isMore.get()!, 'more') === 1;
  }

  /** Numbers go on from the last row, which stays. @param followed 0: unknown. @returns whether more is left */
  trim(followed: number): boolean {
    return Number(this.#sql.trim.run(followed).changes) >= LOT;
  }
}
