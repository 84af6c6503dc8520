import type { DatabaseSync } from 'node:sqlite';
import { integer, optionalText, text, word } from '../../../rows.ts';
import type { Row } from '../../../rows.ts';
import type { Moves, Tx } from '../../../tx.ts';
import { KINDS, LANES } from '../../../work-rows.ts';
import { ownKeyOf } from '../../id-keys.ts';
import type { Settlement } from '../events/event-status.ts';
import type { SystemEvents } from '../sessions/system-events.ts';
import type { WorkQueue } from './queue.ts';

/** What is remembered of the tables that these moves change. */
interface Remembered {
  readonly queue: WorkQueue;
  readonly settlement: Settlement;
  readonly systemEvents: SystemEvents;
}

/** How work moves beside the queue and the writer's memory. */
export class SqliteMoves implements Moves {
  readonly #remembered: Remembered;
  readonly #sql: ReturnType<typeof prepareMoves>;

  constructor(db: DatabaseSync, remembered: Remembered) {
    this.#remembered = remembered;
    this.#sql = prepareMoves(db);
  }

  requeue(tx: Tx, ids: readonly number[]): number {
    const rows = this.#sql.dead.all(JSON.stringify(ids));
    for (const row of rows) {
      const isRun = word(row, 'kind', KINDS) === 'run';
      (isRun ? this.#sql.runQueued : this.#sql.deliveryPending).run(ownKeyOf(text(row, 'ref')));
      const lane = word(row, 'lane', LANES);
      this.#remembered.queue.requeue(integer(row, 'id'), lane, text(row, 'key'), tx.now);
    }
    const events = rows.map((row) => optionalText(row, 'event_id'));
    this.settle(
      tx,
      events.filter((id) => id !== null),
    );
    return rows.length;
  }

  withdraw(_tx: Tx, work: readonly Row[]): void {
    for (const row of work) this.#remembered.queue.withdraw(row);
  }

  settle(_tx: Tx, events: readonly string[]): void {
    this.#remembered.settlement.settle(new Set(events.map(ownKeyOf)));
  }

  noteForgotten(sessions: readonly string[]): void {
    for (const session of sessions) this.#remembered.systemEvents.forget(session);
  }
}

function prepareMoves(db: DatabaseSync) {
  return {
    dead: db.prepare(
      `SELECT id, lane, key, kind, ref, event_id FROM work
       WHERE id IN (SELECT value FROM json_each(?)) AND stage = 'dead' AND job IS NOT NULL ORDER BY id`,
    ),
    runQueued: db.prepare(`UPDATE runs SET status = 'queued', finished_at = NULL WHERE key = ?`),
    deliveryPending: db.prepare(`UPDATE deliveries SET status = 'pending' WHERE key = ?`),
  };
}
