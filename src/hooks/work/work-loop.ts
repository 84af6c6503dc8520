import { Injectable, Logger } from '@nestjs/common';
import { HooksSettings } from '../options/index.ts';
import { Clock, LEASE_MS, LedgerUnavailable, WorkLedger } from '../ports/index.ts';
import type { Change, End, Lane, Lease } from '../ports/index.ts';
import { DeliveryStep } from './delivery-step.ts';
import { HeartbeatStep } from './heartbeat-step.ts';
import { Unrepeatable } from './interruption.ts';
import { BROKEN_RETRY, nextAttempt } from './retry-policy.ts';
import { RunStep } from './run-step.ts';
import type { StepEnd } from './step.ts';

/** Deliveries wait for platforms, not for us. */
const MAX_DELIVERIES = 32;
/** Of one channel: a platform that answers nobody holds no more places than these. */
const MAX_PER_CHANNEL = MAX_DELIVERIES / 4;
/** Told to the story when a step breaks again and again. */
const BROKEN = 'the service broke; its log says where';
/** How long a lane rests after the ledger failed. */
const PAUSE_AFTER_FAILURE_MS = 1000;

/** Makes accepted work happen: claims, performs, commits; in order per key, side by side across keys. */
@Injectable()
export class WorkLoop {
  readonly #logger = new Logger(WorkLoop.name);
  readonly #claiming = new AbortController();
  readonly #performing = new AbortController();
  readonly #underWay = new Set<Promise<unknown>>();
  #lanes: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly run: RunStep,
    private readonly heartbeat: HeartbeatStep,
    private readonly delivery: DeliveryStep,
    private readonly ledger: WorkLedger,
    private readonly settings: HooksSettings,
    private readonly clock: Clock,
  ) {}

  start(): void {
    this.#lanes = Promise.all([
      this.#serve('turn', () => this.settings.current.agents.defaults.maxConcurrent),
      this.#serve('delivery', () => MAX_DELIVERIES),
    ]);
  }

  /** Claims nothing more, gives what is under way `graceMs` to end, then interrupts it: it is begun again at the next start. */
  async stop(graceMs: number): Promise<void> {
    this.#claiming.abort();
    const ended = new AbortController();
    const all = this.#lanes
      .then(() => Promise.all(this.#underWay))
      .finally(() => {
        ended.abort();
      });
    await Promise.race([all, this.clock.wait(graceMs, ended.signal)]);
    this.#performing.abort();
    await all;
  }

  /**
   * A step makes room for the next as soon as its end is on its way to the ledger, so that one commit ends steps and
   * claims others. Ends that cannot be written hold the lane up once there are as many of them as steps may run.
   */
  async #serve(lane: Lane, limit: () => number): Promise<void> {
    const steps = new Set<Promise<unknown>>();
    const work = new Set<Promise<unknown>>();
    while (!this.#claiming.signal.aborted) {
      const max = limit();
      if (steps.size >= max || work.size >= 2 * max) {
        await Promise.race(steps.size >= max ? steps : work);
        continue;
      }
      for (const lease of await this.#claim(lane, max - steps.size)) {
        const step = this.#step(lease).catch((error: unknown) => this.#broken(lease, error));
        const written = this.#finish(lease, step);
        for (const underWay of [work, this.#underWay]) keep(written, underWay);
        keep(step, steps);
      }
    }
  }

  async #claim(lane: Lane, max: number): Promise<readonly Lease[]> {
    const ofChannels = () => ({ perChannel: MAX_PER_CHANNEL, resting: this.delivery.resting });
    const limits = lane === 'delivery' ? ofChannels : undefined;
    try {
      return await this.ledger.claim(lane, max, this.#claiming.signal, limits);
    } catch (error) {
      this.#logger.error({ lane, error: nameOf(error) }, 'claiming work failed');
      await this.clock.wait(PAUSE_AFTER_FAILURE_MS, this.#claiming.signal);
      return [];
    }
  }

  /** Never rejects: work whose end could not be written is begun again by the next start. */
  async #finish(lease: Lease, step: Promise<StepEnd>): Promise<void> {
    const ended = new AbortController();
    const renewing = this.#renew(lease, ended.signal);
    try {
      const { end, changes } = await step;
      const isWritten = await this.#commit(lease, end, changes);
      if (!isWritten) {
        this.#logger.warn({ work: lease.workId }, 'a lease was lost; its result is dropped');
      } else if (end.type === 'dead') {
        const { kind, ref, eventId: event } = lease;
        this.#logger.warn({ event, kind, ref }, 'ended badly; the story of the event says why');
      }
    } catch (error) {
      this.#logger.error({ work: lease.workId, error: nameOf(error) }, 'a step could not be ended');
    } finally {
      ended.abort();
      await renewing;
    }
  }

  /** What was done is not done again because the disk was full for a moment: the commit is tried until we stop. */
  async #commit(lease: Lease, end: End, changes: readonly Change[]): Promise<boolean> {
    for (;;) {
      try {
        return await this.ledger.commit(lease, end, changes);
      } catch (error) {
        if (!(error instanceof LedgerUnavailable) || this.#performing.signal.aborted) throw error;
        this.#logger.error({ work: lease.workId, error: nameOf(error) }, 'waiting for the ledger');
        await this.clock.wait(PAUSE_AFTER_FAILURE_MS, this.#performing.signal);
      }
    }
  }

  /** A step that throws is our own fault: it is tried again for a while, then given up, so that its key goes on. */
  #broken(lease: Lease, error: unknown): StepEnd {
    const { workId: work, kind } = lease;
    const isFinal = error instanceof Unrepeatable;
    this.#logger.error(
      { work, kind, error: nameOf(isFinal ? error.cause : error) },
      'a step broke',
    );
    const end = nextAttempt(BROKEN_RETRY, lease, this.clock.now());
    return isFinal || end.type === 'dead' ? this.#giveUp(lease) : { end, changes: [] };
  }

  #giveUp(lease: Lease): StepEnd {
    switch (lease.kind) {
      case 'run':
        return this.run.giveUp(lease, BROKEN);
      case 'heartbeat':
        return this.heartbeat.giveUp(lease);
      case 'delivery':
        return this.delivery.giveUp(lease, BROKEN);
    }
  }

  #step(lease: Lease): Promise<StepEnd> {
    const { signal } = this.#performing;
    switch (lease.kind) {
      case 'run':
        return this.run.perform(lease, signal);
      case 'heartbeat':
        return this.heartbeat.perform(lease, signal);
      case 'delivery':
        return this.delivery.perform(lease, signal);
    }
  }

  async #renew(lease: Lease, ended: AbortSignal): Promise<void> {
    while (!ended.aborted) {
      await this.clock.wait(LEASE_MS / 3, ended);
      if (ended.aborted) return;
      try {
        await this.ledger.renew(lease);
      } catch {
        // A ledger that cannot renew says so in claims and commits; the next try may still be in time.
      }
    }
  }
}

/** Among them until it has ended, well or badly. */
function keep(promise: Promise<unknown>, among: Set<Promise<unknown>>): void {
  const ended: Promise<unknown> = Promise.allSettled([promise]).then(() => among.delete(ended));
  among.add(ended);
}

function nameOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : typeof error;
}
