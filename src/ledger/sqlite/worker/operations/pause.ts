import type { DatabaseSync } from 'node:sqlite';

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
