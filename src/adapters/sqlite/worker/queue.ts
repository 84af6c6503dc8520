// The queue of work: which piece of a key is next, and what becomes of it. Claims (claims.ts) lease what is ready here,
// steps (steps.ts) end what was leased.
//
//   heartbeat or notice ──► deferred ──due──┐
//                                           ▼
//   anything else ─────────────────────► blocked ──first of its key──► ready ──claim──► leased
//                                                                        ▲                │
//                                                  retry, rest, release, └────────────────┤
//                                                       next part, crash                  ▼
//                                                                                   gone, or dead
import type { DatabaseSync } from 'node:sqlite';
import type { Lane } from '../../../hooks/ports/jobs.ts';
import type { StoredWork } from '../codec.ts';
import { integer, text } from './rows.ts';
import type { Row } from './rows.ts';

/**
 * A queue for each key. Work is in one of five stages: `deferred` (a heartbeat or notice that is not in its queue until it is due),
 * `blocked` (behind another), `ready` (first), `leased` (first and under way) or `dead` (no longer in its queue, kept
 * for an operator). Whenever a key has a queue, exactly one of it is `ready` or `leased`: so a claim never looks at
 * blocked rows.
 */
export class WorkQueue {
  /** Lanes in which something may have become claimable since the last answer, which takes and empties it. */
  readonly changedLanes = new Set<Lane>();
  readonly #sql: ReturnType<typeof prepareStatements>;
  /** Never reused while the process lives: a lost lease must not fit later work. */
  #lastId: number;

  constructor(db: DatabaseSync) {
    this.#sql = prepareStatements(db);
    this.#lastId = integer(this.#sql.lastId.get()!, 'id');
  }

  /** Puts new work into the queue of its key; with `once`, at most one of its kind waits there. */
  add(work: StoredWork, now: number): void {
    const { lane, key, kind, dueAt } = work;
    const waiting = work.once === true ? this.#sql.notBegun.get(lane, key, kind) : undefined;
    if (waiting !== undefined) return this.#expedite(waiting, work, now);
    const isLater = (kind === 'heartbeat' || kind === 'notice') && dueAt > now;
    const stage = isLater ? 'deferred' : this.#stageInQueue(lane, key);
    this.#sql.insert.run(
      ++this.#lastId,
      lane,
      key,
      kind,
      work.ref ?? null,
      work.eventId ?? null,
      stage,
      dueAt,
      now,
      work.job,
    );
    if (stage !== 'blocked') this.changedLanes.add(lane);
  }

  /** Work that waits already is done earlier, if it was never begun. */
  #expedite(waiting: Row, { lane, key, dueAt, job }: StoredWork, now: number): void {
    if (integer(waiting, 'attempt') > 0 || integer(waiting, 'due_at') <= dueAt) return;
    const id = integer(waiting, 'id');
    this.#sql.replace.run(dueAt, job, id);
    if (text(waiting, 'stage') === 'deferred' && dueAt <= now) this.#enqueue(id, lane, key, dueAt);
    this.changedLanes.add(lane);
  }

  /** Puts work whose first attempt became due into its queue. */
  enqueueDue(lane: Lane, now: number): void {
    for (const row of this.#sql.deferred.all(lane, now)) {
      this.#enqueue(integer(row, 'id'), lane, text(row, 'key'), integer(row, 'due_at'));
    }
  }

  /** Puts work that was given up into its queue, as if it had just been accepted. */
  requeue(id: number, lane: Lane, key: string, now: number): void {
    this.#sql.renew.run(now, id);
    this.#enqueue(id, lane, key, now);
  }

  /** The first in its queue stays first and is tried again later. */
  retry(id: number, lane: Lane, at: number, cause: 'failed' | 'interrupted'): void {
    const isFailure = cause === 'failed';
    this.#sql.tryAgain.run(at, isFailure ? 1 : 0, isFailure ? 0 : 1, id);
    this.changedLanes.add(lane);
  }

  /** The first in its queue stays first, and is claimed again when its backend no longer rests. */
  rest(id: number, lane: Lane, now: number, backend: string, wasAsked: boolean): void {
    if (wasAsked) this.#sql.tryAgain.run(now, 1, 0, id);
    // Those that were not asked keep their place before those that were.
    else this.#sql.place.run('ready', integer(this.#sql.dueAt.get(id)!, 'due_at'), id);
    this.#sql.setBackend.run(backend, id);
    this.changedLanes.add(lane);
  }

  /** The first in its queue was not begun and stays first. */
  release(id: number, lane: Lane, now: number): void {
    this.#sql.place.run('ready', now, id);
    this.changedLanes.add(lane);
  }

  /** The first in its queue stays first and is due at once; `job` replaces its own. */
  continue(id: number, lane: Lane, now: number, job?: string): void {
    this.#sql.continue.run(now, job ?? null, id);
    this.changedLanes.add(lane);
  }

  /** The first in its queue has ended; the next of its key is up. */
  finish(id: number, lane: Lane, key: string): void {
    this.#sql.remove.run(id);
    this.#promoteNext(lane, key);
  }

  /** The first in its queue is given up and kept; the next of its key is up. */
  markDead(id: number, lane: Lane, key: string, now: number): void {
    this.#sql.place.run('dead', now, id);
    this.#promoteNext(lane, key);
  }

  #enqueue(id: number, lane: Lane, key: string, dueAt: number): void {
    this.#sql.place.run(this.#stageInQueue(lane, key), dueAt, id);
    this.changedLanes.add(lane);
  }

  /** Lets the oldest of those that wait behind be claimed. */
  #promoteNext(lane: Lane, key: string): void {
    this.#sql.promote.run(lane, key);
    // Work of another key may have waited for the place in its channel, or to hear that its backend is back.
    this.changedLanes.add(lane);
  }

  /** `ready` where nobody is first. */
  #stageInQueue(lane: Lane, key: string): 'blocked' | 'ready' {
    return this.#sql.first.get(lane, key) === undefined ? 'ready' : 'blocked';
  }
}

function prepareStatements(db: DatabaseSync) {
  return {
    lastId: db.prepare('SELECT ifnull(max(id), 0) AS id FROM work'),
    insert: db.prepare(
      `INSERT INTO work (id, lane, key, kind, ref, event_id, stage, due_at, since, job)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    notBegun: db.prepare(
      `SELECT id, stage, due_at, attempt FROM work WHERE lane = ? AND key = ? AND kind = ?
       AND stage IN ('deferred', 'blocked', 'ready') LIMIT 1`,
    ),
    replace: db.prepare('UPDATE work SET due_at = ?, job = ? WHERE id = ?'),
    first: db.prepare(
      `SELECT 1 FROM work WHERE lane = ? AND key = ? AND stage IN ('ready', 'leased') LIMIT 1`,
    ),
    dueAt: db.prepare('SELECT due_at FROM work WHERE id = ?'),
    setBackend: db.prepare('UPDATE work SET backend = ? WHERE id = ?'),
    place: db.prepare('UPDATE work SET stage = ?, due_at = ?, acting = 0 WHERE id = ?'),
    deferred: db.prepare(
      `SELECT id, key, due_at FROM work WHERE lane = ? AND stage = 'deferred' AND due_at <= ?
       ORDER BY due_at, id`,
    ),
    renew: db.prepare(
      'UPDATE work SET failures = 0, crashes = 0, interruptions = 0, since = ? WHERE id = ?',
    ),
    tryAgain: db.prepare(
      `UPDATE work SET stage = 'ready', due_at = ?, failures = failures + ?,
       interruptions = interruptions + ?, crashes = 0, acting = 0 WHERE id = ?`,
    ),
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
