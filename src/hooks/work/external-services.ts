import { Injectable } from '@nestjs/common';
import { newId } from '../../platform/new-id.ts';
import { lately } from '../../platform/lately.ts';
import { CHANNEL_IDS, Clock, DeliveryError, LedgerAdmin } from '../ports/index.ts';
import type { ChannelConditions, ChannelId, DeliveryFailure, WaitingWork } from '../ports/index.ts';
import { RunDelays } from '../ports/run-delays.ts';
import { BackendHealth, waitLine } from './backend-health.ts';
import type { RestingBackend } from './backend-health.ts';
import { ChannelHealth } from './channel-health.ts';
import { ChannelDelivery } from './channel-delivery.ts';
import { HandlerStep } from './handler-step.ts';

/** Counting costs a look at all that waits: more often than this, the last count is given again. */
const COUNTED_MS = 5000;

const TEST_TEXT =
  'This is a test message of your webhook gateway. If you can read it, this channel works.';

/**
 * One channel as an operator sees it. Times are ISO 8601 in UTC; what happened is known over
 * restarts and of all instances.
 */
export interface ChannelReport {
  readonly id: ChannelId;
  /** Name of the platform. */
  readonly provider: string;
  /**
   * `untried`: nothing was sent yet. `working`: the last message was taken. `failing`: it was not.
   * `paused`: the platform asked to send more slowly, see `pausedUntil`.
   */
  readonly state: 'untried' | 'working' | 'failing' | 'paused';
  readonly pausedUntil: string | null;
  readonly lastSuccessAt: string | null;
  readonly lastError: {
    readonly at: string;
    /** Of the first failure after the last message that was taken. */
    readonly since: string;
    readonly kind: DeliveryFailure;
    readonly message: string;
  } | null;
}

/**
 * What operators ask about the services that work depends on: how the channels fare, which backends of agents cannot be
 * asked, and a test message. What backends are like each process finds out for itself.
 */
@Injectable()
export class ExternalServices {
  readonly #never = new AbortController().signal;
  readonly #behind: () => Promise<ReadonlyMap<string, number>>;

  constructor(
    private readonly registry: ChannelDelivery,
    private readonly health: ChannelHealth,
    private readonly agents: BackendHealth,
    private readonly handlers: HandlerStep,
    private readonly clock: Clock,
    admin: LedgerAdmin,
  ) {
    this.#behind = lately(clock, COUNTED_MS, async () =>
      countBehind(await admin.waiting().catch(() => [])),
    );
  }

  async channels(): Promise<readonly ChannelReport[]> {
    const conditions = await this.health.conditions();
    return this.registry.ids.map((id) => this.#report(id, conditions));
  }

  /** The longest first, then missing handlers. A backend whose rest is over and that no turn waits for is left out. */
  backends(): readonly RestingBackend[] {
    return [...this.agents.list(), ...this.handlers.missing];
  }

  /** By name, counted every five seconds, whoever asks; empty where the ledger cannot be asked. */
  behind(): Promise<ReadonlyMap<string, number>> {
    return this.#behind();
  }

  /** Lets turns ask what rests: an operator has mended something. False: nothing rested. */
  tryBackends(): boolean {
    const hasResting = this.agents.list().length > 0;
    if (hasResting) this.agents.forget();
    return hasResting;
  }

  /**
   * Sends a test message past the outbox, at once and once.
   * @param to default: the channel's own recipient.
   * @returns null for a channel that is not configured; `accepted` as in `DeliveryStatus`.
   * @throws DeliveryError why it was not sent.
   */
  async testChannel(
    id: string,
    to: string | undefined,
  ): Promise<{ status: 'delivered' | 'accepted'; messageId?: string } | null> {
    const channel = CHANNEL_IDS.find((known) => known === id);
    const binding = channel === undefined ? null : this.registry.binding(channel);
    if (channel === undefined || binding === null) return null;
    const recipient = to ?? binding.to;
    if (recipient === undefined) {
      throw new DeliveryError(`no recipient; name "to", or set channels.${id}.to`, 'permanent');
    }
    const [text = TEST_TEXT] = binding.provider.parts(TEST_TEXT);
    try {
      const message = { to: recipient, text, idempotencyKey: newId() };
      const sent = await this.registry.send(binding.provider, message, this.#never);
      this.health.succeeded(channel);
      return { ...sent, status: binding.provider.onlyAccepts ? 'accepted' : 'delivered' };
    } catch (error) {
      if (error instanceof DeliveryError) this.health.failed(channel, error);
      throw error;
    }
  }

  hasChannel(id: ChannelId): boolean {
    return this.registry.get(id) !== null;
  }

  /** What a recipient of the channel looks like, if this is none; null: it is one, or the channel is not configured. */
  expectedInsteadOf(id: ChannelId, to: string): string | null {
    return this.registry.get(id)?.expectedInsteadOf(to) ?? null;
  }

  #report(id: ChannelId, conditions: ChannelConditions): ChannelReport {
    const { lastSuccessAt, lastError } = conditions[id] ?? { lastSuccessAt: null, lastError: null };
    const pausedUntil = this.#pausedUntil(id, conditions);
    // A recipient that cannot be reached says nothing about the channel.
    const isFailing =
      lastError !== null &&
      lastError.kind !== 'permanent' &&
      isLater(lastError.at, lastSuccessAt, this.clock.now());
    const tried = lastSuccessAt === null && lastError === null ? 'untried' : 'working';
    return {
      id,
      provider: this.registry.get(id)?.provider ?? '',
      state: pausedUntil !== null ? 'paused' : isFailing ? 'failing' : tried,
      pausedUntil: isoTime(pausedUntil),
      lastSuccessAt: isoTime(lastSuccessAt),
      lastError: lastError && {
        at: new Date(lastError.at).toISOString(),
        since: new Date(lastError.since).toISOString(),
        kind: lastError.kind,
        message: lastError.message,
      },
    };
  }

  /** As long as the account rests here, or where another process was told to wait; its channels rest together. */
  #pausedUntil(id: ChannelId, conditions: ChannelConditions): number | null {
    const now = this.clock.now();
    const account = this.registry.accountOf(id);
    const ends = this.registry.ids
      .filter((other) => this.registry.accountOf(other) === account)
      .map((other) => {
        const { lastSuccessAt = null, lastError = null } = conditions[other] ?? {};
        if (lastError === null) return null;
        if (lastSuccessAt !== null && isLater(lastSuccessAt, lastError.at, now)) return null;
        // A clock that was set back does not make it longer.
        return lastError.at <= now ? lastError.restsUntil : null;
      });
    const until = Math.max(this.health.pausedUntil(id) ?? 0, ...ends.map((end) => end ?? 0));
    return until > now ? until : null;
  }
}

@Injectable()
export class BackendDelays extends RunDelays {
  constructor(private readonly services: ExternalServices) {
    super();
  }

  async describe(backend: string): Promise<string | undefined> {
    const away = this.services.backends().find((one) => one.backend === backend);
    if (away === undefined) return undefined;
    const behind = await this.services.behind();
    return waitLine(away, behind.get(backend) ?? 0);
  }
}

function countBehind(waiting: readonly WaitingWork[]): ReadonlyMap<string, number> {
  const behind = new Map<string, number>();
  for (const { waitsFor, count } of waiting) {
    if (waitsFor !== null) behind.set(waitsFor, (behind.get(waitsFor) ?? 0) + count);
  }
  return behind;
}

/** Whether that was later than the other. A time that is still to come is of a clock that was ahead: it was before. */
function isLater(at: number, other: number | null, now: number): boolean {
  if (other === null) return true;
  return at > now === other > now ? at > other : at <= now;
}

function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
