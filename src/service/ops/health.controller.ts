import { Controller, Get, Inject } from '@nestjs/common';
import { Clock, LedgerAdmin, Maintenance } from '../../hooks/index.ts';
import { OPS_OPTIONS } from './ops-options.ts';
import type { OpsModuleOptions } from './ops-options.ts';
import { Refusal } from '../refusals.ts';

/** Asking costs the ledger a commit: more often than this, the last answer is given again. */
const CACHED_MS = 1_000;

/** A ledger that does not answer within this time is not healthy. */
const LONGEST_ANSWER_MS = 2_000;

/** A part of the service that does not work while the rest does. */
interface Degradation {
  readonly part: 'mail';
  readonly state: string;
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
export class HealthController {
  #cached: { readonly at: number; readonly paused: Promise<boolean | undefined> } | undefined;

  constructor(
    private readonly maintenance: Maintenance,
    private readonly admin: LedgerAdmin,
    private readonly clock: Clock,
    @Inject(OPS_OPTIONS) private readonly options: OpsModuleOptions,
  ) {}

  /** The process answers. */
  @Get('live')
  live(): { ok: true; status: 'live' } {
    return { ok: true, status: 'live' };
  }

  /**
   * Events can be stored. A paused service is ready: its own 503 tells senders to come back, and taking it out of
   * rotation would only hide that sentence. So is one whose mailbox cannot be read: it takes requests as ever, and
   * `degraded` says what does not work.
   * @throws Refusal 503
   */
  @Get('ready')
  async ready(): Promise<Readiness> {
    const given = new AbortController();
    const late = this.clock.wait(LONGEST_ANSWER_MS, given.signal).then(() => undefined);
    const paused = await Promise.race([this.#isPausedLately(), late]);
    given.abort();
    if (paused === undefined) throw new Refusal('not_ready');
    const degraded = this.#degraded();
    return { ok: true, status: 'ready', paused, ...(degraded.length > 0 && { degraded }) };
  }

  /** Names and states only: no token was needed. */
  #degraded(): Degradation[] {
    const mail = this.options.mail?.();
    return mail?.isDegraded === true ? [{ part: 'mail', state: mail.state }] : [];
  }

  #isPausedLately(): Promise<boolean | undefined> {
    const now = this.clock.now();
    if (this.#cached === undefined || Math.abs(now - this.#cached.at) >= CACHED_MS) {
      this.#cached = { at: now, paused: this.#isPaused() };
    }
    return this.#cached.paused;
  }

  async #isPaused(): Promise<boolean | undefined> {
    try {
      await this.maintenance.health();
      return await this.admin.isPaused();
    } catch {
      return undefined;
    }
  }
}
