import { Injectable } from '@nestjs/common';
import { Clock, ExternalServices, LedgerAdmin, Maintenance, Refusals } from '../../hooks/index.ts';
import { ServiceCondition, degradationsOf } from './condition.ts';
import type { Condition } from './condition.ts';
import type { Degradation } from './degradation.ts';
import { ReadinessCheck } from './readiness-check.ts';

/** What the health of an ingress is told with, besides its status. */
export interface HooksHealth {
  /** `down`: events cannot be stored. */
  readonly status: 'up' | 'down';
  /** An operator paused intake and work. Absent while it is down. */
  readonly paused?: boolean;
  /** Parts that do not work while the rest does, as `/health/ready` of the service names them. Absent: none. */
  readonly degraded?: readonly Degradation[];
}

/**
 * A health indicator of `@nestjs/terminus`: `() => hooks.isHealthy('hooks')` among the checks. Provide it in a module that
 * imports `HooksModule`. It names parts and states, and nothing that was sent.
 */
@Injectable()
export class HooksHealthIndicator {
  readonly #check: ReadinessCheck;

  constructor(
    maintenance: Maintenance,
    admin: LedgerAdmin,
    refusals: Refusals,
    services: ExternalServices,
    clock: Clock,
  ) {
    const condition = new ServiceCondition(maintenance, admin, refusals, services, clock, {});
    this.#check = new ReadinessCheck(condition, clock);
  }

  /** @param key under which it stands in the answer. Never rejects. */
  async isHealthy(key: string): Promise<Record<string, HooksHealth>> {
    return { [key]: healthOf(await this.#check.look()) };
  }
}

function healthOf(condition: Condition | null): HooksHealth {
  if (condition === null) return { status: 'down' };
  const degraded = degradationsOf(condition);
  return { status: 'up', paused: condition.paused, ...(degraded.length > 0 && { degraded }) };
}
