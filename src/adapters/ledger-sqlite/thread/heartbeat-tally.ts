import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Counts for each event how many of its lines ask for a heartbeat, were shown, or were in a heartbeat that failed. */
export class HeartbeatTally {
  readonly #requested: StatementSync;
  readonly #done: StatementSync;
  readonly #recovered: StatementSync;
  readonly #failed: StatementSync;

  constructor(db: DatabaseSync) {
    const update = (changes: string) => db.prepare(`UPDATE events SET ${changes} WHERE id = ?`);
    this.#requested = update('beats_open = beats_open + 1');
    this.#done = update('beats_open = beats_open - 1, beats_done = beats_done + 1');
    this.#recovered = update('beats_failed = beats_failed - 1, beats_done = beats_done + 1');
    this.#failed = update('beats_open = beats_open - 1, beats_failed = beats_failed + 1');
  }

  requested(eventId: string): void {
    this.#requested.run(eventId);
  }

  done(eventId: string, hadFailed: boolean): void {
    (hadFailed ? this.#recovered : this.#done).run(eventId);
  }

  failed(eventId: string): void {
    this.#failed.run(eventId);
  }
}
