// One instance at a time forgets; what PostgreSQL does with the room is PostgreSQL's (docs/design/postgres.md).
import type { Clock } from '../../../hooks/ports/clock.ts';
import type { Retention } from '../../../hooks/ports/ledger.ts';
import { writeMeta } from '../../records/meta.ts';
import { Pruning } from '../../retention/pruning.ts';
import { text } from '../../rows.ts';
import { first } from '../../tx.ts';
import type { Tx } from '../../tx.ts';
import type { Database } from '../connection.ts';
import { LOCKS } from '../schema.ts';
import { PostgresTx } from '../statements.ts';

const FORGETTING = 'SELECT pg_advisory_xact_lock(hashtext($1), $2)';

export class SharedPruning {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #belief: ClockBelief;
  readonly #steps = new Pruning();

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    this.#belief = new ClockBelief(clock);
  }

  /** True: there is more to do. */
  async step(retention: Retention): Promise<boolean> {
    const database = this.#database;
    const forgotten = await this.#steps.step(
      {
        transaction: (act) =>
          database.write(async (run) =>
            act(new PostgresTx(database, run, this.#clock.now(), null)),
          ),
        mayForget: async (tx) => {
          await tx.all(FORGETTING, database.name, LOCKS.forgetting);
          return this.#belief.isBelieved(tx);
        },
      },
      retention,
    );
    return forgotten !== null && Pruning.hasMore(forgotten);
  }
}

// Nothing is forgotten by a clock that leapt ahead until it has stood for a day: all instances would lose it.

/** All instances may have been off for so long without anybody wondering. */
const LONGEST_ABSENCE_MS = 3_600_000;
/** So long a clock that leapt ahead has to stand, while the instance runs, before anything is forgotten by it. */
const PROBATION_MS = 86_400_000;

const READ = `SELECT value FROM @meta WHERE key = 'believed'`;

class ClockBelief {
  readonly #clock: Clock;
  #askedAt: number;
  /** How long a clock that is not believed has stood. */
  #stood = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#askedAt = clock.elapsed();
  }

  /** Asked in each step's transaction. All share the latest time that was believed; this one knows since when. */
  async isBelieved(tx: Tx): Promise<boolean> {
    const [now, elapsed] = [this.#clock.now(), this.#clock.elapsed()];
    const passed = Math.max(0, elapsed - this.#askedAt);
    this.#askedAt = elapsed;
    this.#stood += passed;
    const row = await first(tx, READ);
    const believed = row === undefined ? now : Number(text(row, 'value'));
    const isBelieved = now - believed - passed <= LONGEST_ABSENCE_MS || this.#stood >= PROBATION_MS;
    if (!isBelieved) return false;
    this.#stood = 0;
    if (now > believed || row === undefined) await writeMeta(tx, 'believed', String(now));
    return true;
  }
}
