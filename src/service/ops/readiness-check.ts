import { Injectable } from '@nestjs/common';
import { Clock } from '../../hooks/index.ts';
import { lately } from '../../platform/lately.ts';
import { ServiceCondition } from './condition.ts';
import type { Condition } from './condition.ts';

/** Asking costs the ledger a commit: more often than this, the last answer is given again. */
const CACHED_MS = 1_000;

/** A ledger that does not answer within this time is not healthy. */
const LONGEST_ANSWER_MS = 2_000;

/** Whether events can be stored, for whoever asks often: load balancers, supervisors, health checks of an application. */
@Injectable()
export class ReadinessCheck {
  readonly #lookedLately: () => Promise<Condition>;

  constructor(
    condition: ServiceCondition,
    private readonly clock: Clock,
  ) {
    this.#lookedLately = lately(clock, CACHED_MS, () => condition.look());
  }

  /** How the service is doing; null: it cannot store events, or says nothing. Never rejects. */
  async look(): Promise<Condition | null> {
    const given = new AbortController();
    const late = this.clock.wait(LONGEST_ANSWER_MS, given.signal).then(() => null);
    const condition = await Promise.race([this.#lookedLately(), late]);
    given.abort();
    return condition?.ready === true ? condition : null;
  }
}
