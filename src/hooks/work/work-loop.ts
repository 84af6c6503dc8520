// docs/design/work.md
import { Injectable, Logger } from '@nestjs/common';
import { describeError } from '../../platform/errors.ts';
import { OVER } from '../../platform/time.ts';
import { HooksSettings } from '../options/index.ts';
import {
  Clock,
  LEASE_MS,
  LedgerUnavailable,
  RequestObserver,
  RunEnds,
  WorkLedger,
} from '../ports/index.ts';
import type { Change, ClaimLimits, Lane, Lease, StepOutcome } from '../ports/index.ts';
import { BackendHealth } from './backend-health.ts';
import { Backends } from './backends.ts';
import { DeliveryStep } from './delivery.ts';
import { HandlerStep, isHandled } from './handler-step.ts';
import { HeartbeatStep } from './heartbeat.ts';
import { HeldLease } from './held-lease.ts';
import { Notices } from './notice.ts';
import { endsOf } from './observed-ends.ts';
import { BROKEN_RETRY, nextAttempt } from './retry.ts';
import { RunStep } from './run.ts';
import { TapStep } from './tap-step.ts';
import { Unrepeatable } from './step.ts';
import type { StepResult } from './step.ts';
import { tracedStep } from './traced-step.ts';

/*
 * How accepted work happens. This room has one loop, six kinds of steps, and what the steps share:
 *
 *   WorkLedger.claim -> Lease -> Run-, Heartbeat-, Delivery-, Handler-, TapStep or Notices -> StepResult -> WorkLedger.commit
 *
 * A step reads and asks the world outside, but writes nothing: the loop writes what becomes of its work and its changes
 * in one commit, so that an effect is there once or not at all. TapStep alone decides in the ledger itself: it tells a
 * platform that a tap was heard, and that has to be durable before.
 *
 * Failures are kept apart: an agent or a platform fails (its step retries with backoff, retry.ts), a step breaks (the
 * loop retries it, then gives it up), the ledger cannot write (the loop waits for it), a lease is lost (the result is
 * dropped; another attempt has begun), the service stops or dies (the next start begins again what may be repeated).
 */

/** Beside `maxConcurrent`: runs that hang do not keep anybody's wake from being heard. */
const HEARTBEAT_PLACES = 1;
/** Deliveries wait for platforms, not for us. */
const MAX_DELIVERIES = 32;
/** Of one channel: a platform that does not answer holds no more places than these. */
const MAX_PER_CHANNEL = MAX_DELIVERIES / 4;
/** The error that is recorded when a step breaks again and again. */
const BROKEN = 'the service broke; its log says where';
const PAUSE_AFTER_FAILURE_MS = 1000;

@Injectable()
export class WorkLoop {
  readonly #logger = new Logger(WorkLoop.name);
  readonly #claiming = new AbortController();
  readonly #claims = new Map<Lane, AbortController>();
  readonly #performing = new AbortController();
  readonly #underWay = new Set<Promise<unknown>>();
  #lanes: Promise<unknown> = Promise.resolve();
  #runPlaces: () => ClaimLimits['perHook'] = () => undefined;

  constructor(
    private readonly run: RunStep,
    private readonly heartbeat: HeartbeatStep,
    private readonly delivery: DeliveryStep,
    private readonly handler: HandlerStep,
    private readonly notices: Notices,
    private readonly taps: TapStep,
    private readonly backends: Backends,
    private readonly health: BackendHealth,
    private readonly ledger: WorkLedger,
    private readonly settings: HooksSettings,
    private readonly ends: RunEnds,
    private readonly observer: RequestObserver,
    private readonly clock: Clock,
  ) {}

  /** @param runPlaces how many runs may go on side by side of each hook that is limited, at this moment. */
  start(runPlaces: () => ClaimLimits['perHook']): void {
    this.#runPlaces = runPlaces;
    this.backends.compare();
    // Claims are made anew: there may be more places now.
    this.health.onForgotten = () => this.#endClaims();
    this.settings.onReplaced(() => {
      this.health.forget(this.backends.compare());
      this.#reconsider();
    });
    this.#reconsider();
    this.#lanes = Promise.all([
      this.#serve('turn', () => this.#maxRuns + HEARTBEAT_PLACES),
      this.#serve('delivery', () => MAX_DELIVERIES + this.handler.underWay),
    ]);
  }

  /** Claims nothing more, gives what is under way `graceMs` to end, then interrupts it: it is begun again at the next start. */
  async stop(graceMs: number): Promise<void> {
    this.#claiming.abort();
    this.#endClaims();
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
   * claims others: a claim that waits, because runs had no place left, is made anew. Ends that cannot be written hold the
   * lane up once there are as many of them as steps may run.
   */
  async #serve(lane: Lane, limit: () => number): Promise<void> {
    const steps = new Set<Promise<unknown>>();
    const work = new Set<Promise<unknown>>();
    const performed = new Map<string, HeldLease>();
    while (!this.#claiming.signal.aborted) {
      const max = limit();
      if (steps.size >= max || work.size >= 2 * max) {
        await Promise.race(steps.size >= max ? steps : work);
        continue;
      }
      for (const lease of await this.#claim(lane, max - steps.size)) {
        const held = new HeldLease(lease, this.#performing.signal, this.ledger, this.clock);
        // One of a key is up: what had it here was replaced (`whenBusy`).
        performed.get(lease.key)?.lose();
        performed.set(lease.key, held);
        const begun = this.clock.elapsed();
        const step = tracedStep(lease, () => this.#step(held)).catch((error: unknown) =>
          this.#broken(lease, error),
        );
        const written = this.#finish(held, step, begun);
        for (const underWay of [work, this.#underWay]) keep(written, underWay);
        keep(step, steps);
        void step.then(() => {
          if (performed.get(lease.key) === held) performed.delete(lease.key);
          this.#claims.get(lane)?.abort(OVER);
        });
      }
    }
  }

  #endClaims(): void {
    for (const claim of this.#claims.values()) claim.abort(OVER);
  }

  /** What rules hold may go on by those of now. */
  #reconsider(): void {
    this.ledger.reconsider().catch((error: unknown) => {
      this.#logger.error(`what rules hold could not be looked at: ${describeError(error)}`);
    });
  }

  get #maxRuns(): number {
    return this.settings.current.agents.defaults.maxConcurrent;
  }

  async #claim(lane: Lane, max: number): Promise<readonly Lease[]> {
    const limits = () =>
      lane === 'delivery'
        ? {
            perChannel: MAX_PER_CHANNEL,
            resting: { ...this.delivery.resting, ...this.handler.resting },
          }
        : {
            maxRuns: this.#maxRuns,
            maxRunsTotal: this.settings.current.agents.defaults.maxConcurrentTotal,
            perHook: this.#runPlaces(),
            resting: this.health.resting,
          };
    const claim = new AbortController();
    this.#claims.set(lane, claim);
    try {
      return await this.ledger.claim(lane, max, claim.signal, limits);
    } catch (error) {
      this.#logger.error(`claiming work of the ${lane} lane failed: ${describeError(error)}`);
      await this.clock.wait(PAUSE_AFTER_FAILURE_MS, this.#claiming.signal);
      return [];
    }
  }

  /** Never rejects: work whose end could not be written is begun again by the next start. */
  async #finish(held: HeldLease, step: Promise<StepResult>, begun: number): Promise<void> {
    const { lease } = held;
    try {
      const { outcome, changes, reason } = await step;
      const ms = this.clock.elapsed() - begun;
      const isWritten = await this.#commit(lease, outcome, changes);
      if (isWritten) {
        this.#tellEnds(changes);
        for (const end of endsOf(lease, outcome, changes, ms)) this.observer.ended(end);
      }
      if (!isWritten) {
        this.#logger.warn(
          `the lease of ${describeLease(lease)} was lost, and its result is dropped: a newer run of its session has replaced it, or this service was suspended or could not reach the ledger for ${LEASE_MS / 1000} s, and another attempt has started`,
        );
      } else if (reason !== undefined) {
        const end = outcome.type === 'dead' ? 'failed' : 'waits';
        this.#logger.warn(`${describeLease(lease)} ${end}`, { reason, ...nextOf(outcome) });
      }
    } catch (error) {
      this.#logger.error(`${describeLease(lease)} could not be ended: ${describeError(error)}`);
    } finally {
      await held.end();
    }
  }

  #tellEnds(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.type === 'run-update' && change.finishedAt !== undefined)
        this.ends.tell(change.id);
    }
  }

  /** What was done is not done again because the disk was full for a moment: the commit is tried until we stop. */
  async #commit(lease: Lease, outcome: StepOutcome, changes: readonly Change[]): Promise<boolean> {
    for (;;) {
      try {
        return await this.ledger.commit(lease, outcome, changes);
      } catch (error) {
        if (!(error instanceof LedgerUnavailable) || this.#performing.signal.aborted) throw error;
        const reason = describeError(error);
        this.#logger.error(`${describeLease(lease)} has ended and waits for the ledger: ${reason}`);
        await this.clock.wait(PAUSE_AFTER_FAILURE_MS, this.#performing.signal);
      }
    }
  }

  /** A step that throws is our own fault: it is tried again for a while, then given up, so that its key goes on. */
  #broken(lease: Lease, error: unknown): StepResult {
    const isFinal = error instanceof Unrepeatable;
    const reason = describeError(isFinal ? error.cause : error);
    this.#logger.error(`a step of ${describeLease(lease)} broke: ${reason}`);
    const outcome = nextAttempt(BROKEN_RETRY, lease, this.clock.now());
    if (isFinal || outcome.type === 'dead') return this.#giveUp(lease);
    return { outcome, changes: this.#noteBroken(lease) };
  }

  /** The agent, or the recipient, may have been asked before it broke: whoever reads the story learns why twice. */
  #noteBroken({ kind, ref, attempt }: Lease): Change[] {
    if (ref === null) return [];
    const note = { at: this.clock.now(), attempt, outcome: 'retry', error: BROKEN } as const;
    if (kind === 'run') return [{ type: 'run-update', id: ref, note }];
    return kind === 'delivery' ? [{ type: 'delivery-update', id: ref, attempt: note }] : [];
  }

  #giveUp(lease: Lease): StepResult {
    switch (lease.kind) {
      case 'run':
        return this.run.giveUp(lease, BROKEN);
      case 'heartbeat':
        return this.heartbeat.giveUp(lease);
      case 'delivery':
        return isHandled(lease)
          ? this.handler.giveUp(lease, BROKEN)
          : this.delivery.giveUp(lease, BROKEN);
      case 'notice':
        return this.notices.giveUp();
    }
  }

  #step({ lease, stop }: HeldLease): Promise<StepResult> {
    switch (lease.kind) {
      case 'run':
        return this.run.perform(lease, stop);
      case 'heartbeat':
        return this.heartbeat.perform(lease, stop);
      case 'delivery':
        return isHandled(lease)
          ? this.handler.perform(lease, stop)
          : this.delivery.perform(lease, stop);
      case 'notice':
        if (lease.job.taps === undefined) return this.notices.perform();
        return this.taps.perform(lease, AbortSignal.any([stop, this.#claiming.signal]));
    }
  }
}

function keep(promise: Promise<unknown>, among: Set<Promise<unknown>>): void {
  const ended: Promise<unknown> = Promise.allSettled([promise]).then(() => among.delete(ended));
  among.add(ended);
}

function nextOf(outcome: StepOutcome): { next?: string } {
  return outcome.type === 'retry' ? { next: new Date(outcome.at).toISOString() } : {};
}

/** For the log: `run 0199… of event 0199…`. */
function describeLease({ kind, ref, workId, eventId }: Lease): string {
  const work = `${kind} ${ref ?? workId}`;
  return eventId === null ? work : `${work} of event ${eventId}`;
}
