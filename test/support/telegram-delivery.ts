import { telegram } from '../../src/adapters/channels/telegram.ts';
import {
  type Channel,
  DeliveryError,
  type OutgoingMessage,
} from '../../src/hooks/ports/channel.ts';

/** The token of every bot; it is part of the URL. */
export const TOKEN = '123456:AAsecretsecretsecret';

/** A signal that does not abort. */
export const never = new AbortController().signal;

/** A channel to that Bot API server. */
export function channelAt(apiRoot: string): Channel {
  return telegram({ token: TOKEN, apiRoot });
}

/** A short message to chat 42; `over` replaces what the test is about. */
export function message(over: Partial<OutgoingMessage> = {}): OutgoingMessage {
  return { to: '42', text: 'Good morning *Ada*', idempotencyKey: 'delivery-1', ...over };
}

/** The error of a delivery; every one is checked for the token. */
export async function failedDelivery(sending: Promise<unknown>): Promise<DeliveryError> {
  const error: unknown = await sending.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof DeliveryError)) throw new Error(`not a DeliveryError: ${String(error)}`);
  expect(error.cause).toBeUndefined();
  expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toContain('AAsecret');
  return error;
}
