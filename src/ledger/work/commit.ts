// Ending a step of work. The outcome of the attempt and all changes that the step made are written in one transaction,
// so that a crash leaves either all of them or the lease as it was; a lease that was lost writes nothing.
import type { Change } from '../../hooks/ports/change.ts';
import { LEASE_MS } from '../../hooks/ports/work-ledger.ts';
import type { Lease, StepOutcome } from '../../hooks/ports/work-ledger.ts';
import { applyAll, locksOf } from '../changes.ts';
import { text } from '../rows.ts';
import type { Row } from '../rows.ts';
import { Undone, first, keyLock } from '../tx.ts';
import type { Tx, Value } from '../tx.ts';
import { LANES } from '../work-rows.ts';
import { interrupt } from './interruptions.ts';
import { promote } from './queue.ts';
import { CLAIMABLE, SUSPECT_CRASHES, UNLEASED } from './stages.ts';

/** What of a lease its end needs. */
export type EndingLease = Pick<
  Lease,
  'workId' | 'attempt' | 'lane' | 'key' | 'kind' | 'ref' | 'eventId' | 'crashes'
>;

const HELD = `id = $1 AND attempt = $2 AND instance IS NOT DISTINCT FROM $3 AND stage = 'leased'`;
const FIND = `SELECT hook FROM @work WHERE ${HELD} FOR UPDATE`;
const RENEW = `UPDATE @work SET lease_ends = $4 WHERE ${HELD} RETURNING 1`;
const NOTE_ACTING = `UPDATE @work SET acting = true WHERE ${HELD} RETURNING 1`;

const DELETE = 'DELETE FROM @work WHERE id = $1';
const BURY = `UPDATE @work SET stage = 'dead', due_at = $2, acting = false, ${UNLEASED} WHERE id = $1`;
const RETRY_LATER = retryIn(`'retrying'`);
const RETRY_NOW = retryIn(`CASE $3::bigint WHEN 1 THEN 'ready' ELSE ${CLAIMABLE} END`);
const RELEASE = `UPDATE @work SET stage = ${CLAIMABLE}, due_at = $2, acting = false, ${UNLEASED} WHERE id = $1`;
/** Those that were not asked keep their place before those that were. */
const REST = `UPDATE @work SET stage = ${CLAIMABLE}, server = $2, acting = false, ${UNLEASED} WHERE id = $1`;
const REST_AFTER_ASKING = `UPDATE @work SET stage = 'ready', server = $2, due_at = $3, failures = failures + 1, crashes = 0,
  acting = false, ${UNLEASED} WHERE id = $1`;
const CONTINUE = `UPDATE @work SET stage = 'ready', due_at = $2, failures = 0, crashes = 0, job = coalesce($3, job),
  ${UNLEASED} WHERE id = $1`;
const DROP_PART = `DELETE FROM @parts WHERE n = (SELECT n FROM @parts WHERE work_id = $1 ORDER BY n LIMIT 1)`;
/** A run that nobody was asked for has not used up an attempt. */
const UNBEGIN_RUN = 'UPDATE @runs AS r SET attempts = attempts - 1 WHERE KEY(r) = $1';

/** @param stage that it waits in; $3 is 1 when the attempt failed by itself, not with the process */
function retryIn(stage: string): string {
  return `UPDATE @work SET stage = ${stage}, due_at = $2, failures = failures + $3::bigint,
    crashes = CASE $3::bigint WHEN 1 THEN 0 ELSE crashes END, acting = false, ${UNLEASED} WHERE id = $1`;
}

/**
 * Ends a step: its outcome and all its changes. False: the lease was lost, and nothing was written.
 * @throws Undone the same, where other statements were on their way
 */
export async function commit(
  tx: Tx,
  lease: EndingLease,
  outcome: StepOutcome,
  changes: readonly Change[],
): Promise<boolean> {
  await tx.lock(() => [keyLock(lease), ...locksOf(changes)]);
  // SQLite answers at once. PostgreSQL is sent all that follows without waiting, which saves the step a round trip.
  const found = tx.all(FIND, lease.workId, lease.attempt, tx.instance);
  if (Array.isArray(found) && found.length === 0) return false;
  const hook = hookOf(found);
  // The place of this one in its queue is free before anything is added there.
  const [ending, applying] = [end(tx, lease, hook, outcome), applyAll(tx, changes, lease)];
  // Neither goes on past the end of the transaction when the other fails.
  await Promise.allSettled([hook, ending, applying]);
  await hook;
  await applying;
  if (await ending) tx.changedLanes.add(lease.lane);
  tx.work.ended(lease.workId);
  // Work of another key may have waited for the place of this one; that of either lane for a suspect to end.
  tx.freedLanes.add(lease.lane);
  if (lease.crashes >= SUSPECT_CRASHES) for (const lane of LANES) tx.freedLanes.add(lane);
  return true;
}

/** The hook of work whose lease holds. @throws Undone */
async function hookOf(found: readonly Row[] | Promise<readonly Row[]>): Promise<string> {
  const [row] = await found;
  if (row === undefined) throw new Undone('the lease was lost');
  return text(row, 'hook');
}

/** What the outcome means for the work in its queue. True: something may be claimable that was not, or is from when on. */
async function end(
  tx: Tx,
  lease: EndingLease,
  hook: Promise<string>,
  outcome: StepOutcome,
): Promise<boolean> {
  const { workId: id } = lease;
  switch (outcome.type) {
    case 'done':
      return leave(tx, lease, hook, DELETE, id);
    case 'dead':
      return leave(tx, lease, hook, BURY, id, tx.now);
    case 'retry':
      // A stop is no end of its own: crashes before it count on.
      await tx.run(
        outcome.at > tx.now ? RETRY_LATER : RETRY_NOW,
        id,
        outcome.at,
        outcome.interrupted ? 0 : 1,
      );
      return true;
    case 'release':
      await tx.run(RELEASE, id, tx.now);
      return true;
    case 'rest':
      if (outcome.asked) await tx.run(REST_AFTER_ASKING, id, outcome.backend, tx.now);
      else await tx.run(REST, id, outcome.backend);
      if (!outcome.asked && lease.kind === 'run')
        await tx.run(UNBEGIN_RUN, tx.keys.of(lease.ref ?? ''));
      return true;
    case 'cut': {
      const { parts } = outcome;
      // `place` and `count` are those of the whole reply: they stay when earlier parts are gone.
      const row = (part: string, at: number) => ({
        work_id: id,
        place: at + 1,
        count: parts.length,
        text: part,
      });
      await tx.insert('parts', parts.map(row));
      await tx.run(CONTINUE, id, tx.now, JSON.stringify(outcome.job));
      return true;
    }
    case 'continue':
      await tx.run(DROP_PART, id);
      await tx.run(CONTINUE, id, tx.now, null);
      return true;
  }
}

/** Takes work out of its queue with a statement; the next of its key is up. */
async function leave(
  tx: Tx,
  { lane, key, kind }: EndingLease,
  hook: Promise<string>,
  sql: string,
  ...values: readonly Value[]
): Promise<boolean> {
  const [, hasNext] = await Promise.all([tx.run(sql, ...values), promote(tx, lane, key)]);
  tx.work.removed(kind, await hook);
  return hasNext;
}

/** Extends a lease. False: it was lost. @param until by the clock by which leases end; null: they do not */
export async function renew(
  tx: Tx,
  workId: number,
  attempt: number,
  until: number | null,
): Promise<boolean> {
  return (await tx.all(RENEW, workId, attempt, tx.instance, until)).length > 0;
}

/** Notes of a lease that whoever is asked now may act. False: it was lost. */
export async function noteActing(tx: Tx, workId: number, attempt: number): Promise<boolean> {
  return (await tx.all(NOTE_ACTING, workId, attempt, tx.instance)).length > 0;
}

/** Ends one lease whose end can never be written; counted with the crashes, so that it is not begun for ever. */
export async function abandon(tx: Tx, workId: number, attempt: number): Promise<null> {
  const row = await first(tx, FIND, workId, attempt, tx.instance);
  if (row !== undefined) await interrupt(tx, [workId], true, tx.now + LEASE_MS);
  return null;
}
