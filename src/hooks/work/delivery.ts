// docs/design/channels.md
import { Injectable } from '@nestjs/common';
import { Clock, DeliveryError, isDirect, mainSession } from '../ports/index.ts';
import type {
  AttemptNote,
  Change,
  ChannelBinding,
  DeliveryJob,
  DeliveryLease,
  StepOutcome,
  WorkPart,
} from '../ports/index.ts';
import { ChannelHealth } from './channel-health.ts';
import { ChannelDelivery } from './channel-delivery.ts';
import { messagesOf } from './links.ts';
import { Notices } from './notice.ts';
import { Questions } from './questions.ts';
import { QuietHours } from './quiet-hours.ts';
import { DELIVERY_RETRY, nextAttempt, refusalAfterCrashes } from './retry.ts';
import type { Step, StepResult } from './step.ts';
import { askHeartbeat, postSummary, summaryLine } from './summary.ts';

const LOST_ANSWER = 'the service ended while the message was being sent; it may have arrived';

/** How long it is of interest that an event was heard; answers wait behind it. */
const ACKNOWLEDGE_MS = 60_000;

const NOTHING_LEFT: StepResult = { outcome: { type: 'done' }, changes: [] };

interface Address {
  readonly binding: ChannelBinding;
  readonly to: string;
  readonly replaces?: string | undefined;
}

/**
 * Sends one part of a message per lease; the cut is durable before the first is sent. The effects of the end, in order:
 * delivery ended -> route remembered, or what waited posted to the main session -> heartbeat requested.
 */
@Injectable()
export class DeliveryStep implements Step<DeliveryLease> {
  constructor(
    private readonly channels: ChannelDelivery,
    private readonly health: ChannelHealth,
    private readonly notices: Notices,
    private readonly questions: Questions,
    private readonly quiet: QuietHours,
    private readonly clock: Clock,
  ) {}

  /** The channels that rest, by the first word of their keys, and until when: what was not begun waits in the ledger. */
  get resting(): Readonly<Record<string, number>> {
    return this.health.resting;
  }

  async perform(given: DeliveryLease, stop: AbortSignal): Promise<StepResult> {
    if (given.job.note?.says !== undefined) return NOTHING_LEFT;
    const refusal = refusalAfterCrashes(given);
    if (refusal !== null) return this.giveUp(given, refusal, 'unknown');
    if (given.job.acknowledges === true) return this.#acknowledge(given, stop);
    const ready = await this.questions.ready(given.job);
    if (ready === null) return NOTHING_LEFT;
    const { job, replaces } = ready;
    const lease = { ...given, job };
    const binding = this.channels.binding(job.channel);
    try {
      const address = addressFor(job, binding);
      if (job.settles !== undefined && address.binding.provider.buttons == null)
        return NOTHING_LEFT;
      const texts = lease.part === undefined ? textsFor(job, address.binding) : [];
      const isUncut = texts.length > 1 && job.settles === undefined;
      // Before the cut nothing was sent; after it, what a process that died had sent cannot be known.
      if (!isUncut && lease.crashes > 0 && stopsWhenUnknown(binding, replaces)) {
        return this.giveUp(lease, LOST_ANSWER, 'unknown');
      }
      const held = lease.part === undefined ? this.quiet.before(job, address.binding) : null;
      if (held !== null) return held;
      if (isUncut) return cut(job, texts);
      const pausedUntil = this.health.pausedUntil(job.channel);
      if (pausedUntil !== null) return postponed(pausedUntil);
      const part = lease.part ?? { text: texts[0] ?? '', place: 1, count: 1 };
      return await this.#send(lease, { ...address, replaces }, part, stop);
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      return this.#failed(lease, binding, error, replaces);
    }
  }

  /** What would be sent, and to whom or why not; nothing is. */
  preview(job: DeliveryJob): { messages: readonly string[]; delivery: string } {
    try {
      const { binding, to } = addressFor(job, this.channels.binding(job.channel));
      const messages = textsFor(job, binding);
      const expected = binding.provider.expectedInsteadOf(to);
      const unfit = expected === null ? '' : `, which is no recipient there; expected ${expected}`;
      return { messages, delivery: `${job.channel}, recipient ${to}${unfit}` };
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      return { messages: [], delivery: `dead: ${error.message}` };
    }
  }

  /** No further attempt. `unknown`: it may have arrived. The main session is shown why. */
  giveUp(lease: DeliveryLease, error: string, status: 'dead' | 'unknown' = 'dead'): StepResult {
    const { job } = lease;
    if (job.acknowledges === true) return NOTHING_LEFT;
    const at = this.clock.now();
    const attempt = attemptNote(lease, at, status === 'dead' ? 'failed' : 'unknown', error);
    // A notice that could not be sent must not cause another one.
    const reason = badEndLine(job, status);
    if (job.isNotice === true) return { outcome: { type: 'dead' }, reason, changes: [] };
    return {
      outcome: { type: 'dead' },
      reason,
      changes: [
        { type: 'delivery-update', id: job.deliveryId, status, error, attempt },
        ...this.notices.report(reason, job.eventId),
        ...(isDirect(job) ? [] : postSummaries(job, error, at)),
        ...askHeartbeat(job, at),
      ],
    };
  }

  /** Has it shown that an event was heard. Nobody learns where that could not be. */
  async #acknowledge(lease: DeliveryLease, stop: AbortSignal): Promise<StepResult> {
    const { channel, to, deliveryId: idempotencyKey } = lease.job;
    const provider = this.channels.get(channel);
    const now = this.clock.now();
    if (provider === null || to === null || now - lease.since > ACKNOWLEDGE_MS) return NOTHING_LEFT;
    const pausedUntil = stop.aborted ? now : this.health.pausedUntil(channel);
    if (pausedUntil !== null) return postponed(pausedUntil);
    try {
      await this.channels.acknowledge(provider, { to, idempotencyKey }, stop);
    } catch (error) {
      if (stop.aborted) return postponed(this.clock.now());
      if (!(error instanceof DeliveryError)) throw error;
      this.health.failed(channel, error);
      const policy = { ...DELIVERY_RETRY, maxAgeMs: ACKNOWLEDGE_MS };
      const again = nextAttempt(policy, lease, this.clock.now(), error.retryAfterMs);
      const isOver = error.kind === 'permanent' || error.kind === 'auth' || again.type === 'dead';
      if (!isOver) return { outcome: again, changes: [], reason: `${channel} (${error.kind})` };
    }
    return NOTHING_LEFT;
  }

  async #send(
    lease: DeliveryLease,
    { binding, to, replaces }: Address,
    { text, place, count }: WorkPart,
    stop: AbortSignal,
  ): Promise<StepResult> {
    const { deliveryId: id, channel, asks, round } = lease.job;
    if (stop.aborted) return postponed(this.clock.now());
    const idempotencyKey = count === 1 ? id : `${id}:${place}`;
    try {
      // Buttons only below all of it.
      const code = count === 1 ? asks?.code : undefined;
      const outgoing = { to, text, idempotencyKey, round, code, replaces };
      const { messageId, detour } = await this.channels.send(binding.provider, outgoing, stop);
      this.health.succeeded(channel);
      const known = place === 1 ? messageId : undefined;
      const sent = { messageId: known, detour };
      const address = { binding, to };
      return place < count ? partSent(lease, known) : this.#taken(lease, address, sent);
    } catch (error) {
      if (stop.aborted) return this.#interrupted(lease, binding, replaces);
      if (!(error instanceof DeliveryError)) throw error;
      // It was deleted, is too old or may not be changed: it says enough as it is.
      if (replaces !== undefined && error.kind === 'permanent')
        return this.#taken(lease, { binding, to }, { messageId: replaces });
      this.health.failed(channel, error);
      throw error;
    }
  }

  #taken(
    lease: DeliveryLease,
    { binding, to }: Address,
    { messageId, detour }: { messageId?: string; detour?: string },
  ): StepResult {
    const { job } = lease;
    const status = binding.provider.onlyAccepts ? 'accepted' : 'delivered';
    const at = this.clock.now();
    const attempt = attemptNote(lease, at, status, detour);
    const { deliveryId: id, channel } = job;
    const session = mainSession(job.agentId);
    return {
      outcome: { type: 'done' },
      changes: [
        { type: 'delivery-update', id, status, error: null, attempt, messageId },
        ...(job.becomesLastRoute ? [{ type: 'route', session, channel, to, at } as const] : []),
        ...askHeartbeat(job, at),
        ...(job.asks !== undefined && messageId !== undefined
          ? [{ type: 'asked', id: job.asks.wait, messageId } as const]
          : []),
      ],
    };
  }

  /** Whether the platform took it cannot be known; the delivery's record says that the attempt was cut off. */
  #interrupted(
    lease: DeliveryLease,
    binding: ChannelBinding,
    replaces: string | undefined,
  ): StepResult {
    if (stopsWhenUnknown(binding, replaces)) return this.giveUp(lease, LOST_ANSWER, 'unknown');
    const at = this.clock.now();
    const { outcome } = postponed(at);
    const attempt = attemptNote(lease, at, 'unknown', LOST_ANSWER);
    const id = lease.job.deliveryId;
    return { outcome, changes: [{ type: 'delivery-update', id, attempt }] };
  }

  #failed(
    lease: DeliveryLease,
    binding: ChannelBinding | null,
    { kind, message, retryAfterMs }: DeliveryError,
    replaces: string | undefined,
  ): StepResult {
    if (kind === 'permanent' || kind === 'auth') return this.giveUp(lease, message);
    const isUnknown = kind === 'unknown';
    if (isUnknown && stopsWhenUnknown(binding, replaces))
      return this.giveUp(lease, message, 'unknown');
    const policy = { ...DELIVERY_RETRY, maxAgeMs: this.channels.retryMs };
    const at = this.clock.now();
    const outcome = nextAttempt(policy, lease, at, retryAfterMs);
    if (outcome.type !== 'retry')
      return this.giveUp(lease, message, isUnknown ? 'unknown' : 'dead');
    const note = attemptNote(lease, at, isUnknown ? 'unknown' : 'retry', message);
    const attempt = { ...note, nextAt: outcome.at };
    const id = lease.job.deliveryId;
    return {
      outcome,
      changes: [{ type: 'delivery-update', id, error: message, attempt }],
      reason: `${lease.job.channel} (${kind})`,
    };
  }
}

/** For the notice: the words of a reply, a recipient or a sender are in none of them. */
function badEndLine(job: DeliveryJob, status: 'dead' | 'unknown'): string {
  const { channel, eventId, trust } = job;
  const whose = eventId === null ? 'a heartbeat' : (trust.mapping ?? 'a run');
  const what = `${isDirect(job) ? 'message' : 'reply'} of ${whose}`;
  const end = status === 'dead' ? 'could not be delivered' : 'may not have arrived';
  return `${what}: ${end} to ${channel}`;
}

/** @throws DeliveryError when there is no provider or no recipient. */
function addressFor(job: DeliveryJob, binding: ChannelBinding | null): Address {
  const { channel } = job;
  if (binding === null) {
    const reason = `${channel} has no provider; configure channels.${channel}`;
    throw new DeliveryError(reason, 'permanent');
  }
  const to = job.to ?? binding.to;
  if (to === undefined) {
    const reason = `no recipient; name "to", or set channels.${channel}.to`;
    throw new DeliveryError(reason, 'permanent');
  }
  return { binding, to };
}

/** A text per message. @throws DeliveryError when there is none */
function textsFor(job: DeliveryJob, { provider }: ChannelBinding): readonly string[] {
  const texts = messagesOf(provider, job);
  if (texts.length === 0) throw new DeliveryError('there is no text to send', 'permanent');
  return texts;
}

/**
 * Whether a message that may have arrived is not sent again: never on platforms that know it when they see it twice, and
 * never where it takes the place of another one, which it can do twice.
 */
function stopsWhenUnknown(binding: ChannelBinding | null, replaces: string | undefined): boolean {
  if (binding === null || binding.provider.knowsKeys || replaces !== undefined) return false;
  return binding.onUnknown === 'stop';
}

/** Nothing was tried, so the delivery's record says nothing of it. */
function postponed(at: number): { outcome: StepOutcome; changes: [] } {
  return { outcome: { type: 'retry', at, interrupted: true }, changes: [] };
}

/** Nothing is sent yet: the parts are durable before the first one is, and stay as they were cut. */
function cut(job: DeliveryJob, parts: readonly string[]): StepResult {
  return { outcome: { type: 'cut', job: { ...job, text: '' }, parts }, changes: [] };
}

function partSent({ job, part }: DeliveryLease, messageId?: string): StepResult {
  const first: Change = { type: 'delivery-update', id: job.deliveryId, messageId };
  return { outcome: { type: 'continue' }, changes: part?.place === 1 ? [first] : [] };
}

function postSummaries(job: DeliveryJob, reason: string, at: number): readonly Change[] {
  const { name, eventId, runId, summaryIfUndelivered: summary } = job;
  const { agentId, wakeMode, trust } = job;
  const source = { agentId, wakeMode, trust, hook: name, eventId: eventId ?? undefined };
  const why = postSummary(source, summaryLine(name, 'delivery', reason), at);
  if (summary === undefined || runId === null) return [why];
  const waited = postSummary({ ...source, deliveryId: job.deliveryId }, summary, at);
  return [{ type: 'run-update', id: runId, summary }, waited, why];
}

function attemptNote(
  { attempt }: DeliveryLease,
  at: number,
  outcome: AttemptNote['outcome'],
  error?: string,
): AttemptNote {
  return { at, attempt, outcome, error };
}
