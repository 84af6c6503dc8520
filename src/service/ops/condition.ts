import { Inject, Injectable } from '@nestjs/common';
import { Clock, ExternalServices, LedgerAdmin, Maintenance, Refusals } from '../../hooks/index.ts';
import type { LostRequests, RestingBackend, StoreState } from '../../hooks/index.ts';
import { lostLately } from './controllers/refusals.controller.ts';
import { OPS_OPTIONS } from './ops-options.ts';
import type { Degradation } from './degradation.ts';
import type { MailStatus, OpsModuleOptions } from './ops-options.ts';

export interface Condition {
  /** Events can be stored. */
  readonly ready: boolean;
  /** An operator paused intake and work; false where the ledger cannot be asked. */
  readonly paused: boolean;
  /** Null: the ledger cannot tell. */
  readonly store: StoreState | null;
  /** What verified senders lost in the last hour; null: the ledger cannot be asked. */
  readonly lost: readonly LostRequests[] | null;
  /** Null: no mailbox is configured. */
  readonly mail: MailStatus | null;
  /** What runs wait for, the longest first. */
  readonly backends: readonly AwayBackend[];
}

export interface AwayBackend extends RestingBackend {
  readonly behind: number;
  /** It may be over in a moment. */
  readonly isNew: boolean;
}

/** So long it is. */
const MOMENT_MS = 60_000;

/** Finds out how the service is doing. It answers while the ledger does not: that is when somebody looks. */
@Injectable()
export class ServiceCondition {
  constructor(
    private readonly maintenance: Maintenance,
    private readonly admin: LedgerAdmin,
    private readonly refusals: Refusals,
    private readonly services: ExternalServices,
    private readonly clock: Clock,
    @Inject(OPS_OPTIONS) private readonly options: Pick<OpsModuleOptions, 'mail'>,
  ) {}

  /** Costs the ledger a commit. Never rejects. */
  async look(): Promise<Condition> {
    const [ready, paused, store, lost, backends] = await Promise.all([
      this.maintenance.health().then(
        () => true,
        () => false,
      ),
      this.admin.isPaused().catch(() => false),
      this.maintenance.state().catch(() => null),
      lostLately(this.refusals, this.clock).catch(() => null),
      this.#away(),
    ]);
    const mail = this.options.mail?.() ?? null;
    return { ready, paused, store, lost, mail, backends };
  }

  async #away(): Promise<AwayBackend[]> {
    const backends = this.services.backends();
    if (backends.length === 0) return [];
    const now = this.clock.now();
    const behind = await this.services.behind();
    return backends.map((rest) => ({
      ...rest,
      behind: behind.get(rest.backend) ?? 0,
      isNew: now - rest.since < MOMENT_MS,
    }));
  }
}

/** What does not work of a service that is ready: for whoever has no token, so neither which model nor since when. */
export function degradationsOf({ store, lost, mail, backends }: Condition): Degradation[] {
  const isDamaged = store !== null && store.damage !== null;
  const isLosing = lost !== null && lost.length > 0;
  const isAway = backends.some(({ isNew }) => !isNew);
  return [
    ...(mail?.isDegraded === true ? [{ part: 'mail' as const, state: mail.state }] : []),
    ...(isDamaged ? [{ part: 'ledger' as const, state: 'damaged' }] : []),
    ...(isLosing ? [{ part: 'hooks' as const, state: 'losing requests' }] : []),
    ...(isAway ? [{ part: 'agents' as const, state: 'unavailable' }] : []),
  ];
}
