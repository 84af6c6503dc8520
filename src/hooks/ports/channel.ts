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
  /** Markdown. */
  readonly text: string;
  /** The same for every attempt of one delivery; platforms that know such a key never show a second message. */
  readonly idempotencyKey: string;
}

/** Why a message could not be sent. Any other error a channel throws counts as `retryable`. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';

  constructor(
    /** One sentence that a person understands, without secrets. */
    message: string,
    readonly kind: 'permanent' | 'retryable' | 'rate-limited' | 'auth',
    /** What the platform asked for, in milliseconds. */
    readonly retryAfterMs?: number,
    /** The platform's own error code. */
    readonly code?: string,
  ) {
    super(message);
  }
}

/** One messaging platform. */
export abstract class Channel {
  /**
   * Sends one message and resolves when the platform has taken it.
   * @throws DeliveryError with its kind.
   */
  abstract send(message: OutgoingMessage, signal: AbortSignal): Promise<{ messageId?: string }>;
}
