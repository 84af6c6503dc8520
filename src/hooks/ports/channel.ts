import type { Hours } from '../../platform/hours.ts';

/** Every channel a reply can be delivered to (specification, "Channel values"). */
export const CHANNEL_IDS = [
  'chan_1',
  'chan_2',
  'chan_3',
  'chan_4',
  'chan_5',
  'chan_6',
  'chan_7',
  'chan_8',
] as const;
export type ChannelId = (typeof CHANNEL_IDS)[number];

/** Where a session last spoke. */
export interface Route {
  readonly channel: ChannelId;
  /** Recipient in the platform's own form. */
  readonly to: string;
}

/** One message to one recipient, as {@link Channel.send} is given it. */
export interface OutgoingMessage {
  /** Recipient in the platform's own form: a phone number, a chat id, a channel id. */
  readonly to: string;
  /** One of the texts that {@link Channel.parts} gave; Markdown, unless the channel made something else of it. */
  readonly text: string;
  /** The same for every attempt of one part of one delivery, and of nothing else. At most 60 characters. */
  readonly idempotencyKey: string;
  /** Its place in a row of messages that led to one another, from 1, for a header that programs pass on. Absent: it is in none. */
  readonly round?: number | undefined;
  /** Only where the channel has {@link Channel.buttons}: it is a question, whose buttons Approve and Deny carry this. */
  readonly code?: string | undefined;
  /**
   * Only there: id of the message that this one takes the place of; its buttons go. Refused as `permanent` where it is
   * gone or cannot be changed.
   */
  readonly replaces?: string | undefined;
}

/** Somebody has tapped a button of a question. */
export interface Tap {
  readonly id: string;
  readonly code: string;
  readonly verdict: 'approved' | 'denied';
  /** Who, as `approvers` name people: `telegram:12345`. */
  readonly by: string;
  /** Where, as a recipient without its thread. */
  readonly to: string;
  /** The message whose button it is, as {@link Channel.send} named it. */
  readonly messageId: string;
}

/** What people have tapped since it was asked for last. */
export interface HeardTaps {
  readonly taps: readonly Tap[];
  /** For {@link TapPolling.confirm}; absent: there is nothing to be confirmed. */
  readonly mark?: string;
}

/** How a platform is asked for taps. */
export interface TapPolling {
  /**
   * What was tapped, told again until it is confirmed.
   * @param isWaiting waits for the first, half a minute at most
   * @throws DeliveryError; the signal's reason
   */
  poll(isWaiting: boolean, signal: AbortSignal): Promise<HeardTaps>;
  /** What was told up to this mark is done, and is not told again. @throws DeliveryError likewise */
  confirm(mark: string, signal: AbortSignal): Promise<void>;
}

/** How people answer the messages of a platform. Whoever has buttons proves by {@link blocks} what is shown. */
export interface Buttons {
  /** Before the ids of its people in `approvers`: `telegram`. */
  readonly people: string;
  /** By which the platform's own requests are verified. @default `people` */
  readonly scheme?: string;
  /** Whether one person alone reads what is sent there, so that whoever taps is who was asked. */
  isPrivate(to: string): boolean;
  /**
   * The blocks of code in one of {@link Channel.parts}, as the platform's own clients find them: the texts that people see
   * sign by sign, in their order. The first is what a question is about; the question has buttons only where these are what
   * it quotes, whole. None, where a client may show less of the first, or nothing proves it.
   */
  blocks(part: string): readonly string[];
  /** Breaks lines of what a question is about that a client would cut off. @default as it is */
  readonly fit?: (text: string) => string;
  /** A recipient, or a person of `approvers`, as taps name them. @default as it is, without its thread */
  address?(to: string): string;
  /** Absent: taps come only with requests of the platform to a hook that verifies it. */
  readonly polling?: TapPolling;
  /** The taps on questions of ours in the verified body of such a request. */
  read?(body: unknown): readonly Tap[];
  /** Whether a body with taps says something else, too, and so is an event all the same. @default it does not */
  saysMore?(body: unknown): boolean;
  /** Whether no message can be changed: how a question ended is told by another one. @default false */
  readonly changesNothing?: boolean;
  /** What such a request is answered, where the platform wants the words there, and not by {@link answer}. */
  inAnswer?(words: string): object;
  /** Says to who tapped what became of it. A platform that heard of the tap too long ago says nothing. @throws DeliveryError likewise */
  answer(tap: Tap, words: string, signal: AbortSignal): Promise<void>;
  /** Takes the buttons of that very message away, a copy of the one that is known. @throws DeliveryError likewise */
  clear?(tap: Tap, signal: AbortSignal): Promise<void>;
}

/**
 * Why a message could not be sent, and with it what happens next:
 * - `permanent`, `auth`: given up; the first is about this message or recipient, the second about the channel's own access.
 * - `retryable`: tried again, this recipient's later messages wait; also for a limit that concerns one recipient only.
 * - `rate-limited`: the same, and the whole channel rests, for as long as the platform asks.
 * - `unknown`: the request was sent and nothing says whether it was taken, a 5xx neither; `onUnknown` of the channel decides.
 */
export type DeliveryFailure = 'permanent' | 'retryable' | 'rate-limited' | 'auth' | 'unknown';

/** Longest wait that is heeded, whatever a platform asks for: then one message finds out. */
const LONGEST_WAIT_MS = 3_600_000;

/** Why a message could not be sent. Any other error a channel throws counts as `retryable`. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  readonly kind: DeliveryFailure;
  /** Milliseconds that the platform asked to wait, at most an hour; undefined: it named no time that can be. */
  readonly retryAfterMs: number | undefined;
  /** The platform's own error code. */
  readonly code: string | undefined;
  /**
   * Recipient that the platform's own answer leads to, in place of one that is gone: nothing was sent, and the message goes
   * there at once.
   */
  readonly instead: string | undefined;

  /** @param message one sentence that a person understands, without secrets */
  constructor(
    message: string,
    kind: DeliveryFailure,
    retryAfterMs?: number,
    code?: string,
    instead?: string,
  ) {
    super(message);
    this.instead = instead;
    this.kind = kind;
    const isTime = retryAfterMs !== undefined && retryAfterMs >= 0;
    this.retryAfterMs = isTime ? Math.min(retryAfterMs, LONGEST_WAIT_MS) : undefined;
    this.code = code;
  }
}

/** Why a channel did not take a message. */
export interface ChannelFailure {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Epoch milliseconds of the first failure after the last message that was taken. */
  readonly since: number;
  readonly kind: DeliveryFailure;
  readonly message: string;
  /** Epoch milliseconds before which nothing more is sent to its account; null: it need not rest. */
  readonly restsUntil: number | null;
}

/** How a channel fared last. */
export interface ChannelCondition {
  /** Epoch milliseconds when its platform last took a message; null: nobody knows of any. */
  readonly lastSuccessAt: number | null;
  readonly lastError: ChannelFailure | null;
}

/** News of a failure on top of what is known: it began with the first failure after the last message that was taken. */
export function withBeginning(
  known: ChannelCondition | undefined,
  { lastSuccessAt, lastError }: ChannelCondition,
): ChannelFailure | null {
  if (lastError === null) return null;
  const before = known?.lastError ?? null;
  const takenAt = Math.max(lastSuccessAt ?? -Infinity, known?.lastSuccessAt ?? -Infinity);
  // A recipient that cannot be reached says nothing about the channel.
  const goesOn = before !== null && before.kind !== 'permanent' && before.at > takenAt;
  return goesOn ? { ...lastError, since: Math.min(before.since, lastError.since) } : lastError;
}

/** Of each channel that was tried. */
export type ChannelConditions = Readonly<Partial<Record<ChannelId, ChannelCondition>>>;

/** One messaging platform. A new one extends this class; retries, order and rate limits are the module's part. */
export abstract class Channel {
  /** The platform, as operators read it. @default the name of the class */
  readonly provider: string = this.constructor.name;

  /** True: the platform knows idempotency keys and shows nothing twice that came under the same one. @default false */
  readonly knowsKeys: boolean = false;

  /**
   * True: {@link send} resolves when the platform has taken the message, and a refusal may follow unheard: it ends as
   * `accepted`.
   * @default false
   */
  readonly onlyAccepts: boolean = false;

  /** True: it answers where an event came from, and is nobody's default channel. @default false */
  readonly onlyAnswers: boolean = false;

  /** How its messages are answered by a tap; null: they cannot be. @default null */
  readonly buttons: Buttons | null = null;

  /** Longest wait for the platform's answer to one message, in milliseconds. @default 30_000 */
  readonly timeoutMs: number = 30_000;

  /** What a recipient has to look like when `to` cannot be one, for example `a chat id`; null: it can. @default null */
  expectedInsteadOf(_to: string): string | null {
    return null;
  }

  /**
   * A Markdown text in the platform's form, as the messages in which it is sent, in order. Nobody may be notified by it
   * (`@everyone`).
   * @default one, unchanged
   */
  parts(markdown: string): readonly string[] {
    return [markdown];
  }

  /**
   * Whether a text, an id or an author makes a message this channel's own, which is no news. Nobody else may be able to
   * make one.
   * @default none is
   */
  isOwn(_text: string): boolean {
    return false;
  }

  /**
   * What people read of a part where markup is taken away when it is sent: no link may come together there.
   * @default the part as it is
   */
  shown(part: string): string {
    return part;
  }

  /**
   * Sends one message; resolves when the platform has taken it.
   * @returns its id, where it has one.
   * @throws DeliveryError; the signal's reason when it aborts
   */
  abstract send(
    message: OutgoingMessage,
    signal: AbortSignal,
  ): Promise<{ messageId?: string | undefined }>;

  /**
   * Shows where an event came from that it was heard, before its run has a place. Tried for a minute at most; may be
   * asked twice.
   * @param at a recipient
   * @throws DeliveryError
   * @default nothing
   */
  acknowledge?(
    at: Pick<OutgoingMessage, 'to' | 'idempotencyKey'>,
    signal: AbortSignal,
  ): Promise<void>;
}

/** One channel of the gateway: which platform serves it. */
export interface ChannelBinding {
  /** One object on several channels is one account of its platform: they share its rate limits, and the order per recipient. */
  readonly provider: Channel;
  /** Recipient when nobody named one. */
  readonly to?: string | undefined;
  /**
   * When nobody can tell whether a message arrived, without idempotency keys: `retry` may show it twice, `stop` may
   * lose it.
   * @default 'retry'
   */
  readonly onUnknown?: 'retry' | 'stop' | undefined;
  /** When nothing is sent there but questions, notices and what a mapping excepts; that waits until they are over. @default never */
  readonly quietHours?: Hours | undefined;
}

/** The channels by id, read anew when a step needs one. A reply to a channel that is not there is not delivered. */
export interface ChannelBindings extends Readonly<Partial<Record<ChannelId, ChannelBinding>>> {
  /**
   * Where replies go that name no channel, while the main session has spoken nowhere.
   * @default the only channel, else `chan_1`
   */
  readonly default?: ChannelId;
  /** How long a delivery is tried again, in hours from its acceptance, over 0 and at most 168. @default 24 */
  readonly retryHours?: number;
}

export const CHANNEL_BINDINGS = Symbol('CHANNEL_BINDINGS');
