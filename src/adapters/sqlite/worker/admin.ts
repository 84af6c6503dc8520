// What an operator does to the ledger as a whole, and what metrics and health checks ask of it.
import type { DatabaseSync } from 'node:sqlite';
import type { WorkCounts } from '../../../hooks/ports/ledger.ts';
import { KINDS, LANES } from '../protocol.ts';
import type { Settlement } from './event-status.ts';
import type { WorkQueue } from './queue.ts';
import { integer, text, word } from './rows.ts';

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

/** Dead runs and deliveries, which an operator may have done anew. */
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
   * Puts dead runs and deliveries of an event back into their queues, unless their jobs were forgotten with the payload.
   * Returns how many; null for an unknown event.
   */
  retry(eventId: string, now: number): number | null {
    if (this.#sql.event.get(eventId) === undefined) return null;
    const dead = this.#sql.dead.all(eventId);
    for (const row of dead) {
      const isRun = word(row, 'kind', KINDS) === 'run';
      (isRun ? this.#sql.runQueued : this.#sql.deliveryPending).run(row['ref'] ?? null);
      this.#queue.requeue(integer(row, 'id'), word(row, 'lane', LANES), text(row, 'key'), now);
    }
    this.#settlement.settle([eventId]);
    return dead.length;
  }
}

/** Heartbeats are left out: what they were to show waits for a later turn of its session. */
function prepareDeadWork(db: DatabaseSync) {
  return {
    event: db.prepare('SELECT 1 FROM events WHERE id = ?'),
    dead: db.prepare(
      `SELECT id, lane, key, kind, ref FROM work
       WHERE event_id = ? AND stage = 'dead' AND kind IN ('run', 'delivery')
       AND job IS NOT NULL ORDER BY id`,
    ),
    runQueued: db.prepare(`UPDATE runs SET status = 'queued', finished_at = NULL WHERE id = ?`),
    deliveryPending: db.prepare(`UPDATE deliveries SET status = 'pending' WHERE id = ?`),
  };
}

/** Finds out whether the store can be written, by writing: a full disk shows only then. */
export function createProbe(db: DatabaseSync): (now: number) => void {
  const write = db.prepare(`INSERT OR REPLACE INTO meta (key, value) VALUES ('probed', ?)`);
  return (now) => {
    write.run(String(now));
  };
}

/** What the stages of work are called in metrics. */
const STATES = ['waiting', 'running', 'dead'] as const;

/** Counts work by kind and state, from an index alone. */
export function createWorkCounter(db: DatabaseSync): () => readonly WorkCounts[] {
  const count = db.prepare(
    `SELECT kind, CASE stage WHEN 'leased' THEN 'running' WHEN 'dead' THEN 'dead'
       ELSE 'waiting' END AS state, count(*) AS count
     FROM work INDEXED BY work_due GROUP BY 1, 2`,
  );
  return () =>
    count.all().map((row) => ({
      kind: word(row, 'kind', KINDS),
      state: word(row, 'state', STATES),
      count: integer(row, 'count'),
    }));
}
