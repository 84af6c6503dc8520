import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { End } from '../../../hooks/ports/work-ledger.ts';
import type { Lane } from '../../../hooks/ports/new-work.ts';
import type { WireChange } from '../wire-data.ts';
import { KINDS } from './claims.ts';
import type { Effects } from './effects.ts';
import type { Parts } from './parts.ts';
import type { WorkQueue } from './queue.ts';
import type { Settlement } from './settlement.ts';
import { integer, text, word } from './row.ts';

export const LANES = ['turn', 'delivery'] as const;

/** Ends steps of work, and begins dead work anew. */
export class Steps {
  readonly #queue: WorkQueue;
  readonly #parts: Parts;
  readonly #effects: Effects;
  readonly #settlement: Settlement;
  readonly #held: StatementSync;
  readonly #dead: StatementSync;
  readonly #eventKnown: StatementSync;
  readonly #runQueued: StatementSync;
  readonly #deliveryPending: StatementSync;

  constructor(
    db: DatabaseSync,
    queue: WorkQueue,
    parts: Parts,
    effects: Effects,
    settlement: Settlement,
  ) {
    this.#queue = queue;
    this.#parts = parts;
    this.#effects = effects;
    this.#settlement = settlement;
    this.#held = db.prepare(
      `SELECT lane, key FROM work WHERE id = ? AND attempt = ? AND stage = 'leased'`,
    );
    this.#dead = db.prepare(
      `SELECT id, lane, key, kind, ref FROM work
       WHERE event_id = ? AND stage = 'dead' AND kind IN ('run', 'delivery')
       AND work_order IS NOT NULL ORDER BY id`,
    );
    this.#eventKnown = db.prepare('SELECT 1 FROM events WHERE id = ?');
    this.#runQueued = db.prepare(
      `UPDATE runs SET status = 'queued', finished_at = NULL WHERE id = ?`,
    );
    this.#deliveryPending = db.prepare(`UPDATE deliveries SET status = 'pending' WHERE id = ?`);
  }

  /** False: the lease was lost, nothing was written. */
  commit(
    lease: { workId: number; attempt: number },
    end: End,
    changes: readonly WireChange[],
    now: number,
  ): boolean {
    const row = this.#held.get(lease.workId, lease.attempt);
    if (row === undefined) return false;
    this.#end(lease.workId, word(row, 'lane', LANES), text(row, 'key'), end, now);
    const touched = new Set<string>();
    for (const change of changes) {
      for (const eventId of this.#effects.apply(change, now)) touched.add(eventId);
    }
    this.#settlement.settle(touched);
    return true;
  }

  /** Puts dead runs and deliveries of an event back in line, unless their orders were forgotten; null for an unknown event. */
  retry(eventId: string, now: number): number | null {
    if (this.#eventKnown.get(eventId) === undefined) return null;
    const dead = this.#dead.all(eventId);
    for (const row of dead) {
      const ref = row['ref'] ?? null;
      const again = word(row, 'kind', KINDS) === 'run' ? this.#runQueued : this.#deliveryPending;
      again.run(ref);
      this.#queue.revive(integer(row, 'id'), word(row, 'lane', LANES), text(row, 'key'), now);
    }
    this.#settlement.settle([eventId]);
    return dead.length;
  }

  #end(id: number, lane: Lane, key: string, end: End, now: number): void {
    switch (end.type) {
      case 'done':
        return this.#queue.finish(id, lane, key);
      case 'retry':
        return this.#queue.retry(id, lane, end.at, end.interrupted ? 'interrupted' : 'failed');
      case 'release':
        return this.#queue.release(id, lane, now);
      case 'cut':
        this.#parts.add(id, end.parts);
        return this.#queue.goOn(id, lane, now, JSON.stringify(end.order));
      case 'continue':
        this.#parts.dropFirst(id);
        return this.#queue.goOn(id, lane, now);
      case 'dead':
        return this.#queue.bury(id, lane, key, now);
    }
  }
}
