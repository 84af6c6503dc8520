import { Controller, Get, Inject } from '@nestjs/common';
import { Clock, Operations, Upkeep } from '../hooks/index.ts';
import { OPS_OPTIONS } from './ops-options.ts';
import type { OpsOptions } from './ops-options.ts';
import { OpsRefusal } from './refusal.ts';

/** Asking costs the ledger a commit: whoever asks more often is told what was found out last. */
const KNOWN_FOR_MS = 1_000;

/** A ledger that does not answer within this time is not healthy. */
const PATIENCE_MS = 2_000;

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
  #known: { readonly at: number; readonly paused: Promise<boolean | undefined> } | undefined;

  constructor(
    private readonly upkeep: Upkeep,
    private readonly operations: Operations,
    private readonly clock: Clock,
    @Inject(OPS_OPTIONS) private readonly options: OpsOptions,
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
   * @throws OpsRefusal 503
   */
  @Get('ready')
  async ready(): Promise<Readiness> {
    const given = new AbortController();
    const late = this.clock.wait(PATIENCE_MS, given.signal).then(() => undefined);
    const paused = await Promise.race([this.#lately(), late]);
    given.abort();
    if (paused === undefined) throw new OpsRefusal('not_ready');
    const degraded = this.#degraded();
    return { ok: true, status: 'ready', paused, ...(degraded.length > 0 && { degraded }) };
  }

  /** Names and states only: nobody showed a token. */
  #degraded(): Degradation[] {
    const mail = this.options.mail?.();
    return mail?.isDegraded === true ? [{ part: 'mail', state: mail.state }] : [];
  }

  #lately(): Promise<boolean | undefined> {
    const now = this.clock.now();
    if (this.#known === undefined || Math.abs(now - this.#known.at) >= KNOWN_FOR_MS) {
      this.#known = { at: now, paused: this.#isPaused() };
    }
    return this.#known.paused;
  }

  async #isPaused(): Promise<boolean | undefined> {
    try {
      await this.upkeep.health();
      return await this.operations.isPaused();
    } catch {
      return undefined;
    }
  }
}
