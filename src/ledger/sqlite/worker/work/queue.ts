// The queue of work: which piece of a key is next, and what becomes of it. Claims (claims.ts) lease what is ready here,
// steps (steps.ts) end what was leased.
//
//   heartbeat or notice ──► deferred ──due──┐
//                                           ▼
//   anything else ─────────────────────► blocked ──first of its key──► ready ──claim──► leased
//                                                                        ▲ ▲              │
//                                                         rest, release, │ └──────────────┤
//                                                        next part, crash│                ▼
//                                                                        └──due── retrying, gone, or dead
//
// What was under way in two crashes in a row is not ready again but suspect (interruptions.ts).
import type { DatabaseSync } from 'node:sqlite';
import type { Lane } from '../../../../hooks/ports/jobs.ts';
import type { StoredWork } from '../../../codec.ts';
import { KINDS, LANES } from '../../../work-rows.ts';
import type { Backlog } from './backlog.ts';
import { integer, text, word } from '../../../rows.ts';
import type { Row } from '../../../rows.ts';
import { CLAIMABLE, FIRST } from '../../../work/stages.ts';
import type { HeldWork, UnderWay } from './under-way.ts';

/**
 * A queue for each key. Work is in one of seven stages: `deferred` (a heartbeat or notice that is not in its queue until
 * it is due), `blocked` (behind another), `retrying` (first, and due later), `ready` or `suspect` (first and due), `leased`
 * (first and under way) or `dead` (no longer in its queue, kept for an operator). Whenever a key has a queue, exactly one
 * of it is first: so a claim never looks at the others.
 */
export class WorkQueue {
  readonly #changedLanes: Set<Lane>;
  readonly #backlog: Backlog;
  readonly #underWay: UnderWay;
  readonly #sql: ReturnType<typeof prepareStatements>;
  /** Never reused while the process lives: a lost lease must not fit later work. */
  #lastId: number;

  /** @param changedLanes is filled with those in which something may have become claimable */
  constructor(db: DatabaseSync, backlog: Backlog, underWay: UnderWay, changedLanes: Set<Lane>) {
    this.#changedLanes = changedLanes;
    this.#backlog = backlog;
    this.#underWay = underWay;
    this.#sql = prepareStatements(db);
    this.#lastId = integer(this.#sql.lastId.get()!, 'id');
  }

  /** Puts new work into the queue of its key; with `once`, at most one of its kind waits there. */
  add(work: StoredWork, now: number): void {
    const { lane, key, kind, dueAt, hook = '', sender = '' } = work;
    const waiting = work.once === true ? this.#sql.notBegun.get(lane, key, kind) : undefined;
    if (waiting !== undefined) return this.#expedite(waiting, work, now);
    const isLater = (kind === 'heartbeat' || kind === 'notice') && dueAt > now;
    const stage = isLater ? 'deferred' : this.#stageInQueue(lane, key);
    this.#sql.insert.run(
      ++this.#lastId,
      lane,
      key,
      kind,
      stage,
      serverOf(lane, key),
      hook,
      sender,
      dueAt,
      now,
      work.ref ?? null,
      work.eventId ?? null,
      work.job,
    );
    this.#backlog.add(kind, hook);
    // A run that has no place is found by the claim that follows the end of another.
    const hasPlace =
      kind !== 'run' || !(this.#underWay.hasAllRuns || this.#underWay.hasAllRunsOf(hook));
    if (stage !== 'blocked' && hasPlace) this.#changedLanes.add(lane);
  }

  /** Work that waits already is done earlier, if it was never begun. */
  #expedite(waiting: Row, { lane, key, dueAt, job }: StoredWork, now: number): void {
    if (integer(waiting, 'attempt') > 0 || integer(waiting, 'due_at') <= dueAt) return;
    const id = integer(waiting, 'id');
    this.#sql.replace.run(dueAt, job, id);
    if (text(waiting, 'stage') === 'deferred' && dueAt <= now) this.#enqueue(id, lane, key, dueAt);
    this.#changedLanes.add(lane);
  }

  /** Lets work that became due be claimed, behind the others of its key if it was not first. */
  enqueueDue(lane: Lane, now: number): void {
    for (const row of this.#sql.due.all(lane, now)) {
      const id = integer(row, 'id');
      if (text(row, 'stage') === 'retrying') this.#sql.makeReady.run(id);
      else this.#enqueue(id, lane, text(row, 'key'), integer(row, 'due_at'));
    }
  }

  /** When something will be due, in epoch milliseconds; null: nothing will. */
  nextDue(lane: Lane): number | null {
    const row = this.#sql.nextDue.get(lane);
    return row === undefined ? null : integer(row, 'due_at');
  }

  /** Puts work that was given up into its queue, as if it had just been accepted. */
  requeue(id: number, lane: Lane, key: string, now: number): void {
    const row = this.#sql.renew.get(now, id)!;
    this.#backlog.add(word(row, 'kind', KINDS), text(row, 'hook'));
    this.#enqueue(id, lane, key, now);
  }

  /** The first in its queue stays first and is tried again later. A stop is no end of its own: crashes before it count on. */
  retry(held: HeldWork, at: number, cause: 'failed' | 'interrupted', now: number): void {
    const { tryAgain, tryLater } = this.#sql;
    const isFailure = cause === 'failed' ? 1 : 0;
    (at > now ? tryLater : tryAgain).run(at, isFailure, held.id);
    this.#noteEnd(held);
  }

  /** The first in its queue stays first, and is claimed again when its backend no longer rests. */
  rest(held: HeldWork, now: number, backend: string, wasAsked: boolean): void {
    const { id } = held;
    if (wasAsked) this.#sql.tryAgain.run(now, 1, id);
    // Those that were not asked keep their place before those that were.
    else this.#sql.makeReady.run(id);
    this.#sql.setServer.run(backend, id);
    this.#noteEnd(held);
  }

  /** The first in its queue was not begun and stays first. */
  release(held: HeldWork, now: number): void {
    this.#sql.giveBack.run(now, held.id);
    this.#noteEnd(held);
  }

  /** The first in its queue stays first and is due at once; `job` replaces its own. */
  continue(held: HeldWork, now: number, job?: string): void {
    this.#sql.continue.run(now, job ?? null, held.id);
    this.#noteEnd(held);
  }

  /** The first in its queue has ended; the next of its key is up. */
  finish(held: HeldWork): void {
    this.#sql.remove.run(held.id);
    this.#leave(held);
  }

  /** Takes work out that is not under way; if it was the first of its key, the next is up. @param row of `work` */
  withdraw(row: Row): void {
    const [lane, key] = [word(row, 'lane', LANES), text(row, 'key')];
    this.#sql.remove.run(integer(row, 'id'));
    if (text(row, 'stage') === 'dead') return;
    this.#backlog.remove(word(row, 'kind', KINDS), text(row, 'hook'));
    if (this.#sql.first.get(lane, key) === undefined) this.#sql.promote.run(lane, key);
    this.#changedLanes.add(lane);
  }

  /** The first in its queue is given up and kept; the next of its key is up. */
  markDead(held: HeldWork, now: number): void {
    this.#sql.bury.run(now, held.id);
    this.#leave(held);
  }

  #enqueue(id: number, lane: Lane, key: string, dueAt: number): void {
    this.#sql.place.run(this.#stageInQueue(lane, key), dueAt, id);
    this.#changedLanes.add(lane);
  }

  /** Lets the oldest of those that wait behind be claimed. */
  #leave(held: HeldWork): void {
    this.#backlog.remove(held.kind, held.hook);
    this.#sql.promote.run(held.lane, held.key);
    this.#noteEnd(held);
  }

  /** Work of another key may have waited for the place of this one, or to hear that its backend is back. */
  #noteEnd({ lane, isSuspect }: HeldWork): void {
    this.#changedLanes.add(lane);
    if (isSuspect) for (const each of LANES) this.#changedLanes.add(each);
  }

  /** `ready` where nobody is first. */
  #stageInQueue(lane: Lane, key: string): 'blocked' | 'ready' {
    return this.#sql.first.get(lane, key) === undefined ? 'ready' : 'blocked';
  }
}

/** Of a delivery its channel, the first word of its key; of a turn nothing yet. */
function serverOf(lane: Lane, key: string): string {
  if (lane !== 'delivery') return '';
  const end = key.indexOf(' ');
  return end === -1 ? key : key.slice(0, end);
}

function prepareStatements(db: DatabaseSync) {
  const later = `FROM work WHERE lane = ? AND stage IN ('deferred', 'retrying')`;
  const again = (stage: string) =>
    db.prepare(
      `UPDATE work SET stage = ${stage}, due_at = ?1, failures = failures + ?2,
       crashes = iif(?2, 0, crashes), acting = 0 WHERE id = ?3`,
    );
  return {
    lastId: db.prepare('SELECT ifnull(max(id), 0) AS id FROM work'),
    insert: db.prepare(
      `INSERT INTO work (id, lane, key, kind, stage, server, hook, sender, due_at, since, ref,
         event_id, job) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    notBegun: db.prepare(
      `SELECT id, stage, due_at, attempt FROM work WHERE lane = ? AND key = ? AND kind = ?
       AND kind IN ('heartbeat', 'notice') AND stage NOT IN ('leased', 'dead') LIMIT 1`,
    ),
    replace: db.prepare('UPDATE work SET due_at = ?, job = ? WHERE id = ?'),
    first: db.prepare(`SELECT 1 FROM work WHERE lane = ? AND key = ? AND ${FIRST}`),
    setServer: db.prepare('UPDATE work SET server = ?, acting = 0 WHERE id = ?'),
    place: db.prepare('UPDATE work SET stage = ?, due_at = ?, acting = 0 WHERE id = ?'),
    makeReady: db.prepare(`UPDATE work SET stage = ${CLAIMABLE} WHERE id = ?`),
    giveBack: db.prepare(
      `UPDATE work SET stage = ${CLAIMABLE}, due_at = ?, acting = 0 WHERE id = ?`,
    ),
    bury: db.prepare(`UPDATE work SET stage = 'dead', due_at = ?, acting = 0 WHERE id = ?`),
    due: db.prepare(`SELECT id, key, stage, due_at ${later} AND due_at <= ? ORDER BY due_at, id`),
    nextDue: db.prepare(`SELECT due_at ${later} ORDER BY due_at LIMIT 1`),
    renew: db.prepare(
      'UPDATE work SET failures = 0, crashes = 0, since = ? WHERE id = ? RETURNING kind, hook',
    ),
    tryAgain: again(`iif(?2, 'ready', ${CLAIMABLE})`),
    tryLater: again(`'retrying'`),
    continue: db.prepare(
      `UPDATE work SET stage = 'ready', due_at = ?, failures = 0, crashes = 0,
       job = ifnull(?, job) WHERE id = ?`,
    ),
    remove: db.prepare('DELETE FROM work WHERE id = ?'),
    promote: db.prepare(
      `UPDATE work SET stage = 'ready' WHERE id =
       (SELECT id FROM work WHERE lane = ? AND key = ? AND stage = 'blocked' ORDER BY id LIMIT 1)`,
    ),
  };
}
