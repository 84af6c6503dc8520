// Forgetting events: their bodies (payloads, words of actions, prompts, replies) first, the whole of them later.
//
// Events lie in the order in which they were accepted, which is nearly that of their age, so the old ones are at the
// beginning and no index is needed. Bodies are forgotten from a mark on (`meta`) that moves on with every step. An event
// that is not over when the mark passes it is marked itself (`look_again`), and has its turn once it is.
//
// Everything here is inside the transaction of a step, which no other instance makes at the same time.
import type { Retention } from '../../../hooks/ports/ledger.ts';
import { integer, text } from '../../rows.ts';
import type { Row } from '../../rows.ts';
import type { Run } from '../connection.ts';
import { FIRST_ID } from '../ids.ts';
import { clearBodies, deleteEvents, lockEnded } from './forgetting.ts';

/** How many rows a step may still touch. */
export interface Budget {
  left: number;
}

/** Rows that are looked at together. */
const STRETCH = 500;

const STRETCH_FROM = `SELECT id, received_at, status, kept_until FROM @schema.events
  WHERE id > $1 ORDER BY id LIMIT ${STRETCH}`;
const OVERDUE = `SELECT id FROM @schema.events WHERE look_again AND received_at < $1
    AND status IN ('done', 'failed', 'skipped') ORDER BY received_at LIMIT $2`;
const MARK = `SELECT value FROM @schema.meta WHERE key = 'bodies_forgotten_to'`;
const SET_MARK = `INSERT INTO @schema.meta (key, value) VALUES ('bodies_forgotten_to', $1)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
const LOOK_AGAIN = 'UPDATE @schema.events SET look_again = true WHERE id = ANY ($1::uuid[])';

/** Nothing of these is left to do. */
const ENDED = new Set(['done', 'failed', 'skipped']);

/** Finds old events and forgets them, as far as a step goes. */
export class OldEvents {
  /** How far this round has looked for what can be deleted: what is before it stays until the next round. */
  #reached = FIRST_ID;

  /** @param budget is spent */
  async forget(run: Run, budget: Budget, retention: Retention): Promise<void> {
    await this.#delete(run, budget, retention);
    if (budget.left > 0) await this.#clearOverdue(run, budget, retention);
    if (budget.left > 0) await this.#clearFromMark(run, budget, retention);
  }

  /** The transaction was rolled back. */
  beginAnew(): void {
    this.#reached = FIRST_ID;
  }

  /** The oldest that are over and whose keys have run out. */
  async #delete(run: Run, budget: Budget, { eventsBefore, now }: Retention): Promise<void> {
    while (budget.left > 0) {
      const stretch = await run(STRETCH_FROM, [this.#reached]);
      const { rows, isLast } = oldOf(stretch, eventsBefore, now);
      const old = rows.filter(
        (row) => isOver(row, eventsBefore) && integer(row, 'kept_until') <= now,
      );
      const deleted = old.slice(0, budget.left).map(idOf);
      const locked = await lockEnded(run, deleted);
      budget.left -= await deleteEvents(run, locked);
      const isDone = isLast && deleted.length === old.length;
      const reached = deleted.length < old.length ? deleted.at(-1) : stretch.at(-1)?.['id'];
      this.#reached = isDone ? FIRST_ID : String(reached);
      if (isDone) return;
    }
  }

  /** Those that were not over when the mark passed them. */
  async #clearOverdue(run: Run, budget: Budget, { payloadsBefore }: Retention): Promise<void> {
    const overdue = await run(OVERDUE, [payloadsBefore, budget.left]);
    budget.left -= await clearBodies(run, await lockEnded(run, overdue.map(idOf)));
  }

  async #clearFromMark(
    run: Run,
    budget: Budget,
    { payloadsBefore, now }: Retention,
  ): Promise<void> {
    const [mark] = await run(MARK);
    const from = mark === undefined ? FIRST_ID : text(mark, 'value');
    const { rows } = oldOf(await run(STRETCH_FROM, [from]), payloadsBefore, now);
    const passed = rows.slice(0, budget.left);
    const last = passed.at(-1);
    if (last === undefined) return;
    const locked = await lockEnded(
      run,
      passed.filter((row) => isOver(row, payloadsBefore)).map(idOf),
    );
    const cleared = new Set(locked.map(idOf));
    const others = passed.map(idOf).filter((id) => !cleared.has(id));
    budget.left -= await clearBodies(run, locked);
    if (others.length > 0) await run(LOOK_AGAIN, [others]);
    budget.left -= others.length;
    await run(SET_MARK, [idOf(last)]);
  }
}

/**
 * Those before the first that is younger, behind which all are. One that is from the future is not: a clock was wrong
 * then, and must not hold up the others.
 */
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

function idOf(row: Row): string {
  return text(row, 'id');
}
