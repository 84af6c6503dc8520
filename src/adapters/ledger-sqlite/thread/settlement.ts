import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { EventStatus } from '../../../hooks/ports/stories.ts';
import { integer, text } from './row.ts';
import type { Row } from './row.ts';

/** Derives an event's status from what became of its effects. */
export class Settlement {
  readonly #stand: StatementSync;
  readonly #settle: StatementSync;

  constructor(db: DatabaseSync) {
    // Events that were never understood or had nothing to do stay what they are.
    this.#stand = db.prepare(
      `SELECT status, beats_open, beats_failed, beats_done,
         (SELECT count(*) FROM runs WHERE event_id = e.id
          AND status IN ('queued', 'running')) AS runs_open,
         (SELECT count(*) FROM runs WHERE event_id = e.id
          AND status IN ('failed', 'timed-out', 'interrupted')) AS runs_bad,
         (SELECT count(*) FROM runs WHERE event_id = e.id
          AND (attempts > 0 OR status <> 'queued')) AS runs_begun,
         (SELECT count(*) FROM deliveries WHERE event_id = e.id
          AND status = 'pending') AS deliveries_open,
         (SELECT count(*) FROM deliveries WHERE event_id = e.id
          AND status IN ('dead', 'unknown')) AS deliveries_bad
       FROM events e WHERE id = ? AND error IS NULL AND status <> 'skipped'`,
    );
    this.#settle = db.prepare('UPDATE events SET status = ? WHERE id = ?');
  }

  settle(eventIds: Iterable<string>): void {
    for (const id of eventIds) {
      const row = this.#stand.get(id);
      if (row === undefined) continue;
      const status = statusOf(row);
      if (status !== text(row, 'status')) this.#settle.run(status, id);
    }
  }
}

function statusOf(row: Row): EventStatus {
  const sum = (...columns: string[]) =>
    columns.reduce((total, column) => total + integer(row, column), 0);
  if (sum('runs_open', 'deliveries_open', 'beats_open') > 0) {
    const begun = sum('runs_begun', 'beats_open', 'beats_failed', 'beats_done') > 0;
    return begun || text(row, 'status') === 'running' ? 'running' : 'accepted';
  }
  return sum('runs_bad', 'deliveries_bad', 'beats_failed') > 0 ? 'failed' : 'done';
}
