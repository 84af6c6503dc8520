import { Controller, Get, Inject } from '@nestjs/common';
import type { OnModuleDestroy } from '@nestjs/common';
import { Clock, LedgerAdmin, Maintenance, Refusals } from '../../hooks/index.ts';
import { OPS_OPTIONS } from './ops-options.ts';
import type { OpsModuleOptions } from './ops-options.ts';
import { Refusal } from '../refusals.ts';
import { lostLately } from './refusals.controller.ts';

/** Asking costs the ledger a commit: more often than this, the last answer is given again. */
const CACHED_MS = 1_000;

/** A ledger that does not answer within this time is not healthy. */
const LONGEST_ANSWER_MS = 2_000;

/**
 * A part of the service that does not work while the rest does; of `hooks`: senders are losing what they send; of
 * `ledger`: its file is damaged, and what is stored may be lost.
 */
interface Degradation {
  readonly part: 'mail' | 'hooks' | 'ledger';
  readonly state: string;
}

/** What the ledger says. */
interface State {
  readonly paused: boolean;
  /** Verified senders lost something in the last hour. */
  readonly isLosing: boolean;
  readonly isDamaged: boolean;
}

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
  #cached: { readonly at: number; readonly state: Promise<State | undefined> } | undefined;

  constructor(
    private readonly maintenance: Maintenance,
    private readonly admin: LedgerAdmin,
    private readonly refusals: Refusals,
    private readonly clock: Clock,
    @Inject(OPS_OPTIONS) private readonly options: OpsModuleOptions,
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
   * stops is not ready from the first moment, though it goes on accepting.
   * @throws Refusal 503
   */
  @Get('ready')
  async ready(): Promise<Readiness> {
    if (this.#isStopping) throw new Refusal('stopping');
    const given = new AbortController();
    const late = this.clock.wait(LONGEST_ANSWER_MS, given.signal).then(() => undefined);
    const state = await Promise.race([this.#stateLately(), late]);
    given.abort();
    if (state === undefined) throw new Refusal('not_ready');
    const { paused } = state;
    const degraded = this.#degraded(state);
    return { ok: true, status: 'ready', paused, ...(degraded.length > 0 && { degraded }) };
  }

  /** Names and states only: no token was needed. `GET /ops/api/refusals/lost` says what was lost. */
  #degraded({ isLosing, isDamaged }: State): Degradation[] {
    const mail = this.options.mail?.();
    return [
      ...(mail?.isDegraded === true ? [{ part: 'mail' as const, state: mail.state }] : []),
      ...(isDamaged ? [{ part: 'ledger' as const, state: 'damaged' }] : []),
      ...(isLosing ? [{ part: 'hooks' as const, state: 'losing requests' }] : []),
    ];
  }

  #stateLately(): Promise<State | undefined> {
    const now = this.clock.now();
    if (this.#cached === undefined || Math.abs(now - this.#cached.at) >= CACHED_MS) {
      this.#cached = { at: now, state: this.#state() };
    }
    return this.#cached.state;
  }

  async #state(): Promise<State | undefined> {
    try {
      await this.maintenance.health();
      const [paused, store, lost] = await Promise.all([
        this.admin.isPaused(),
        this.maintenance.state(),
        // Not to know it is no reason to take no requests.
        lostLately(this.refusals, this.clock).catch(() => []),
      ]);
      const isDamaged = store !== null && store.damage !== null;
      return { paused, isDamaged, isLosing: lost.length > 0 };
    } catch {
      return undefined;
    }
  }
}
