// Work under way in one crash goes on as before; in two in a row it is suspect, and begun one at a time.
import type { AttemptNote } from '../../hooks/ports/change.ts';
import { noteCutOff } from '../records/usage.ts';
import { integer, text } from '../rows.ts';
import type { Row } from '../rows.ts';
import type { Tx } from '../tx.ts';
import { LANES } from '../work-rows.ts';
import { UNLEASED, appended } from './stages.ts';

const END = `UPDATE @work SET stage = 'retrying', due_at = $2, crashes = crashes + $3, ${UNLEASED}
  WHERE id = ANY ($1::bigint[]) AND stage = 'leased' RETURNING id, kind, ref, attempt, job`;
const NOTE_RUN = `UPDATE @runs AS r SET status = 'queued', notes = ${appended('$2')} WHERE KEY(r) = $1`;
const UNBEGIN_RUN = `UPDATE @runs AS r SET status = 'queued', attempts = attempts - 1 WHERE KEY(r) = $1`;
const NOTE_DELIVERY = `UPDATE @deliveries AS d SET notes = ${appended('$2')} WHERE KEY(d) = $1`;

/**
 * Ends leases whose attempts did not end by themselves. Their rows are locked.
 * @param isCrash counted, and written into the history of the run or the delivery, a turn into usage, too; otherwise
 * nobody heard of the lease, and nothing was begun
 * @param dueAt epoch milliseconds when they are begun again
 */
export async function interrupt(
  tx: Tx,
  ids: readonly number[],
  isCrash: boolean,
  dueAt = tx.now,
): Promise<void> {
  if (ids.length === 0) return;
  const ended = await tx.all(END, ids, dueAt, isCrash ? 1 : 0);
  for (const row of ended) {
    tx.work.ended(integer(row, 'id'));
    await note(tx, row, isCrash);
  }
  if (isCrash) await noteCutOff(tx, ended);
  for (const lane of LANES) {
    tx.changedLanes.add(lane);
    tx.freedLanes.add(lane);
  }
}

async function note(tx: Tx, row: Row, isCrash: boolean): Promise<void> {
  const kind = text(row, 'kind');
  if (kind !== 'run' && kind !== 'delivery') return;
  const key = tx.keys.of(text(row, 'ref'));
  if (!isCrash) {
    if (kind === 'run') await tx.run(UNBEGIN_RUN, key);
    return;
  }
  // A message may have been sent a moment before: nobody can tell.
  const outcome = kind === 'delivery' ? 'unknown' : 'interrupted';
  const entry: AttemptNote = { at: tx.now, attempt: integer(row, 'attempt'), outcome };
  await tx.run(kind === 'run' ? NOTE_RUN : NOTE_DELIVERY, key, JSON.stringify(entry));
}
