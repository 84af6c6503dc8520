import type { DatabaseSync } from 'node:sqlite';
import { integer, text } from './rows.ts';

/** How many runs of each hook have not ended, under way or not. Counted once, then kept in mind: nobody else writes work. */
export class Backlog {
  readonly #count: () => Map<string, number>;
  #byHook: Map<string, number> | null = null;

  constructor(db: DatabaseSync) {
    const count = db.prepare(
      `SELECT hook, count(*) AS count FROM work WHERE kind = 'run' AND stage <> 'dead' GROUP BY hook`,
    );
    this.#count = () =>
      new Map(count.all().map((row) => [text(row, 'hook'), integer(row, 'count')]));
  }

  of(hook: string): number {
    return (this.#byHook ??= this.#count()).get(hook) ?? 0;
  }

  add(hook: string): void {
    this.#byHook?.set(hook, this.of(hook) + 1);
  }

  remove(hook: string): void {
    this.#byHook?.set(hook, this.of(hook) - 1);
  }

  /** What was counted may be wrong: a transaction was rolled back. */
  forget(): void {
    this.#byHook = null;
  }
}
