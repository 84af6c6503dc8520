import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { DeliveryChange, DeliveryUpdate } from '../../../hooks/ports/change.ts';
import { text } from './row.ts';

/** The stories of deliveries. */
export class Deliveries {
  readonly #insert: StatementSync;
  readonly #update: StatementSync;

  constructor(db: DatabaseSync) {
    this.#insert = db.prepare(
      `INSERT INTO deliveries (id, event_id, run_id, channel, recipient, status, error)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#update = db.prepare(
      `UPDATE deliveries SET status = ifnull(?, status), message_id = ifnull(?, message_id),
         error = iif(?, ?, error), notes = iif(? IS NULL, notes, json_insert(notes, '$[#]', json(?)))
       WHERE id = ? RETURNING event_id`,
    );
  }

  begin(delivery: DeliveryChange): void {
    const { id, eventId, runId, channel, to, status } = delivery;
    this.#insert.run(id, eventId, runId, channel, to, status, delivery.error ?? null);
  }

  /** The delivery's event; null for an unknown delivery. */
  update(delivery: DeliveryUpdate): string | null {
    const { attempt } = delivery;
    const note = attempt === undefined ? null : JSON.stringify(attempt);
    const row = this.#update.get(
      delivery.status ?? null,
      delivery.messageId ?? null,
      delivery.error === undefined ? 0 : 1,
      delivery.error ?? null,
      note,
      note,
      delivery.id,
    );
    return row === undefined ? null : text(row, 'event_id');
  }
}
