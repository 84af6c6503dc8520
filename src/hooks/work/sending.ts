import { DeliveryError } from '../ports/index.ts';
import type { Channel, Clock, OutgoingMessage } from '../ports/index.ts';
import { Deadline } from './deadline.ts';

/** Longest wait for a platform's answer. */
const SEND_TIMEOUT_MS = 30_000;
/** Longest id of a message that is kept, in characters. */
const ID_CHARS = 200;
/** Longest part of a recipient that an error repeats, in characters. */
const SHOWN_CHARS = 60;

/**
 * Hands one message to a platform.
 * @throws DeliveryError whatever the channel threw; `unknown` when it took too long. When `stop` aborts, anything.
 */
export async function send(
  channel: Channel,
  message: OutgoingMessage,
  clock: Clock,
  stop: AbortSignal,
): Promise<{ messageId?: string }> {
  const expected = channel.expectedInsteadOf(message.to);
  if (expected !== null) throw unfit(message.to, channel, expected);
  using deadline = new Deadline(clock, SEND_TIMEOUT_MS, stop);
  try {
    const { messageId } = await deadline.race((signal) => channel.send(message, signal));
    return { messageId: messageId?.slice(0, ID_CHARS) };
  } catch (error) {
    if (!deadline.hasPassed) throw asDeliveryError(error);
    const seconds = SEND_TIMEOUT_MS / 1000;
    throw new DeliveryError(`no answer within ${seconds} s; it may have arrived`, 'unknown');
  }
}

function unfit(to: string, { provider }: Channel, expected: string): DeliveryError {
  const line = to.replace(/[\s\p{Cc}]+/gu, ' ').slice(0, SHOWN_CHARS);
  const message = `"${line}" is no recipient of ${provider}; expected ${expected}`;
  return new DeliveryError(message, 'permanent');
}

function asDeliveryError(error: unknown): DeliveryError {
  if (error instanceof DeliveryError) return error;
  const kind = error instanceof Error ? error.name : typeof error;
  return new DeliveryError(`the channel failed without saying why (${kind})`, 'retryable');
}
