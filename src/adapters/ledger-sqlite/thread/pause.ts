import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** The operator's pause; asked with every event, so it is remembered. */
export class Pause {
  readonly #get: StatementSync;
  readonly #set: StatementSync;
  readonly #unset: StatementSync;
  #paused: boolean | null = null;

  constructor(db: DatabaseSync) {
    this.#get = db.prepare(`SELECT 1 FROM meta WHERE key = 'paused'`);
    this.#set = db.prepare(`INSERT OR REPLACE INTO meta (key, value) VALUES ('paused', 'yes')`);
    this.#unset = db.prepare(`DELETE FROM meta WHERE key = 'paused'`);
  }

  isPaused(): boolean {
    return (this.#paused ??= this.#get.get() !== undefined);
  }

  set(paused: boolean): void {
    (paused ? this.#set : this.#unset).run();
    this.#paused = paused;
  }

  /** What was remembered may be wrong: a transaction was rolled back. */
  forget(): void {
    this.#paused = null;
  }
}
