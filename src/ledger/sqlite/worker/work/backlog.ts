import type { DatabaseSync } from 'node:sqlite';
import type { NewWork } from '../../../../hooks/ports/jobs.ts';
import { KINDS } from '../../../work-rows.ts';
import { integer, text, word } from '../../../rows.ts';

/** How many runs and deliveries have not ended, under way or not. Counted once, then kept in mind: nobody else writes work. */
export class Backlog {
  readonly #count: () => Counted;
  #counted: Counted | null = null;

  constructor(db: DatabaseSync) {
    const count = db.prepare(
      `SELECT kind, hook, count(*) AS count FROM work
       WHERE kind IN ('run', 'delivery') AND stage <> 'dead' GROUP BY kind, hook`,
    );
    this.#count = () => {
      const counted: Counted = { runs: new Map(), total: 0 };
      for (const row of count.all()) {
        change(counted, word(row, 'kind', KINDS), text(row, 'hook'), integer(row, 'count'));
      }
      return counted;
    };
  }

  /** Runs of a hook. */
  of(hook: string): number {
    return this.#known.runs.get(hook) ?? 0;
  }

  /** Runs and deliveries of all hooks. */
  get total(): number {
    return this.#known.total;
  }

  add(kind: NewWork['kind'], hook: string): void {
    if (this.#counted !== null) change(this.#counted, kind, hook, 1);
  }

  remove(kind: NewWork['kind'], hook: string): void {
    if (this.#counted !== null) change(this.#counted, kind, hook, -1);
  }

  /** What was counted may be wrong: a transaction was rolled back. */
  forget(): void {
    this.#counted = null;
  }

  get #known(): Counted {
    return (this.#counted ??= this.#count());
  }
}

interface Counted {
  readonly runs: Map<string, number>;
  total: number;
}

function change(counted: Counted, kind: NewWork['kind'], hook: string, by: number): void {
  if (kind === 'run') counted.runs.set(hook, (counted.runs.get(hook) ?? 0) + by);
  if (kind === 'run' || kind === 'delivery') counted.total += by;
}
