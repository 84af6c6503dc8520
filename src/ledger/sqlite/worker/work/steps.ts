// Ending a step of work. The outcome of the attempt and all changes that the step made are written in one transaction,
// so that a crash leaves either all of them or the lease as it was; a lease that was lost writes nothing.
import type { DatabaseSync } from 'node:sqlite';
import type { StepOutcome, WorkPart } from '../../../../hooks/ports/work-ledger.ts';
import type { StoredChange } from '../../../codec.ts';
import { ownKeyOf } from '../../id-keys.ts';
import type { Changes } from './changes.ts';
import type { Settlement } from '../events/event-status.ts';
import type { WorkQueue } from './queue.ts';
import { integer, text } from '../../../rows.ts';
import type { HeldWork, UnderWay } from './under-way.ts';

/** What the end of a step touches. */
interface Tables {
  readonly queue: WorkQueue;
  readonly underWay: UnderWay;
  readonly parts: Parts;
  readonly changes: Changes;
  readonly settlement: Settlement;
}

/** Ends steps: checks that the lease still holds, moves the work in its queue, writes the changes, settles the events that they touch. */
export class Steps {
  readonly #queue: WorkQueue;
  readonly #underWay: UnderWay;
  readonly #parts: Parts;
  readonly #changes: Changes;
  readonly #settlement: Settlement;
  readonly #unbegin: ReturnType<typeof prepareUnbegin>;

  constructor(db: DatabaseSync, { queue, underWay, parts, changes, settlement }: Tables) {
    this.#queue = queue;
    this.#underWay = underWay;
    this.#parts = parts;
    this.#changes = changes;
    this.#settlement = settlement;
    this.#unbegin = prepareUnbegin(db);
  }

  /** False: the lease was lost, nothing was written. */
  commit(
    lease: { workId: number; attempt: number },
    outcome: StepOutcome,
    changes: readonly StoredChange[],
    now: number,
  ): boolean {
    const held = this.#underWay.get(lease.workId, lease.attempt);
    if (held === null) return false;
    this.#end(held, outcome, now);
    this.#underWay.end(held);
    const touched = new Set<number>();
    for (const change of changes) {
      for (const event of this.#changes.apply(change, now)) touched.add(event);
    }
    this.#settlement.settle(touched);
    return true;
  }

  /** What the outcome means for the work in its queue. */
  #end(held: HeldWork, outcome: StepOutcome, now: number): void {
    const { id } = held;
    switch (outcome.type) {
      case 'done':
        return this.#queue.finish(held);
      case 'retry': {
        const cause = outcome.interrupted ? 'interrupted' : 'failed';
        return this.#queue.retry(held, outcome.at, cause, now);
      }
      case 'release':
        return this.#queue.release(held, now);
      case 'cut':
        this.#parts.add(id, outcome.parts);
        return this.#queue.continue(held, now, JSON.stringify(outcome.job));
      case 'continue':
        this.#parts.dropFirst(id);
        return this.#queue.continue(held, now);
      case 'rest':
        if (!outcome.asked && held.kind === 'run') this.#unbegin.run(ownKeyOf(held.ref ?? ''));
        return this.#queue.rest(held, now, outcome.backend, outcome.asked);
      case 'dead':
        return this.#queue.markDead(held, now);
    }
  }
}

/** A run that nobody was asked for has not used up an attempt. */
function prepareUnbegin(db: DatabaseSync) {
  return db.prepare('UPDATE runs SET attempts = attempts - 1 WHERE key = ?');
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
