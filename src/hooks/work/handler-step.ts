// docs/design/handlers.md
import { Injectable, Logger } from '@nestjs/common';
import { oneLine, shorten } from '../../platform/shorten.ts';
import { Clock, HANDLER, HandlerDoor, handlerPlace } from '../ports/index.ts';
import type {
  AttemptNote,
  Change,
  DeliveryStatus,
  HandlerLease,
  Lease,
  StepOutcome,
} from '../ports/index.ts';
import type { RestingBackend } from './backend-health.ts';
import { ChannelDelivery } from './channel-delivery.ts';
import { Notices } from './notice.ts';
import { DELIVERY_RETRY, nextAttempt, refusalAfterCrashes } from './retry.ts';
import type { Step, StepResult } from './step.ts';

const CUT_OFF = 'the service stopped while the handler was at work; it is asked again';
/** Longest reason that a record keeps, in characters; the rest is counted. */
const MAX_REASON = 1000;
/** Most handlers at work, of all hooks together; claims already under way may add as many. */
const MAX_HANDLERS = 32;
/** How long this process leaves events without a handler alone; another process may have the handler. */
const LOOK_AGAIN_MS = 3_600_000;

export function isHandled(lease: Lease): lease is HandlerLease {
  return lease.kind === 'delivery' && lease.job.channel === HANDLER;
}

/** Hands an event to the host's code; its result is committed with the end of the step. Retried like a delivery. */
@Injectable()
export class HandlerStep implements Step<HandlerLease> {
  readonly #logger = new Logger('Hooks');
  readonly #missing = new Map<string, RestingBackend>();
  #underWay = 0;

  constructor(
    private readonly handlers: HandlerDoor,
    private readonly channels: ChannelDelivery,
    private readonly notices: Notices,
    private readonly clock: Clock,
  ) {}

  /** Hooks without their handler, listed like unavailable backends: `handler:orders`. */
  get missing(): readonly RestingBackend[] {
    return [...this.#missing.values()];
  }

  /** Places that this process does not claim from, each until a time in epoch milliseconds. */
  get resting(): Readonly<Record<string, number>> {
    const gone = this.missing.map(({ backend, until }) => [backend, until ?? 0] as const);
    const until = this.clock.now() + LOOK_AGAIN_MS;
    // The end of one has claims look again.
    const all = this.#underWay < MAX_HANDLERS ? [] : this.handlers.hooks;
    return Object.fromEntries([
      ...gone,
      ...all.map((hook) => [handlerPlace(hook), until] as const),
    ]);
  }

  /** How many handlers are at work, which take no place of a delivery. */
  get underWay(): number {
    return this.#underWay;
  }

  async perform(lease: HandlerLease, stop: AbortSignal): Promise<StepResult> {
    this.#underWay += 1;
    try {
      return await this.#perform(lease, stop);
    } finally {
      this.#underWay -= 1;
    }
  }

  async #perform(lease: HandlerLease, stop: AbortSignal): Promise<StepResult> {
    const refusal = refusalAfterCrashes(lease);
    if (refusal !== null) return this.giveUp(lease, refusal);
    try {
      const handled = await this.handlers.call(lease.job, lease.attempt, stop);
      const { outcome, reason = '', changes = [] } = handled;
      if (outcome === 'refused') return this.giveUp(lease, reason);
      if (outcome === 'missing') return this.#miss(lease);
      const ended = this.#update(lease, 'delivered', reason || undefined, outcome);
      return { outcome: { type: 'done' }, changes: [ended, ...changes] };
    } catch (error) {
      if (stop.aborted) return this.#interrupted(lease);
      return this.#failed(lease, error);
    }
  }

  giveUp(lease: HandlerLease, reason: string): StepResult {
    const { to, hook, eventId } = lease.job;
    const line = `event of ${hook}: ${to} could not handle it`;
    const changes = [
      this.#update(lease, 'failed', reason, 'dead'),
      ...this.notices.report(line, eventId),
    ];
    return { outcome: { type: 'dead' }, changes, reason: line };
  }

  #interrupted(lease: HandlerLease): StepResult {
    const outcome = { type: 'retry', at: this.clock.now(), interrupted: true } as const;
    return { outcome, changes: [this.#update(lease, 'interrupted', CUT_OFF)] };
  }

  #failed(lease: HandlerLease, error: unknown): StepResult {
    const { reason, kind } = wordsOf(error);
    const policy = { ...DELIVERY_RETRY, maxAgeMs: this.channels.retryMs };
    const outcome: StepOutcome = nextAttempt(policy, lease, this.clock.now());
    if (outcome.type !== 'retry') return this.giveUp(lease, reason);
    return {
      outcome,
      changes: [this.#update(lease, 'retry', reason, undefined, outcome.at)],
      reason: `${lease.job.to} threw (${kind})`,
    };
  }

  /** Once the attempt has a reason, so has the record, for as long as nothing better is known. */
  #update(
    { job, attempt }: HandlerLease,
    outcome: AttemptNote['outcome'],
    words: string | undefined,
    status?: DeliveryStatus,
    nextAt?: number,
  ): Change {
    const reason = words && shorten(words, MAX_REASON);
    const note = { at: this.clock.now(), attempt, outcome, error: reason, nextAt };
    const error = status === 'delivered' ? null : reason;
    return { type: 'delivery-update', id: job.deliveryId, status, error, attempt: note };
  }

  #miss({ job: { hook, to } }: HandlerLease): StepResult {
    const backend = handlerPlace(hook);
    const known = this.#missing.get(backend);
    const now = this.clock.now();
    const reason = `no provider has @OnHook('${hook}') any more (it was ${to}); its events wait for one`;
    const { since } = known ?? { since: now };
    this.#missing.set(backend, { backend, since, until: now + LOOK_AGAIN_MS, reason });
    if (known === undefined) this.#logger.warn(`${reason}: provide it again, or erase them`);
    return { outcome: { type: 'release' }, changes: [] };
  }
}

/** For the story, and `kind` for the log. What was thrown may be anything, also what throws when it is read. */
function wordsOf(thrown: unknown): { readonly reason: string; readonly kind: string } {
  try {
    if (!(thrown instanceof Error)) return { reason: String(thrown), kind: typeof thrown };
    const { name, message } = thrown;
    return { reason: `${name}: ${message}`, kind: oneLine(name, 100) };
  } catch {
    return { reason: 'what it threw cannot be read', kind: typeof thrown };
  }
}
