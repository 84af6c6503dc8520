// Events lie nearly in the order of their age, so no index is needed. Bodies are forgotten from a mark on (`meta`); an
// event that is not over when it passes is marked (`look_again`). All in a step's transaction, one at a time.
import type { Retention } from '../../hooks/ports/ledger.ts';
import { writeMeta } from '../records/meta.ts';
import { integer, keyIn, text } from '../rows.ts';
import type { Key, Row } from '../rows.ts';
import { first } from '../tx.ts';
import type { Tx } from '../tx.ts';
import { clearBodies, deleteEvents, lockEnded, toNamed } from './forgetting.ts';

/** How many rows a step may still touch. */
export interface Budget {
  left: number;
}

/** Rows that are looked at together. */
const STRETCH = 500;

const STRETCH_FROM = `SELECT KEY(e) AS key, ID(e) AS id, received_at, status, kept_until FROM @events e
  WHERE KEY(e) > $1 ORDER BY KEY(e) LIMIT ${STRETCH}`;
const OVERDUE = `SELECT KEY(e) AS key, ID(e) AS id FROM @events e WHERE look_again = true AND received_at < $1
    AND status IN ('done', 'failed', 'skipped') ORDER BY received_at LIMIT $2`;
const MARK = `SELECT value FROM @meta WHERE key = 'bodies_forgotten_to'`;
const LOOK_AGAIN = 'UPDATE @events AS e SET look_again = true WHERE KEY(e) = ANY ($1::uuid[])';

const ENDED = new Set(['done', 'failed', 'skipped']);

export class OldEvents {
  /** How far this round has looked for what can be deleted: what is before it stays until the next round. */
  #reached: Key | null = null;

  /** @param budget is spent */
  async forget(tx: Tx, budget: Budget, retention: Retention): Promise<void> {
    await this.#delete(tx, budget, retention);
    if (budget.left > 0) await this.#clearOverdue(tx, budget, retention);
    if (budget.left > 0) await this.#clearFromMark(tx, budget, retention);
  }

  /** The transaction was rolled back. */
  beginAnew(): void {
    this.#reached = null;
  }

  /** The oldest that are over and whose keys have run out. */
  async #delete(tx: Tx, budget: Budget, { eventsBefore, now }: Retention): Promise<void> {
    while (budget.left > 0) {
      const stretch = await tx.all(STRETCH_FROM, this.#reached ?? tx.keys.first(-Infinity));
      const { rows, isLast } = oldOf(stretch, eventsBefore, now);
      const old = rows.filter(
        (row) => isOver(row, eventsBefore) && integer(row, 'kept_until') <= now,
      );
      const deleted = old.slice(0, budget.left).map(toNamed);
      budget.left -= await deleteEvents(tx, await lockEnded(tx, deleted));
      const isDone = isLast && deleted.length === old.length;
      const reached = deleted.length < old.length ? deleted.at(-1)!.key : keyOfLast(stretch);
      this.#reached = isDone ? null : reached;
      if (isDone) return;
    }
  }

  /** Those that were not over when the mark passed them. */
  async #clearOverdue(tx: Tx, budget: Budget, { payloadsBefore }: Retention): Promise<void> {
    const overdue = await tx.all(OVERDUE, payloadsBefore, budget.left);
    budget.left -= await clearBodies(tx, await lockEnded(tx, overdue.map(toNamed)));
  }

  async #clearFromMark(tx: Tx, budget: Budget, { payloadsBefore, now }: Retention): Promise<void> {
    const mark = await first(tx, MARK);
    const from = mark === undefined ? tx.keys.first(-Infinity) : tx.keys.parse(text(mark, 'value'));
    const { rows } = oldOf(await tx.all(STRETCH_FROM, from), payloadsBefore, now);
    const passed = rows.slice(0, budget.left);
    const last = keyOfLast(passed);
    if (last === null) return;
    const over = passed.filter((row) => isOver(row, payloadsBefore));
    const locked = await lockEnded(tx, over.map(toNamed));
    const cleared = new Set(locked.map(({ key }) => key));
    const others = passed.map((row) => keyIn(row, 'key')).filter((key) => !cleared.has(key));
    budget.left -= await clearBodies(tx, locked);
    if (others.length > 0) await tx.run(LOOK_AGAIN, others);
    budget.left -= others.length;
    await writeMeta(tx, 'bodies_forgotten_to', String(last));
  }
}

/** Those before the first that is younger. One from the future is not: a clock was wrong, and holds up no others. */
function oldOf(
  stretch: readonly Row[],
  before: number,
  now: number,
): { readonly rows: readonly Row[]; readonly isLast: boolean } {
  const young = stretch.findIndex((row) => {
    const receivedAt = integer(row, 'received_at');
    return receivedAt >= before && receivedAt <= now;
  });
  if (young !== -1) return { rows: stretch.slice(0, young), isLast: true };
  return { rows: stretch, isLast: stretch.length < STRETCH };
}

function isOver(row: Row, before: number): boolean {
  return ENDED.has(text(row, 'status')) && integer(row, 'received_at') < before;
}

function keyOfLast(rows: readonly Row[]): Key | null {
  const last = rows.at(-1);
  return last === undefined ? null : keyIn(last, 'key');
}
