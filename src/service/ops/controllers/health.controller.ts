import { Controller, Get } from '@nestjs/common';
import type { OnModuleDestroy } from '@nestjs/common';
import { Refusal } from '../../refusals.ts';
import { degradationsOf } from '../condition.ts';
import type { Degradation } from '../degradation.ts';
import { ReadinessCheck } from '../readiness-check.ts';

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

  constructor(private readonly check: ReadinessCheck) {}

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
   * stops is not ready from the first moment, though it goes on accepting.
   * @throws Refusal 503
   */
  @Get('ready')
  async ready(): Promise<Readiness> {
    if (this.#isStopping) throw new Refusal('stopping');
    const condition = await this.check.look();
    if (condition === null) throw new Refusal('not_ready');
    const degraded = degradationsOf(condition);
    return {
      ok: true,
      status: 'ready',
      paused: condition.paused,
      ...(degraded.length > 0 && { degraded }),
    };
  }
}
