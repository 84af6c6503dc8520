import type { Clock } from '../../hooks/ports/clock.ts';
import { signalGroup } from './process-group.ts';

/** How long processes get to end by themselves after SIGTERM. */
const GRACE_MS = 500;
/** How often it is looked whether they have. */
const STEP_MS = 50;

/**
 * The process groups of programs that run now, by the id of their leader. A group ends with its turn, and at the
 * latest with this process, unless that is killed with SIGKILL.
 */
export class ProcessGroups {
  readonly #leaders = new Set<number>();
  readonly #killAll = (): void => {
    for (const leader of this.#leaders) signalGroup(leader, 'SIGKILL');
  };

  constructor(private readonly clock: Clock) {}

  add(leader: number): void {
    if (this.#leaders.size === 0) process.on('exit', this.#killAll);
    this.#leaders.add(leader);
  }

  /** Ends every process of the group: SIGTERM, and after 500 ms SIGKILL. Nothing to do when none is left. */
  async end(leader: number): Promise<void> {
    let isAlive = signalGroup(leader, 'SIGTERM');
    for (let waited = 0; isAlive && waited < GRACE_MS; waited += STEP_MS) {
      await this.clock.wait(STEP_MS);
      isAlive = signalGroup(leader, 0);
    }
    if (isAlive) signalGroup(leader, 'SIGKILL');
    this.#leaders.delete(leader);
    if (this.#leaders.size === 0) process.off('exit', this.#killAll);
  }

  /** Waits for `fact`, but no longer than processes get to end. */
  async atMostGrace(fact: Promise<unknown>): Promise<void> {
    const over = new AbortController();
    await Promise.race([fact, this.clock.wait(GRACE_MS, over.signal)]);
    over.abort();
  }
}
