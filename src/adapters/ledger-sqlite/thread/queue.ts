import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Lane } from '../../../hooks/ports/new-work.ts';
import type { WireWork } from '../wire-data.ts';
import { integer, text } from './row.ts';
import type { Row } from './row.ts';

/**
 * The line before each key. Work is `deferred` (a heartbeat, not in line until due), `blocked` (in line behind another), `ready`
 * (first in line), `leased` (first in line and under way) or `dead` (no longer in line). Whenever a key has a line,
 * exactly one of it is `ready` or `leased`: so a claim never looks at blocked rows.
 */
export class WorkQueue {
  /** Lanes in which something may have become claimable since the last look. */
  readonly rung = new Set<Lane>();
  readonly #insert: StatementSync;
  readonly #notBegun: StatementSync;
  readonly #holder: StatementSync;
  readonly #place: StatementSync;
  readonly #again: StatementSync;
  readonly #goOn: StatementSync;
  readonly #renew: StatementSync;
  readonly #advance: StatementSync;
  readonly #deferred: StatementSync;
  readonly #replace: StatementSync;
  readonly #remove: StatementSync;
  /** Never reused while the process lives: a lost lease must not fit later work. */
  #lastId: number;

  constructor(db: DatabaseSync) {
    this.#insert = db.prepare(
      `INSERT INTO work (id, lane, key, kind, ref, event_id, stage, due_at, since, work_order)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#notBegun = db.prepare(
      `SELECT id, stage, due_at, attempt FROM work WHERE lane = ? AND key = ? AND kind = ?
       AND stage IN ('deferred', 'blocked', 'ready') LIMIT 1`,
    );
    this.#holder = db.prepare(
      `SELECT 1 FROM work WHERE lane = ? AND key = ? AND stage IN ('ready', 'leased') LIMIT 1`,
    );
    this.#place = db.prepare('UPDATE work SET stage = ?, due_at = ?, acting = 0 WHERE id = ?');
    this.#again = db.prepare(
      `UPDATE work SET stage = 'ready', due_at = ?, failures = failures + ?,
       interruptions = interruptions + ?, crashes = 0, acting = 0 WHERE id = ?`,
    );
    this.#renew = db.prepare(
      'UPDATE work SET failures = 0, crashes = 0, interruptions = 0, since = ? WHERE id = ?',
    );
    this.#goOn = db.prepare(
      `UPDATE work SET stage = 'ready', due_at = ?, failures = 0, crashes = 0,
       work_order = ifnull(?, work_order) WHERE id = ?`,
    );
    this.#advance = db.prepare(
      `UPDATE work SET stage = 'ready' WHERE id =
       (SELECT id FROM work WHERE lane = ? AND key = ? AND stage = 'blocked' ORDER BY id LIMIT 1)`,
    );
    this.#deferred = db.prepare(
      `SELECT id, key, due_at FROM work WHERE lane = ? AND stage = 'deferred' AND due_at <= ?
       ORDER BY due_at, id`,
    );
    this.#replace = db.prepare('UPDATE work SET due_at = ?, work_order = ? WHERE id = ?');
    this.#remove = db.prepare('DELETE FROM work WHERE id = ?');
    this.#lastId = integer(db.prepare('SELECT ifnull(max(id), 0) AS id FROM work').get()!, 'id');
  }

  add(work: WireWork, now: number): void {
    const { lane, key, kind, dueAt } = work;
    const waiting = work.once === true ? this.#notBegun.get(lane, key, kind) : undefined;
    if (waiting !== undefined) return this.#hasten(waiting, work, now);
    const isLater = kind === 'heartbeat' && dueAt > now;
    const stage = isLater ? 'deferred' : this.#stageInLine(lane, key);
    this.#insert.run(
      ++this.#lastId,
      lane,
      key,
      kind,
      work.ref ?? null,
      work.eventId ?? null,
      stage,
      dueAt,
      now,
      work.order,
    );
    if (stage !== 'blocked') this.rung.add(lane);
  }

  /** Work that waits already is done earlier, if it was never begun. */
  #hasten(waiting: Row, { lane, key, dueAt, order }: WireWork, now: number): void {
    if (integer(waiting, 'attempt') > 0 || integer(waiting, 'due_at') <= dueAt) return;
    const id = integer(waiting, 'id');
    this.#replace.run(dueAt, order, id);
    if (text(waiting, 'stage') === 'deferred' && dueAt <= now) this.join(id, lane, key, dueAt);
    this.rung.add(lane);
  }

  /** Puts work whose first attempt became due into its line. */
  joinDue(lane: Lane, now: number): void {
    for (const row of this.#deferred.all(lane, now)) {
      this.join(integer(row, 'id'), lane, text(row, 'key'), integer(row, 'due_at'));
    }
  }

  /** Puts work that is not in line into its line. */
  join(id: number, lane: Lane, key: string, dueAt: number): void {
    this.#place.run(this.#stageInLine(lane, key), dueAt, id);
    this.rung.add(lane);
  }

  /** The first in line stays first and is tried again later. */
  retry(id: number, lane: Lane, at: number, cause: 'failed' | 'interrupted'): void {
    const isFailure = cause === 'failed';
    this.#again.run(at, isFailure ? 1 : 0, isFailure ? 0 : 1, id);
    this.rung.add(lane);
  }

  /** The first in line was not begun and stays first. */
  release(id: number, lane: Lane, now: number): void {
    this.#place.run('ready', now, id);
    this.rung.add(lane);
  }

  /** The first in line stays first and goes on; `order` replaces its own. */
  goOn(id: number, lane: Lane, now: number, order?: string): void {
    this.#goOn.run(now, order ?? null, id);
    this.rung.add(lane);
  }

  /** Puts work that was given up into its line, as if it had just been accepted. */
  revive(id: number, lane: Lane, key: string, now: number): void {
    this.#renew.run(now, id);
    this.join(id, lane, key, now);
  }

  /** The first in line has ended; the next of its key is up. */
  finish(id: number, lane: Lane, key: string): void {
    this.#remove.run(id);
    this.#callNext(lane, key);
  }

  /** The first in line is given up and kept; the next of its key is up. */
  bury(id: number, lane: Lane, key: string, now: number): void {
    this.#place.run('dead', now, id);
    this.#callNext(lane, key);
  }

  #callNext(lane: Lane, key: string): void {
    const { changes } = this.#advance.run(lane, key);
    // Work of another key may have waited for the place in its channel.
    if (changes !== 0 || lane === 'delivery') this.rung.add(lane);
  }

  #stageInLine(lane: Lane, key: string): 'blocked' | 'ready' {
    return this.#holder.get(lane, key) === undefined ? 'ready' : 'blocked';
  }
}
