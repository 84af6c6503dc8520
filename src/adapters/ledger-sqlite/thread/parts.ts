import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { WorkPart } from '../../../hooks/ports/work-ledger.ts';
import { integer, text } from './row.ts';

/** What is left of deliveries that were cut into parts. A part that is done is gone; the others go with their work. */
export class Parts {
  readonly #insert: StatementSync;
  readonly #first: StatementSync;
  readonly #dropFirst: StatementSync;

  constructor(db: DatabaseSync) {
    this.#insert = db.prepare(
      'INSERT INTO parts (work_id, place, count, text) VALUES (?, ?, ?, ?)',
    );
    const first = 'FROM parts WHERE work_id = ? ORDER BY n LIMIT 1';
    this.#first = db.prepare(`SELECT place, count, text ${first}`);
    this.#dropFirst = db.prepare(`DELETE FROM parts WHERE n = (SELECT n ${first})`);
  }

  add(workId: number, texts: readonly string[]): void {
    for (const [index, text] of texts.entries()) {
      this.#insert.run(workId, index + 1, texts.length, text);
    }
  }

  /** The part that is to be done next; undefined: the work was never cut. */
  first(workId: number): WorkPart | undefined {
    const row = this.#first.get(workId);
    if (row === undefined) return undefined;
    return { text: text(row, 'text'), place: integer(row, 'place'), count: integer(row, 'count') };
  }

  dropFirst(workId: number): void {
    this.#dropFirst.run(workId);
  }
}
