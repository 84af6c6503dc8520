import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { AttemptNote } from '../../../hooks/ports/change.ts';
import type { Lane } from '../../../hooks/ports/new-work.ts';
import { integer, optionalText, text } from './row.ts';
import type { Row } from './row.ts';

/** Attempts that ended without a word: their work is claimable again, and the story says what happened. */
export class Interruptions {
  readonly #endExpired: StatementSync;
  readonly #endAll: StatementSync;
  readonly #noteRun: StatementSync;
  readonly #noteDelivery: StatementSync;

  constructor(db: DatabaseSync) {
    const end = `UPDATE work SET stage = 'ready', due_at = ?1, crashed = 1 WHERE stage = 'leased'`;
    const told = 'RETURNING kind, ref, attempt';
    this.#endExpired = db.prepare(`${end} AND lane = ?2 AND due_at <= ?1 ${told}`);
    this.#endAll = db.prepare(`${end} ${told}`);
    this.#noteRun = db.prepare(
      `UPDATE runs SET status = 'queued', notes = json_insert(notes, '$[#]', json(?)) WHERE id = ?`,
    );
    this.#noteDelivery = db.prepare(
      `UPDATE deliveries SET notes = json_insert(notes, '$[#]', json(?)) WHERE id = ?`,
    );
  }

  /** Leases that nobody has renewed in time. */
  endExpired(lane: Lane, now: number): void {
    for (const row of this.#endExpired.all(now, lane)) this.#tell(row, now);
  }

  /** Leases of the process before this one. */
  endAll(now: number): void {
    for (const row of this.#endAll.all(now)) this.#tell(row, now);
  }

  #tell(row: Row, now: number): void {
    const ref = optionalText(row, 'ref');
    const note: AttemptNote = { at: now, attempt: integer(row, 'attempt'), outcome: 'interrupted' };
    const kind = text(row, 'kind');
    if (kind === 'run') this.#noteRun.run(JSON.stringify(note), ref);
    if (kind === 'delivery') this.#noteDelivery.run(JSON.stringify(note), ref);
  }
}
