import { Controller, Get } from '@nestjs/common';
import { Clock, Operations, Upkeep } from '../hooks/index.ts';
import { OpsRefusal } from './refusal.ts';

/** Asking costs the ledger a commit: whoever asks more often is told what was found out last. */
const KNOWN_FOR_MS = 1_000;

/** A ledger that does not answer within this time is not healthy. */
const PATIENCE_MS = 2_000;

/** For the supervisor and the load balancer: without a token, and without anything worth hiding. */
@Controller('health')
export class HealthController {
  #known: { readonly at: number; readonly paused: Promise<boolean | undefined> } | undefined;

  constructor(
    private readonly upkeep: Upkeep,
    private readonly operations: Operations,
    private readonly clock: Clock,
  ) {}

  /** The process answers. */
  @Get('live')
  live(): { ok: true; status: 'live' } {
    return { ok: true, status: 'live' };
  }

  /**
   * Events can be stored. A paused service is ready: its own 503 tells senders to come back, and taking it out of
   * rotation would only hide that sentence.
   * @throws OpsRefusal 503
   */
  @Get('ready')
  async ready(): Promise<{ ok: true; status: 'ready'; paused: boolean }> {
    const given = new AbortController();
    const late = this.clock.wait(PATIENCE_MS, given.signal).then(() => undefined);
    const paused = await Promise.race([this.#lately(), late]);
    given.abort();
    if (paused === undefined) throw new OpsRefusal('not_ready');
    return { ok: true, status: 'ready', paused };
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
