// The queue of work: which piece of a key is next, and what becomes of it. Claims lease what is ready here, steps
// (commit.ts) end what was leased.
//
//   heartbeat or notice ──► deferred ──due──┐
//                                           ▼
//   anything else ─────────────────────► blocked ──first of its key──► ready ──claim──► leased
//                                                                        ▲ ▲              │
//                                                         rest, release, │ └──────────────┤
//                                                        next part, crash│                ▼
//                                                                        └──due── retrying, gone, or dead
//
// Work is in one of seven stages: `deferred` (a heartbeat or notice, or a run that a person has to decide about, that is
// not in its queue until it is due), `blocked` (behind another), `retrying` (first, and due later), `ready` or `suspect` (first and due; suspect is what was under way
// in two crashes in a row), `leased` (first and under way) or `dead` (no longer in its queue, kept for an operator).
// Whenever a key has a queue, exactly one of it is first, and only that one is ever ready: so a claim never looks at the
// others. Who adds to a key, or lets the next of it come up, holds the lock of the key until the commit.
//
// The order in which anything waits, everywhere: locks by name, sorted; rows of work; rows of runs and deliveries; rows of
// events, sorted by their keys, last of all. Claims skip rows that are locked. So no two wait for each other.
import { hash } from 'node:crypto';
import type { Lane, NewWork } from '../../hooks/ports/jobs.ts';
import { integer, optionalText, text, word } from '../rows.ts';
import type { Row } from '../rows.ts';
import { first, keyLock } from '../tx.ts';
import type { NewRow, Tx } from '../tx.ts';
import { KINDS, LANES } from '../work-rows.ts';
import { Touched, settle } from './settlement.ts';
import { CLAIMABLE, FIRST, RULES, listed } from './stages.ts';

const FIRSTS = `SELECT w.lane, w.key FROM ROWS($1, k: lane text, key text)
  JOIN @work w ON w.lane = k.lane AND w.key = k.key AND ${FIRST}`;
const NOT_BEGUN = `SELECT id, stage, due_at, attempt FROM @work WHERE lane = $1 AND key = $2 AND kind = $3
  AND kind IN ('heartbeat', 'notice') AND stage NOT IN ('leased', 'dead') LIMIT 1 FOR UPDATE`;
const REPLACE = 'UPDATE @work SET stage = $2, due_at = $3, job = $4 WHERE id = $1';
const PLACE = 'UPDATE @work SET stage = $2, acting = false WHERE id = $1';
/** More become due at a time only after a clock was set. */
const DUE = `SELECT id, lane, key, stage FROM @work
  WHERE lane = $1 AND stage IN ('deferred', 'retrying') AND due_at <= $2 ORDER BY due_at, id LIMIT 500`;
const STILL_DEFERRED = `SELECT id, lane, key, kind, hook FROM @work WHERE id = ANY ($1::bigint[]) AND stage = 'deferred'
  ORDER BY due_at, id FOR UPDATE`;
/** Who holds one just now looks at it anyway. */
const RECONSIDER = `UPDATE @work SET due_at = $1 WHERE id IN (SELECT id FROM @work WHERE due_at > $1
    AND stage IN ('deferred', 'retrying')
    AND (stage = 'retrying' AND server IN ${listed(RULES)} OR stage = 'deferred' AND kind = 'delivery')
  ORDER BY id FOR UPDATE SKIP LOCKED)`;
const MAKE_READY = `UPDATE @work SET stage = ${CLAIMABLE} WHERE id IN
  (SELECT id FROM @work WHERE id = ANY ($1::bigint[]) AND stage = 'retrying' FOR UPDATE SKIP LOCKED)`;
const PROMOTE = `UPDATE @work SET stage = 'ready' WHERE id =
  (SELECT id FROM @work WHERE lane = $1 AND key = $2 AND stage = 'blocked' ORDER BY id LIMIT 1) RETURNING 1`;
/** What waits to gather (`collect`), once so many are behind it. */
const FULL = `UPDATE @work SET stage = 'ready', due_at = $4 WHERE lane = $1 AND key = $2 AND ${FIRST}
  AND stage = 'retrying' AND server = 'collect' AND (SELECT count(*) FROM
    (SELECT 1 AS one FROM @work b WHERE b.lane = $1 AND b.key = $2 AND b.stage = 'blocked' LIMIT $3) s) >= $3
  RETURNING id`;
const DELETE = 'DELETE FROM @work WHERE id = ANY ($1::bigint[])';

const DEAD = `SELECT id, lane, key, kind, hook, stage, ref, event_id FROM @work
  WHERE id = ANY ($1::bigint[]) AND stage = 'dead' AND job IS NOT NULL ORDER BY id FOR UPDATE`;
const KEYS_OF_DEAD = `SELECT lane, key FROM @work WHERE id = ANY ($1::bigint[]) AND stage = 'dead'`;
const BEGIN_ANEW = `UPDATE @work SET stage = $2, due_at = $3, since = $3, failures = 0, crashes = 0, acting = false,
  server = CASE lane WHEN 'turn' THEN '' ELSE server END WHERE id = $1`;
const BURY = `UPDATE @work SET stage = 'dead', due_at = $2, acting = false WHERE id = $1`;
const RUN_QUEUED = `UPDATE @runs AS r SET status = 'queued', finished_at = NULL WHERE KEY(r) = $1`;
const DELIVERY_PENDING = `UPDATE @deliveries AS d SET status = 'pending' WHERE KEY(d) = $1`;

/** In UTF-16 code units: what an index of PostgreSQL holds of a row is 2704 bytes. */
const LONGEST_KEY = 500;

/** A key as it is stored. Senders choose recipients, of any length, and these are in keys of deliveries. */
export function storedKey(key: string): string {
  if (key.length <= LONGEST_KEY) return key;
  return `${key.slice(0, LONGEST_KEY / 2)}… ${hash('sha256', key)}`;
}

export function lockOfWork({ lane, key }: NewWork): string {
  return keyLock({ lane, key: storedKey(key) });
}

/** Queues work whose lock is not held: it gets its place when what is due is looked for. */
export async function addAside(tx: Tx, work: NewWork): Promise<void> {
  await tx.insert('work', [{ ...toRow(tx, work), stage: 'deferred' }]);
  tx.changedLanes.add(work.lane);
}

export async function add(tx: Tx, work: NewWork): Promise<null> {
  await tx.lock(() => [lockOfWork(work)]);
  await addWork(tx, [work]);
  return null;
}

/** Puts new work into the queues of its keys, whose locks are held; of one with `once`, at most one of its kind waits there. */
export async function addWork(tx: Tx, works: readonly NewWork[]): Promise<void> {
  await placeInQueues(
    tx,
    works.filter(({ once }) => once !== true),
  );
  const once = works.filter((work) => work.once === true);
  for (const work of once.toSorted((one, other) => one.dueAt - other.dueAt))
    await addOnce(tx, work);
}

type WorkRow = ReturnType<typeof toRow>;

function toRow(tx: Tx, work: NewWork) {
  const { lane, kind, dueAt, hook = '', sender = '', ref = null, eventId = null } = work;
  const key = storedKey(work.key);
  return {
    lane,
    key,
    kind,
    // Of a delivery its channel, the first word of its key; of a turn nothing yet.
    server: lane === 'delivery' ? key.split(' ', 1)[0]! : '',
    hook,
    sender,
    due_at: dueAt,
    since: tx.now,
    ref,
    event_id: eventId,
    job: JSON.stringify(work.job),
  };
}

async function placeInQueues(tx: Tx, given: readonly NewWork[]): Promise<void> {
  if (given.length === 0) return;
  const works = given.map((work) => toRow(tx, work));
  const isLater = ({ kind, due_at }: WorkRow) =>
    (kind === 'heartbeat' || kind === 'notice') && due_at > tx.now;
  const hasFirst = await findFirsts(
    tx,
    works.filter((work) => !isLater(work)),
  );
  const rows: NewRow[] = [];
  for (const work of works) {
    let stage = 'deferred';
    if (!isLater(work)) {
      const key = keyLock(work);
      stage = hasFirst.has(key) ? 'blocked' : 'ready';
      hasFirst.add(key);
    }
    rows.push({ ...work, stage });
    tx.work.added(work.kind, work.hook);
    // A run that has no place is found by the claim that follows the end of another.
    if (stage !== 'blocked' && tx.work.hasPlace(work.kind, work.hook))
      tx.changedLanes.add(work.lane);
  }
  await tx.insert('work', rows);
  for (const work of given) if (work.most !== undefined) await endGathering(tx, work, work.most);
}

/** What gathers what is behind it is due once that is enough. */
export async function endGathering(
  tx: Tx,
  { lane, key }: Pick<NewWork, 'lane' | 'key'>,
  most: number,
): Promise<void> {
  const [row] = await tx.all(FULL, lane, storedKey(key), most - 1, tx.now);
  if (row !== undefined) tx.changedLanes.add(lane);
}

/** The keys of these in whose queues one is first already. */
async function findFirsts(
  tx: Tx,
  works: readonly { readonly lane: Lane; readonly key: string }[],
): Promise<Set<string>> {
  if (works.length === 0) return new Set();
  const keys = works.map(({ lane, key }) => ({ lane, key }));
  return new Set((await tx.all(FIRSTS, keys)).map(lockOfRow));
}

/** Work that waits already is done earlier, if it was never begun. */
async function addOnce(tx: Tx, work: NewWork): Promise<void> {
  const { lane, key, kind, job, due_at: dueAt } = toRow(tx, work);
  const waiting = await first(tx, NOT_BEGUN, lane, key, kind);
  if (waiting === undefined) return placeInQueues(tx, [work]);
  // Whoever claims just now passes over a row that is locked, and has to look again.
  if (tx.instance !== null) tx.changedLanes.add(lane);
  if (integer(waiting, 'attempt') > 0 || integer(waiting, 'due_at') <= dueAt) return;
  const stage = text(waiting, 'stage');
  const isDue = stage === 'deferred' && dueAt <= tx.now;
  const next = isDue ? await stageInQueue(tx, { lane, key }) : stage;
  await tx.run(REPLACE, integer(waiting, 'id'), next, dueAt, job);
  tx.changedLanes.add(lane);
}

export async function stageInQueue(
  tx: Tx,
  work: { readonly lane: Lane; readonly key: string },
): Promise<'blocked' | 'ready'> {
  return (await findFirsts(tx, [work])).size > 0 ? 'blocked' : 'ready';
}

/** Lets work that became due be claimed, behind the others of its key if it was not first. */
export async function enqueueDue(tx: Tx, lane: Lane): Promise<void> {
  const due = await tx.all(DUE, lane, tx.now);
  if (due.length === 0) return;
  const deferred = due.filter((row) => row['stage'] === 'deferred');
  if (deferred.length > 0) {
    await tx.lock(() => deferred.map(lockOfRow));
    // As they are now that nobody else moves them.
    for (const row of await tx.all(STILL_DEFERRED, deferred.map(idOf))) {
      await tx.run(PLACE, idOf(row), await stageInQueue(tx, { lane, key: text(row, 'key') }));
      tx.work.added(word(row, 'kind', KINDS), text(row, 'hook'));
    }
  }
  await tx.run(MAKE_READY, due.map(idOf));
  tx.changedLanes.add(lane);
}

/** Makes due what rules hold, so that it is asked again: they may say something else now. */
export async function reconsider(tx: Tx): Promise<null> {
  await tx.run(RECONSIDER, tx.now);
  for (const lane of LANES) tx.changedLanes.add(lane);
  return null;
}

/** The next of a key is up, if there is one: the oldest of those that wait behind. */
export function promote(tx: Tx, lane: Lane, key: string): void | Promise<void> {
  return tx.later(PROMOTE, [lane, key], (rows) => {
    if (rows.length > 0) tx.changedLanes.add(lane);
  });
}

/** Puts dead work into its queue as if it had just been accepted, unless its job was forgotten. @returns how much */
export async function requeue(tx: Tx, ids: readonly number[]): Promise<number> {
  const keys = await tx.all(KEYS_OF_DEAD, ids);
  await tx.lock(() => keys.map(lockOfRow));
  const dead = await tx.all(DEAD, ids);
  const touched = new Touched();
  for (const row of dead) {
    await beginAnew(tx, row);
    const isRun = text(row, 'kind') === 'run';
    await tx.run(isRun ? RUN_QUEUED : DELIVERY_PENDING, tx.keys.of(text(row, 'ref')));
    touched.addId(tx, optionalText(row, 'event_id'));
  }
  await settle(tx, touched);
  return dead.length;
}

/**
 * Makes work due that is dead or waits, as if it had just been accepted; the lock of its key is held.
 * @param work a row with `id`, `lane`, `key`, `kind`, `hook` and `stage`
 */
export async function beginAnew(tx: Tx, work: Row): Promise<void> {
  const [lane, stage] = [word(work, 'lane', LANES), text(work, 'stage')];
  const isFirst = stage === 'retrying';
  const next = isFirst ? 'ready' : await stageInQueue(tx, { lane, key: text(work, 'key') });
  await tx.run(BEGIN_ANEW, idOf(work), next, tx.now);
  if (!isFirst) tx.work.added(word(work, 'kind', KINDS), text(work, 'hook'));
  tx.changedLanes.add(lane);
}

/** Gives up what waits, so that an operator may have it done anew; the lock of its key is held. @param work as of {@link beginAnew} */
export async function bury(tx: Tx, work: Row): Promise<void> {
  await tx.run(BURY, idOf(work), tx.now);
  await leave(tx, work);
}

/** Takes work out that is not under way; the next of its key is up. @param works rows with `id`, `lane`, `key`, `kind`, `hook` and `stage` */
export async function withdraw(tx: Tx, works: readonly Row[]): Promise<void> {
  await tx.run(DELETE, works.map(idOf));
  for (const row of works) await leave(tx, row);
}

async function leave(tx: Tx, row: Row): Promise<void> {
  const [lane, stage] = [word(row, 'lane', LANES), text(row, 'stage')];
  if (stage === 'dead') return;
  if (stage !== 'deferred') tx.work.removed(word(row, 'kind', KINDS), text(row, 'hook'));
  if (stage !== 'blocked' && stage !== 'deferred') await promote(tx, lane, text(row, 'key'));
  tx.changedLanes.add(lane);
}

function idOf(row: Row): number {
  return integer(row, 'id');
}

/** @param row with `lane` and `key` */
export function lockOfRow(row: Row): string {
  return keyLock({ lane: word(row, 'lane', LANES), key: text(row, 'key') });
}
