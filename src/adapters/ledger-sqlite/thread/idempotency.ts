import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { IdempotencyKey } from '../../../hooks/ports/intake.ts';
import { text } from './row.ts';

/** What a known key came with. */
export interface KnownKey {
  readonly digest: string;
  readonly eventId: string;
}

/** The keys of earlier requests. */
export class IdempotencyKeys {
  readonly #find: StatementSync;
  readonly #remember: StatementSync;

  constructor(db: DatabaseSync) {
    this.#find = db.prepare(
      'SELECT digest, event_id FROM idempotency WHERE scope = ? AND key = ? AND keep_until > ?',
    );
    this.#remember = db.prepare(
      `INSERT INTO idempotency (scope, key, digest, keep_until, event_id) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (scope, key) DO UPDATE SET digest = excluded.digest,
       keep_until = excluded.keep_until, event_id = excluded.event_id`,
    );
  }

  find({ scope, key }: IdempotencyKey, now: number): KnownKey | null {
    const row = this.#find.get(scope, key, now);
    if (row === undefined) return null;
    return { digest: text(row, 'digest'), eventId: text(row, 'event_id') };
  }

  remember({ scope, key, digest, keepUntil }: IdempotencyKey, eventId: string): void {
    this.#remember.run(scope, key, digest, keepUntil, eventId);
  }
}
