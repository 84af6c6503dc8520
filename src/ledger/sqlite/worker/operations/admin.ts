// What an operator does to the ledger as a whole, and what metrics and health checks ask of it.
import type { DatabaseSync } from 'node:sqlite';
import type { AttemptNote } from '../../../../hooks/ports/change.ts';
import type { DeadWorkFilter, DeadWorkPage } from '../../../../hooks/ports/ledger.ts';
import { keyOf, ownKeyOf, restOf } from '../../id-keys.ts';
import { KINDS, LANES } from '../../../work-rows.ts';
import type { Settlement } from '../events/event-status.ts';
import type { WorkQueue } from '../work/queue.ts';
import { integer, optionalText, text, word } from '../../../rows.ts';
import type { Row } from '../../../rows.ts';

/** The operator's pause; asked with every event, so it is remembered. */
export class Pause {
  readonly #sql: ReturnType<typeof preparePause>;
  #paused: boolean | null = null;

  constructor(db: DatabaseSync) {
    this.#sql = preparePause(db);
  }

  /** Read from the table once, and after every rollback. */
  isPaused(): boolean {
    return (this.#paused ??= this.#sql.get.get() !== undefined);
  }

  /** Holds over a restart: it is a row of `meta`. */
  set(paused: boolean): void {
    (paused ? this.#sql.set : this.#sql.unset).run();
    this.#paused = paused;
  }

  /** What was remembered may be wrong: a transaction was rolled back. */
  forget(): void {
    this.#paused = null;
  }
}

/** Paused is that the row exists. */
function preparePause(db: DatabaseSync) {
  return {
    get: db.prepare(`SELECT 1 FROM meta WHERE key = 'paused'`),
    set: db.prepare(`INSERT OR REPLACE INTO meta (key, value) VALUES ('paused', 'yes')`),
    unset: db.prepare(`DELETE FROM meta WHERE key = 'paused'`),
  };
}

/** Work that was given up: an operator may have it done anew, at once, or forget it. */
export class DeadWork {
  readonly #queue: WorkQueue;
  readonly #settlement: Settlement;
  readonly #sql: ReturnType<typeof prepareDeadWork>;

  constructor(db: DatabaseSync, queue: WorkQueue, settlement: Settlement) {
    this.#queue = queue;
    this.#settlement = settlement;
    this.#sql = prepareDeadWork(db);
  }

  /**
   * Puts dead runs and deliveries of an event back into their queues, unless their jobs were forgotten with the payload,
   * and makes those due that wait for their next attempt. Returns how many; null for an unknown event.
   */
  retry(eventId: string, now: number): number | null {
    if (!this.#isKnown(eventId)) return null;
    const waiting = this.#sql.retryingOfEvent.all(eventId);
    for (const row of waiting) {
      this.#queue.bringForward(integer(row, 'id'), word(row, 'lane', LANES), now);
    }
    return waiting.length + this.#requeue(this.#sql.ofEvent.all(eventId).filter(hasJob), now);
  }

  /** The same for all that the filter finds. */
  retryAll(filter: DeadWorkFilter, now: number): DeadWorkPage {
    return this.#page(filter, (rows) => this.#requeue(rows.filter(hasJob), now));
  }

  /** Forgets dead work of an event; its history says so. Returns how much; null for an unknown event. */
  dismiss(eventId: string, now: number): number | null {
    if (!this.#isKnown(eventId)) return null;
    return this.#forget(this.#sql.ofEvent.all(eventId), now);
  }

  /** The same for all that the filter finds. */
  dismissAll(filter: DeadWorkFilter, now: number): DeadWorkPage {
    return this.#page(filter, (rows) => this.#forget(rows, now));
  }

  #isKnown(eventId: string): boolean {
    const row = this.#sql.event.get(keyOf(eventId));
    return row !== undefined && text(row, 'rest') === restOf(eventId);
  }

  #page(filter: DeadWorkFilter, act: (rows: readonly Row[]) => number): DeadWorkPage {
    const { cursor = '0', limit } = filter;
    if (Number.isNaN(filter.since)) throw new RangeError('since is no time');
    const rows: Row[] = [];
    let hasMore = false;
    for (const row of this.#sql.all.iterate(Number(cursor))) {
      if (!this.#matches(row, filter)) continue;
      hasMore = rows.length === limit;
      if (hasMore) break;
      rows.push(row);
    }
    const last = rows.at(-1);
    const nextCursor = hasMore && last !== undefined ? String(integer(last, 'id')) : null;
    return { count: act(rows), nextCursor };
  }

  #matches(row: Row, { hook, since, status }: DeadWorkFilter): boolean {
    const eventId = optionalText(row, 'event_id');
    const event = eventId === null ? undefined : this.#sql.event.get(ownKeyOf(eventId));
    // As it is counted: work that no hook asked for names none.
    if (hook === null) {
      if (text(row, 'hook') !== '') return false;
    } else if (hook !== undefined && event?.['hook'] !== hook && event?.['mapping'] !== hook) {
      return false;
    }
    if (since !== undefined && integer(event ?? row, event ? 'received_at' : 'since') < since) {
      return false;
    }
    if (status === undefined) return true;
    const isRun = word(row, 'kind', KINDS) === 'run';
    const { runStatus, deliveryStatus } = this.#sql;
    return (isRun ? runStatus : deliveryStatus).get(refOf(row))?.['status'] === status;
  }

  #requeue(rows: readonly Row[], now: number): number {
    for (const row of rows) {
      const isRun = word(row, 'kind', KINDS) === 'run';
      (isRun ? this.#sql.runQueued : this.#sql.deliveryPending).run(refOf(row));
      this.#queue.requeue(integer(row, 'id'), word(row, 'lane', LANES), text(row, 'key'), now);
    }
    return this.#settled(rows);
  }

  #forget(rows: readonly Row[], now: number): number {
    for (const row of rows) {
      const attempt = integer(row, 'attempt');
      const note: AttemptNote = { at: now, attempt, outcome: 'dismissed' };
      const isRun = word(row, 'kind', KINDS) === 'run';
      const { noteRun, noteDelivery } = this.#sql;
      (isRun ? noteRun : noteDelivery).run(JSON.stringify(note), refOf(row));
      this.#sql.forget.run(integer(row, 'id'));
    }
    return this.#settled(rows);
  }

  #settled(rows: readonly Row[]): number {
    const eventIds = rows.map((row) => optionalText(row, 'event_id'));
    this.#settlement.settle(new Set(eventIds.filter((id) => id !== null).map(ownKeyOf)));
    return rows.length;
  }
}

/** Whether it could be done anew: its job was not forgotten with the payload. */
function hasJob(row: Row): boolean {
  return integer(row, 'has_job') === 1;
}

/** The key of its run or its delivery. */
function refOf(row: Row): number {
  return ownKeyOf(text(row, 'ref'));
}

/** Heartbeats are left out: what they were to show waits for a later turn of its session. */
function prepareDeadWork(db: DatabaseSync) {
  const dead = `SELECT id, lane, key, kind, ref, hook, event_id, attempt, since, job IS NOT NULL AS has_job
     FROM work WHERE stage = 'dead' AND kind IN ('run', 'delivery')`;
  const note = (table: string) =>
    db.prepare(`UPDATE ${table} SET notes = json_insert(notes, '$[#]', json(?)) WHERE key = ?`);
  return {
    event: db.prepare('SELECT rest, hook, mapping, received_at FROM events WHERE key = ?'),
    ofEvent: db.prepare(`${dead} AND event_id = ? ORDER BY id`),
    retryingOfEvent: db.prepare(
      `SELECT id, lane FROM work
       WHERE stage = 'retrying' AND kind IN ('run', 'delivery') AND event_id = ? ORDER BY id`,
    ),
    all: db.prepare(`${dead} AND id > ? ORDER BY id`),
    runStatus: db.prepare('SELECT status FROM runs WHERE key = ?'),
    deliveryStatus: db.prepare('SELECT status FROM deliveries WHERE key = ?'),
    runQueued: db.prepare(`UPDATE runs SET status = 'queued', finished_at = NULL WHERE key = ?`),
    deliveryPending: db.prepare(`UPDATE deliveries SET status = 'pending' WHERE key = ?`),
    noteRun: note('runs'),
    noteDelivery: note('deliveries'),
    forget: db.prepare('DELETE FROM work WHERE id = ?'),
  };
}
