// Attempts that ended without a word: their work is claimable again, and its run or delivery says what happened. What was
// under way in one crash goes on as before; what was under way in two in a row is suspect, and begun one at a time.
import type { DatabaseSync } from 'node:sqlite';
import type { AttemptNote } from '../../../../hooks/ports/change.ts';
import { LEASE_MS } from '../../../../hooks/ports/work-ledger.ts';
import { ownKeyOf } from '../../id-keys.ts';
import type { HeldLease } from '../../protocol.ts';
import { integer, text } from '../../../rows.ts';
import type { Row } from '../../../rows.ts';
import { FIRST } from '../../../work/stages.ts';
import type { HeldWork } from './under-way.ts';

/** More than any step asks for: retries end a day after acceptance. */
const LONGEST_WAIT_MS = 25 * 3_600_000;

/** Ends leases whose attempts did not end by themselves. */
export class Interruptions {
  readonly #sql: ReturnType<typeof prepareInterruptions>;

  constructor(db: DatabaseSync) {
    this.#sql = prepareInterruptions(db);
  }

  /** Ends the leases of the process before this one, when the ledger is opened, and none that this one holds. */
  endAll(now: number, held: readonly HeldLease[]): void {
    for (const row of this.#sql.endAll.all(now, JSON.stringify(held))) this.#note(row, now);
  }

  /** Ends a lease whose end can never be written; counted with the crashes, so that it is not begun for ever. */
  endOne({ id }: HeldWork, now: number): void {
    this.#note(this.#sql.endOne.get(now + LEASE_MS, id)!, now);
  }

  /** Makes retries due that would wait longer than any retry does: the clock was set back since. */
  pullIn(now: number): void {
    this.#sql.pullIn.run(now, LONGEST_WAIT_MS);
  }

  /** Writes into the history of the run or the delivery that its attempt was cut off. */
  #note(row: Row, now: number): void {
    const kind = text(row, 'kind');
    // A message may have been sent a moment before: nobody can tell.
    const outcome = kind === 'delivery' ? 'unknown' : 'interrupted';
    const note: AttemptNote = { at: now, attempt: integer(row, 'attempt'), outcome };
    if (kind !== 'run' && kind !== 'delivery') return;
    const { noteRun, noteDelivery } = this.#sql;
    const append = kind === 'run' ? noteRun : noteDelivery;
    append.run(JSON.stringify(note), ownKeyOf(text(row, 'ref')));
  }
}

function prepareInterruptions(db: DatabaseSync) {
  const end = `UPDATE work SET stage = 'retrying', due_at = ?1, crashes = crashes + 1`;
  const ended = 'RETURNING kind, ref, attempt';
  return {
    endAll: db.prepare(
      `${end} WHERE stage = 'leased' AND ${FIRST}
       AND NOT EXISTS (SELECT 1 FROM json_each(?2) AS held
         WHERE held.value ->> 0 = work.id AND held.value ->> 1 = work.attempt) ${ended}`,
    ),
    endOne: db.prepare(`${end} WHERE id = ?2 ${ended}`),
    pullIn: db.prepare(
      `UPDATE work SET due_at = ?1 WHERE stage = 'retrying'
       AND stage IN ('deferred', 'retrying') AND due_at > ?1 + ?2`,
    ),
    noteRun: db.prepare(
      `UPDATE runs SET status = 'queued', notes = json_insert(notes, '$[#]', json(?)) WHERE key = ?`,
    ),
    noteDelivery: db.prepare(
      `UPDATE deliveries SET notes = json_insert(notes, '$[#]', json(?)) WHERE key = ?`,
    ),
  };
}
