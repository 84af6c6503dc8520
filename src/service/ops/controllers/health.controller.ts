import { Controller, Get } from '@nestjs/common';
import type { OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../../hooks/index.ts';
import { Refusal } from '../../refusals.ts';
import { ServiceCondition, degradationsOf } from '../condition.ts';
import type { Condition, Degradation } from '../condition.ts';

/** Asking costs the ledger a commit: more often than this, the last answer is given again. */
const CACHED_MS = 1_000;

/** A ledger that does not answer within this time is not healthy. */
const LONGEST_ANSWER_MS = 2_000;

interface Readiness {
  readonly ok: true;
  readonly status: 'ready';
  readonly paused: boolean;
  /** Absent while everything works. */
  readonly degraded?: readonly Degradation[];
}

/** For the supervisor and the load balancer: without a token, and without anything worth hiding. */
@Controller('health')
export class HealthController implements OnModuleDestroy {
  #isStopping = false;
  #cached: { readonly at: number; readonly condition: Promise<Condition> } | undefined;

  constructor(
    private readonly condition: ServiceCondition,
    private readonly clock: Clock,
  ) {}

  /** Before the hooks begin to drain, since this module imports theirs: balancers move on while they still accept. */
  onModuleDestroy(): void {
    this.#isStopping = true;
  }

  /** The process answers. */
  @Get('live')
  live(): { ok: true; status: 'live' } {
    return { ok: true, status: 'live' };
  }

  /**
   * Events can be stored. A paused service is ready: its own 503 tells senders to come back, and taking it out of
   * rotation would only hide that sentence. So is one whose mailbox cannot be read, and one that had to refuse what
   * verified senders sent in the last hour: it takes requests as ever, and `degraded` says what does not work. One that
   * stops or is drained is not ready from the first moment, though it goes on accepting.
   * @throws Refusal 503
   */
  @Get('ready')
  async ready(): Promise<Readiness> {
    if (this.#isStopping) throw new Refusal('stopping');
    const given = new AbortController();
    const late = this.clock.wait(LONGEST_ANSWER_MS, given.signal).then(() => undefined);
    const condition = await Promise.race([this.#lookedLately(), late]);
    given.abort();
    if (condition?.ready !== true) throw new Refusal('not_ready');
    const { paused, draining } = condition;
    if (draining) throw new Refusal('draining');
    const degraded = degradationsOf(condition);
    return { ok: true, status: 'ready', paused, ...(degraded.length > 0 && { degraded }) };
  }

  #lookedLately(): Promise<Condition> {
    const now = this.clock.now();
    if (this.#cached === undefined || Math.abs(now - this.#cached.at) >= CACHED_MS) {
      this.#cached = { at: now, condition: this.condition.look() };
    }
    return this.#cached.condition;
  }
}
