import { Inject, Injectable } from '@nestjs/common';
import { Deadline } from '../../platform/time.ts';
import { HooksSettings } from '../options/index.ts';
import type { Problem, ResolvedHooksOptions } from '../options/index.ts';
import { CHANNEL_BINDINGS, CHANNEL_IDS, Clock, DeliveryError } from '../ports/index.ts';
import type {
  Channel,
  ChannelBinding,
  ChannelBindings,
  ChannelId,
  OutgoingMessage,
} from '../ports/index.ts';
import { HostErrors } from './host-errors.ts';

const HOUR_MS = 3_600_000;
const DEFAULT_RETRY_HOURS = 24;
/** Longest id of a message that is kept, in characters. */
const MAX_ID_CHARS = 200;
/** A group that moved, and then its topic. */
const MOST_DETOURS = 2;
/** Longest part of a recipient that an error repeats, in characters. */
const MAX_SHOWN_CHARS = 60;

/**
 * The channels of this gateway, by id, and the one way to send a message through them: with a limit of time, errors of
 * the host's own channels made `DeliveryError`s, and ids of messages cut to what is kept. Several channels may share
 * one account of a platform, which is then limited and rests as one. A mapping to a channel that nobody serves is a
 * warning and no problem: its runs are done, and only their replies go nowhere.
 */
@Injectable()
export class ChannelDelivery {
  constructor(
    @Inject(CHANNEL_BINDINGS) private readonly bindings: ChannelBindings,
    settings: HooksSettings,
    private readonly clock: Clock,
    private readonly hostErrors: HostErrors,
  ) {
    settings.addCheck((next) => ({
      problems: [],
      warnings: unservedChannels(next, this.bindings),
    }));
  }

  /** The channels that are served, in the order of their ids. */
  get ids(): readonly ChannelId[] {
    return servedChannels(this.bindings);
  }

  get isEmpty(): boolean {
    return speakingChannels(this.bindings).length === 0;
  }

  /** The channel of a provider: the one that was named, if it is that, else the first. Null: there is none. */
  ofProvider(provider: string, named: ChannelId | 'last'): ChannelId | null {
    const ids = named === 'last' ? this.ids : [named];
    return ids.find((id) => this.get(id)?.provider === provider) ?? null;
  }

  /** Whether a text that an event of a provider brings is a message of one of its channels. */
  isOwn(provider: string, text: string): boolean {
    const channels = this.ids.flatMap((id) => this.get(id) ?? []);
    return channels.some((channel) => channel.provider === provider && channel.isOwn(text));
  }

  binding(id: ChannelId): ChannelBinding | null {
    return this.bindings[id] ?? null;
  }

  get(id: ChannelId): Channel | null {
    return this.bindings[id]?.provider ?? null;
  }

  /** The first channel with the same account; itself when it has its own, or is not served. */
  accountOf(id: ChannelId): ChannelId {
    const provider = this.get(id);
    if (provider === null) return id;
    return this.ids.find((other) => this.get(other) === provider) ?? id;
  }

  get default(): ChannelId {
    return defaultChannel(this.bindings);
  }

  defaultRecipient(id: ChannelId): string | null {
    return this.bindings[id]?.to ?? null;
  }

  /** How long a delivery is tried again, from its acceptance, in milliseconds. */
  get retryMs(): number {
    return (this.bindings.retryHours ?? DEFAULT_RETRY_HOURS) * HOUR_MS;
  }

  /**
   * Hands one message to a platform, which has the channel's own time to answer, and follows it where that says that the
   * recipient has moved or its thread is gone.
   * @returns `detour`: why it went to another recipient, and to which
   * @throws DeliveryError whatever the channel threw; `unknown` when it took too long. When `stop` aborts, anything.
   */
  async send(
    channel: Channel,
    message: OutgoingMessage,
    stop: AbortSignal,
  ): Promise<{ messageId?: string; detour?: string }> {
    const text = message.text.toWellFormed();
    let { to } = message;
    let detour: string | undefined;
    for (let steps = 0; ; steps += 1) {
      try {
        const sending = { ...message, text, to };
        const { messageId } = await this.#ask(channel, to, stop, (signal) =>
          channel.send(sending, signal),
        );
        return { messageId: messageId?.slice(0, MAX_ID_CHARS), ...(detour && { detour }) };
      } catch (error) {
        // Ids of messages mean others in another conversation.
        const canGo = message.replaces === undefined && steps < MOST_DETOURS && !stop.aborted;
        if (!canGo || !(error instanceof DeliveryError) || error.instead === undefined) throw error;
        to = error.instead;
        detour = `${error.message}; it went to ${to}`;
      }
    }
  }

  /** Has a platform show that an event was heard. @throws as {@link send} */
  async acknowledge(
    channel: Channel,
    at: Pick<OutgoingMessage, 'to' | 'idempotencyKey'>,
    stop: AbortSignal,
  ): Promise<void> {
    await this.#ask(channel, at.to, stop, async (signal) => channel.acknowledge?.(at, signal));
  }

  async #ask<T>(
    channel: Channel,
    to: string,
    stop: AbortSignal,
    ask: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const expected = channel.expectedInsteadOf(to);
    if (expected !== null) throw unfitRecipient(to, channel, expected);
    using deadline = new Deadline(this.clock, channel.timeoutMs, stop);
    try {
      return await deadline.race(ask);
    } catch (error) {
      if (deadline.hasPassed) {
        const seconds = channel.timeoutMs / 1000;
        throw new DeliveryError(`no answer within ${seconds} s; it may have arrived`, 'unknown');
      }
      if (stop.aborted || error instanceof DeliveryError) throw error;
      throw this.#unexplained(channel, error);
    }
  }

  /** The text of an error that is not a DeliveryError is not shown: it may hold what a request was made of. */
  #unexplained({ provider }: Channel, error: unknown): DeliveryError {
    this.hostErrors.report(`the channel ${provider}`, error, 'a DeliveryError');
    const kind = error instanceof Error ? error.name : typeof error;
    return new DeliveryError(`the channel failed without saying why (${kind})`, 'retryable');
  }
}

/** Where a reply goes that names no channel, before the main session has spoken anywhere. */
export function defaultChannel(bindings: ChannelBindings): ChannelId {
  const served = speakingChannels(bindings);
  const [only] = served.length === 1 ? served : [];
  return bindings.default ?? only ?? 'chan_1';
}

function servedChannels(bindings: ChannelBindings): readonly ChannelId[] {
  return CHANNEL_IDS.filter((id) => bindings[id] !== undefined);
}

function speakingChannels(bindings: ChannelBindings): readonly ChannelId[] {
  return servedChannels(bindings).filter((id) => bindings[id]?.provider.onlyAnswers !== true);
}

/** Channels that are used and not served: the runs work, and each of their deliveries fails. */
export function unservedChannels(
  { agents, hooks }: ResolvedHooksOptions,
  bindings: ChannelBindings,
): Problem[] {
  const { notify } = agents.defaults;
  const named = hooks.mappings.flatMap(({ channel, deliver }, index) => {
    if (channel === undefined || channel === 'last' || deliver === false) return [];
    if (bindings[channel] !== undefined) return [];
    const message = `names a channel without a provider; configure channels.${channel}`;
    return [{ key: `hooks.mappings[${index}].channel`, message }];
  });
  if (notify !== undefined && notify !== false && bindings[notify.channel] === undefined) {
    const message = `names a channel without a provider; configure channels.${notify.channel}`;
    named.push({ key: 'agents.defaults.notify.channel', message });
  }
  return hooks.enabled ? [...unservedDefault(bindings), ...named] : named;
}

/** Where no channel is served at all replies are not meant to be delivered. */
function unservedDefault(bindings: ChannelBindings): Problem[] {
  const served = speakingChannels(bindings);
  const id = defaultChannel(bindings);
  if (served.length === 0 || bindings[id] !== undefined) return [];
  const message = `is ${id}, which has no provider, so no reply of a hook that names no channel can be delivered; set it to ${served.join(' or ')}`;
  return [{ key: 'channels.default', message }];
}

function unfitRecipient(to: string, { provider }: Channel, expected: string): DeliveryError {
  const line = to.replace(/[\s\p{Cc}]+/gu, ' ').slice(0, MAX_SHOWN_CHARS);
  const message = `"${line}" is no recipient of ${provider}; expected ${expected}`;
  return new DeliveryError(message, 'permanent');
}
