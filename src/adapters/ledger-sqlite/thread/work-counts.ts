import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { WorkCounts } from '../../../hooks/ports/operations.ts';
import { KINDS } from './claims.ts';
import { integer, word } from './row.ts';

const STATES = ['waiting', 'running', 'dead'] as const;

/** Counts work by kind and state, from an index alone. */
export class WorkCounter {
  readonly #count: StatementSync;

  constructor(db: DatabaseSync) {
    this.#count = db.prepare(
      `SELECT kind, CASE stage WHEN 'leased' THEN 'running' WHEN 'dead' THEN 'dead'
         ELSE 'waiting' END AS state, count(*) AS count
       FROM work INDEXED BY work_due GROUP BY 1, 2`,
    );
  }

  counts(): readonly WorkCounts[] {
    return this.#count.all().map((row) => ({
      kind: word(row, 'kind', KINDS),
      state: word(row, 'state', STATES),
      count: integer(row, 'count'),
    }));
  }
}
