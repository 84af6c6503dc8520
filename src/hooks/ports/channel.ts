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

export interface OutgoingMessage {
  /** Recipient in the platform's own form: a phone number, a chat id, a channel id. */
  readonly to: string;
  /** One of the texts that {@link Channel.parts} gave; Markdown, unless the channel made something else of it. */
  readonly text: string;
  /** The same for every attempt of one part of one delivery, and of nothing else. At most 60 characters. */
  readonly idempotencyKey: string;
}

/**
 * Why a message could not be sent, and with it what happens next:
 * - `permanent`, `auth`: given up; the first is about this message or recipient, the second about the channel's own access.
 * - `retryable`: tried again, this recipient's later messages wait; also for a limit that concerns one recipient only.
 * - `rate-limited`: the same, and the whole channel rests, for as long as the platform asks.
 * - `unknown`: the request was sent and no answer tells whether it was taken; `onUnknown` of the channel decides.
 */
export type DeliveryFailure = 'permanent' | 'retryable' | 'rate-limited' | 'auth' | 'unknown';

/** Longest wait that is heard, whatever a platform asks for: then one message finds out. */
const LONGEST_WAIT_MS = 3_600_000;

/** Why a message could not be sent. Any other error a channel throws counts as `retryable`. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  /** How long the platform asked to wait, in milliseconds, at most an hour; undefined: it named no time that can be. */
  readonly retryAfterMs: number | undefined;

  constructor(
    /** One sentence that a person understands, without secrets. */
    message: string,
    readonly kind: DeliveryFailure,
    retryAfterMs?: number,
    /** The platform's own error code. */
    readonly code?: string,
  ) {
    super(message);
    const isTime = retryAfterMs !== undefined && retryAfterMs >= 0;
    this.retryAfterMs = isTime ? Math.min(retryAfterMs, LONGEST_WAIT_MS) : undefined;
  }
}

/** One messaging platform. */
export abstract class Channel {
  /** The platform, as operators read it. @default the name of the class */
  readonly provider: string = this.constructor.name;

  /** True: the platform knows idempotency keys and shows nothing twice that came under the same one. @default false */
  readonly knowsKeys: boolean = false;

  /** What a recipient has to look like when `to` cannot be one, for example `a chat id`; null: it can. @default null */
  expectedInsteadOf(_to: string): string | null {
    return null;
  }

  /**
   * A Markdown text in the platform's own form, as the messages in which it is sent, in order. Nobody may be notified
   * by what it says (`@everyone`). @default one message, unchanged
   */
  parts(markdown: string): readonly string[] {
    return [markdown];
  }

  /**
   * Sends one message and resolves when the platform has taken it.
   * @throws DeliveryError with its kind; the signal's reason when it aborts.
   */
  abstract send(message: OutgoingMessage, signal: AbortSignal): Promise<{ messageId?: string }>;
}
