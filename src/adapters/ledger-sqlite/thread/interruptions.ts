import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { AttemptNote } from '../../../hooks/ports/change.ts';
import { LEASE_MS } from '../../../hooks/ports/work-ledger.ts';
import { integer, optionalText, text } from './row.ts';
import type { Row } from './row.ts';

/** More than any step asks for: retries end a day after acceptance. */
const LONGEST_WAIT_MS = 25 * 3_600_000;

/** Attempts that ended without a word: their work is claimable again, and the story says what happened. */
export class Interruptions {
  readonly #endOne: StatementSync;
  readonly #endAll: StatementSync;
  readonly #pullIn: StatementSync;
  readonly #noteRun: StatementSync;
  readonly #noteDelivery: StatementSync;

  constructor(db: DatabaseSync) {
    const end = `UPDATE work SET stage = 'ready', due_at = ?, crashes = crashes + 1,
       interruptions = interruptions + 1 WHERE stage = 'leased'`;
    const told = 'RETURNING kind, ref, attempt';
    this.#endOne = db.prepare(`${end} AND id = ? AND attempt = ? ${told}`);
    this.#endAll = db.prepare(`${end} ${told}`);
    this.#pullIn = db.prepare(
      `UPDATE work SET due_at = ?1 WHERE stage = 'ready' AND attempt > 0 AND due_at > ?1 + ?2`,
    );
    this.#noteRun = db.prepare(
      `UPDATE runs SET status = 'queued', notes = json_insert(notes, '$[#]', json(?)) WHERE id = ?`,
    );
    this.#noteDelivery = db.prepare(
      `UPDATE deliveries SET notes = json_insert(notes, '$[#]', json(?)) WHERE id = ?`,
    );
  }

  /** A lease whose end can never be written; counted with the crashes, so that it is not begun for ever. */
  endOne(workId: number, attempt: number, now: number): void {
    for (const row of this.#endOne.all(now + LEASE_MS, workId, attempt)) this.#tell(row, now);
  }

  /** Leases of the process before this one. */
  endAll(now: number): void {
    for (const row of this.#endAll.all(now)) this.#tell(row, now);
  }

  /** No retry waits that long: the clock was set back since. */
  pullIn(now: number): void {
    this.#pullIn.run(now, LONGEST_WAIT_MS);
  }

  #tell(row: Row, now: number): void {
    const ref = optionalText(row, 'ref');
    const kind = text(row, 'kind');
    // A message may have been sent a moment before: nobody can tell.
    const outcome = kind === 'delivery' ? 'unknown' : 'interrupted';
    const note: AttemptNote = { at: now, attempt: integer(row, 'attempt'), outcome };
    if (kind === 'run') this.#noteRun.run(JSON.stringify(note), ref);
    if (kind === 'delivery') this.#noteDelivery.run(JSON.stringify(note), ref);
  }
}
