// Ending a step of work. The outcome of the attempt and all changes that the step made are written in one transaction,
// so that a crash leaves either all of them or the lease as it was; a lease that was lost writes nothing.
import type { DatabaseSync } from 'node:sqlite';
import type { Lane } from '../../../hooks/ports/jobs.ts';
import type { StepOutcome, WorkPart } from '../../../hooks/ports/work-ledger.ts';
import type { StoredChange } from '../codec.ts';
import { ownKeyOf } from '../id-keys.ts';
import { LANES } from '../protocol.ts';
import type { Changes } from './changes.ts';
import type { Settlement } from './event-status.ts';
import type { WorkQueue } from './queue.ts';
import { integer, text, word } from './rows.ts';

/** What the end of a step touches. */
interface Tables {
  readonly queue: WorkQueue;
  readonly parts: Parts;
  readonly changes: Changes;
  readonly settlement: Settlement;
}

/** Ends steps: checks that the lease still holds, moves the work in its queue, writes the changes, settles the events that they touch. */
export class Steps {
  readonly #queue: WorkQueue;
  readonly #parts: Parts;
  readonly #changes: Changes;
  readonly #settlement: Settlement;
  readonly #sql: ReturnType<typeof prepareSteps>;

  constructor(db: DatabaseSync, { queue, parts, changes, settlement }: Tables) {
    this.#queue = queue;
    this.#parts = parts;
    this.#changes = changes;
    this.#settlement = settlement;
    this.#sql = prepareSteps(db);
  }

  /** False: the lease was lost, nothing was written. */
  commit(
    lease: { workId: number; attempt: number },
    outcome: StepOutcome,
    changes: readonly StoredChange[],
    now: number,
  ): boolean {
    const row = this.#sql.held.get(lease.workId, lease.attempt);
    if (row === undefined) return false;
    this.#end(lease.workId, word(row, 'lane', LANES), text(row, 'key'), outcome, now);
    const touched = new Set<number>();
    for (const change of changes) {
      for (const event of this.#changes.apply(change, now)) touched.add(event);
    }
    this.#settlement.settle(touched);
    return true;
  }

  /** What the outcome means for the work in its queue. */
  #end(id: number, lane: Lane, key: string, outcome: StepOutcome, now: number): void {
    switch (outcome.type) {
      case 'done':
        return this.#queue.finish(id, lane, key);
      case 'retry': {
        const cause = outcome.interrupted ? 'interrupted' : 'failed';
        return this.#queue.retry(id, lane, outcome.at, cause);
      }
      case 'release':
        return this.#queue.release(id, lane, now);
      case 'cut':
        this.#parts.add(id, outcome.parts);
        return this.#queue.continue(id, lane, now, JSON.stringify(outcome.job));
      case 'continue':
        this.#parts.dropFirst(id);
        return this.#queue.continue(id, lane, now);
      case 'rest':
        if (!outcome.asked) this.#unbegin(id);
        return this.#queue.rest(id, lane, now, outcome.backend, outcome.asked);
      case 'dead':
        return this.#queue.markDead(id, lane, key, now);
    }
  }

  /** A run that nobody was asked for has not used up an attempt. */
  #unbegin(id: number): void {
    const row = this.#sql.run.get(id);
    if (row !== undefined) this.#sql.unbegin.run(ownKeyOf(text(row, 'ref')));
  }
}

/** A lease holds while the work has the attempt that was handed out with it. */
function prepareSteps(db: DatabaseSync) {
  return {
    held: db.prepare(
      `SELECT lane, key FROM work WHERE id = ? AND attempt = ? AND stage = 'leased'`,
    ),
    run: db.prepare(`SELECT ref FROM work WHERE id = ? AND kind = 'run'`),
    unbegin: db.prepare('UPDATE runs SET attempts = attempts - 1 WHERE key = ?'),
  };
}

/**
 * What is left of deliveries that were cut into parts. A part that is done is gone; the others go with their work, by a
 * foreign key. They stand beside the work and not in its job, so that a part costs no more than itself.
 */
export class Parts {
  readonly #sql: ReturnType<typeof prepareParts>;

  constructor(db: DatabaseSync) {
    this.#sql = prepareParts(db);
  }

  /** Cuts work into these, in order. */
  add(workId: number, texts: readonly string[]): void {
    for (const [index, text] of texts.entries()) {
      this.#sql.insert.run(workId, index + 1, texts.length, text);
    }
  }

  /** The part that is to be done next; undefined: the work was never cut. */
  first(workId: number): WorkPart | undefined {
    const row = this.#sql.first.get(workId);
    if (row === undefined) return undefined;
    return { text: text(row, 'text'), place: integer(row, 'place'), count: integer(row, 'count') };
  }

  /** The first part has been sent. */
  dropFirst(workId: number): void {
    this.#sql.dropFirst.run(workId);
  }
}

/** `place` and `count` are those of the whole reply: they stay when earlier parts are gone. */
function prepareParts(db: DatabaseSync) {
  const first = 'FROM parts WHERE work_id = ? ORDER BY n LIMIT 1';
  return {
    insert: db.prepare('INSERT INTO parts (work_id, place, count, text) VALUES (?, ?, ?, ?)'),
    first: db.prepare(`SELECT place, count, text ${first}`),
    dropFirst: db.prepare(`DELETE FROM parts WHERE n = (SELECT n ${first})`),
  };
}
