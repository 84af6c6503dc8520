// The clock of an instance may be set, by years, and one instance that forgot by such a clock would forget what all of them
// keep. So nothing is forgotten by a clock that leapt ahead, until it has stood for a day.
import type { Clock } from '../../../hooks/ports/clock.ts';
import { text } from '../../stored/rows.ts';
import type { Run } from '../connection.ts';

/** All instances may have been off for so long without anybody wondering. */
const LONGEST_ABSENCE_MS = 86_400_000;
/** So long a clock that leapt ahead has to stand, while the instance runs, before anything is forgotten by it. */
const PROBATION_MS = 86_400_000;

const READ = `SELECT value FROM @schema.meta WHERE key = 'believed'`;
const WRITE = `INSERT INTO @schema.meta (key, value) VALUES ('believed', $1)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`;

/** Whether things may be forgotten by the clock of this instance. */
export class ClockBelief {
  readonly #clock: Clock;
  #askedAt: number;
  /** How long a clock that is not believed has stood. */
  #stood = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#askedAt = clock.elapsed();
  }

  /**
   * Asked with every step of pruning, inside its transaction. All instances share the latest time that was believed; this
   * one knows how long it is since it asked.
   */
  async isBelieved(run: Run): Promise<boolean> {
    const [now, elapsed] = [this.#clock.now(), this.#clock.elapsed()];
    const passed = Math.max(0, elapsed - this.#askedAt);
    this.#askedAt = elapsed;
    this.#stood += passed;
    const [row] = await run(READ);
    const believed = row === undefined ? now : Number(text(row, 'value'));
    const isBelieved = now - believed - passed <= LONGEST_ABSENCE_MS || this.#stood >= PROBATION_MS;
    if (!isBelieved) return false;
    this.#stood = 0;
    if (now > believed || row === undefined) await run(WRITE, [String(now)]);
    return true;
  }
}
