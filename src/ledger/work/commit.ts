// The outcome and all changes of a step are one transaction, so that a crash leaves either all of them or the lease as it
// was; a lease that was lost writes nothing.
import type { Change } from '../../hooks/ports/change.ts';
import { LEASE_MS } from '../../hooks/ports/work-ledger.ts';
import type { Lease, StepOutcome } from '../../hooks/ports/work-ledger.ts';
import { applyAll, locksOf } from '../changes.ts';
import { text } from '../rows.ts';
import { first, keyLock } from '../tx.ts';
import type { Tx, Value } from '../tx.ts';
import { LANES } from '../work-rows.ts';
import { interrupt } from './interruptions.ts';
import { gather } from './gathering.ts';
import { endGathering, promote, storedKey } from './queue.ts';
import { eventLock, meet } from './resuming.ts';
import { CLAIMABLE, RULES, SHORT_OF_BUDGET, SUSPECT_CRASHES, UNLEASED } from './stages.ts';
import { openWait } from './waits.ts';

type EndingLease = Pick<
  Lease,
  'workId' | 'attempt' | 'lane' | 'key' | 'kind' | 'ref' | 'eventId' | 'crashes'
>;

const HELD = `id = $1 AND attempt = $2 AND instance IS NOT DISTINCT FROM $3 AND stage = 'leased'`;
const FIND = `SELECT 1 FROM @work WHERE ${HELD} FOR UPDATE`;
const RENEW = `UPDATE @work SET lease_ends = $4 WHERE ${HELD} RETURNING 1`;
const NOTE_ACTING = `UPDATE @work SET acting = true WHERE ${HELD} RETURNING 1`;

const DELETE = `MUST DELETE FROM @work WHERE ${HELD} RETURNING hook`;
const BURY = unlease(`stage = 'dead', due_at = $4, acting = false`);
const RETRY_LATER = retryIn(`'retrying'`);
const RETRY_NOW = retryIn(`CASE $5::bigint WHEN 1 THEN 'ready' ELSE ${CLAIMABLE} END`);
const RELEASE = unlease(`stage = ${CLAIMABLE}, due_at = $4, acting = false`);
/** Those that were not asked keep their place before those that were. */
const REST = unlease(`stage = ${CLAIMABLE}, server = $4, acting = false`);
const REST_AFTER_ASKING = unlease(
  `stage = 'ready', server = $4, due_at = $5, failures = failures + 1, crashes = 0, acting = false`,
);
const CONTINUE = unlease(
  `stage = 'ready', due_at = $4, failures = 0, crashes = 0, job = coalesce($5, job)`,
);
const WAIT = unlease(
  `stage = $4, due_at = $5, server = CASE lane WHEN 'turn' THEN $7 ELSE server END, failures = 0, crashes = 0, acting = false, job = coalesce($6, job)`,
);
const DROP_PART = `DELETE FROM @parts WHERE n = (SELECT n FROM @parts WHERE work_id = $1 ORDER BY n LIMIT 1)`;
/** A run that nobody was asked for has not used up an attempt, nor begun. */
const UNBEGIN_RUN = `UPDATE @runs AS r SET attempts = attempts - 1,
  started_at = CASE WHEN attempts > 1 THEN started_at END WHERE KEY(r) = $1`;
/** What holds a run before its agent is asked. */
const HELD_BEFORE = [...RULES, 'loop'];

/** @param stage that it waits in; $5 is 1 when the attempt failed by itself, not with the process */
function retryIn(stage: string): string {
  return unlease(`stage = ${stage}, due_at = $4, failures = failures + $5::bigint,
    crashes = CASE $5::bigint WHEN 1 THEN 0 ELSE crashes END, acting = false`);
}

function unlease(columns: string): string {
  return `MUST UPDATE @work SET ${columns}, ${UNLEASED} WHERE ${HELD} RETURNING hook`;
}

/** False: the lease was lost, and nothing was written. @throws Undone the same, where all of it was on its way */
export async function commit(
  tx: Tx,
  lease: EndingLease,
  outcome: StepOutcome,
  changes: readonly Change[],
): Promise<boolean> {
  await tx.lock(() => [
    keyLock(lease),
    ...nextLock(lease, outcome),
    ...locksOf(changes),
    ...(outcome.type === 'wait' && outcome.awaits !== undefined ? [eventLock(outcome.awaits)] : []),
  ]);
  const [sql, ...values] = statementOf(outcome, tx.now);
  let isHeld = true;
  // SQLite answers at once. PostgreSQL is sent all that follows with its commit, and fails where the lease was lost.
  await tx.later(sql, [lease.workId, lease.attempt, tx.instance, ...values], ([row]) => {
    isHeld = row !== undefined;
    if (row !== undefined && leavesQueue(outcome)) tx.work.removed(lease.kind, text(row, 'hook'));
  });
  if (!isHeld) return false;
  // The place of this one in its queue is free before anything is added there.
  await follow(tx, lease, outcome);
  await applyAll(tx, changes, lease);
  tx.work.ended(lease.workId);
  // Work of another key may have waited for the place of this one; that of either lane for a suspect to end.
  tx.freedLanes.add(lease.lane);
  if (lease.crashes >= SUSPECT_CRASHES) for (const lane of LANES) tx.freedLanes.add(lane);
  return true;
}

function nextLock({ lane }: EndingLease, outcome: StepOutcome): string[] {
  if (outcome.type !== 'gather') return [];
  return [keyLock({ lane, key: storedKey(outcome.key) })];
}

function leavesQueue(outcome: StepOutcome): boolean {
  return ['done', 'dead'].includes(outcome.type) || (outcome.type === 'wait' && !outcome.holdsKey);
}

/** What the outcome writes of the work itself: a statement, and its values from $4 on. */
function statementOf(outcome: StepOutcome, now: number): readonly [sql: string, ...Value[]] {
  switch (outcome.type) {
    case 'done':
      return [DELETE];
    case 'dead':
      return [BURY, now];
    case 'retry':
      // A stop is no end of its own: crashes before it count on.
      return [outcome.at > now ? RETRY_LATER : RETRY_NOW, outcome.at, outcome.interrupted ? 0 : 1];
    case 'release':
      return [RELEASE, now];
    case 'rest':
      return outcome.asked ? [REST_AFTER_ASKING, outcome.backend, now] : [REST, outcome.backend];
    case 'wait':
      return [
        WAIT,
        outcome.holdsKey ? 'retrying' : 'deferred',
        outcome.until,
        outcome.job === undefined ? null : JSON.stringify(outcome.job),
        outcome.isShort === true ? SHORT_OF_BUDGET : outcome.for,
      ];
    case 'gather':
    case 'continue':
      return [CONTINUE, now, null];
    case 'cut':
      return [CONTINUE, now, JSON.stringify(outcome.job)];
  }
}

async function follow(tx: Tx, lease: EndingLease, outcome: StepOutcome): Promise<void> {
  const { workId, lane, key, kind, ref, eventId } = lease;
  // What was under way may be claimable, now or later.
  if (outcome.type !== 'done' && outcome.type !== 'dead') tx.changedLanes.add(lane);
  if (leavesQueue(outcome)) await promote(tx, lane, key);
  switch (outcome.type) {
    case 'wait':
      if (outcome.wait !== undefined || outcome.awaits !== undefined) {
        const of = { workId, ref: ref ?? '', eventId: eventId ?? '' };
        if (outcome.wait !== undefined) await openWait(tx, outcome.wait, of, outcome.onEnd);
        if (outcome.awaits !== undefined) await meet(tx, outcome.awaits, of);
      }
      if (kind === 'run' && HELD_BEFORE.includes(outcome.for))
        await tx.run(UNBEGIN_RUN, tx.keys.of(ref ?? ''));
      // They may have come while it was looked at.
      if (outcome.most !== undefined) await endGathering(tx, lease, outcome.most);
      break;
    case 'gather':
      await gather(tx, lease, outcome);
      await tx.run(UNBEGIN_RUN, tx.keys.of(ref ?? ''));
      break;
    case 'rest':
      if (!outcome.asked && kind === 'run') await tx.run(UNBEGIN_RUN, tx.keys.of(ref ?? ''));
      break;
    case 'cut': {
      const { parts } = outcome;
      // `place` and `count` are those of the whole reply: they stay when earlier parts are gone.
      const row = (part: string, at: number) => ({
        work_id: workId,
        place: at + 1,
        count: parts.length,
        text: part,
      });
      await tx.insert('parts', parts.map(row));
      break;
    }
    case 'continue':
      await tx.run(DROP_PART, workId);
      break;
    case 'done':
    case 'dead':
    case 'retry':
    case 'release':
      break;
  }
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
