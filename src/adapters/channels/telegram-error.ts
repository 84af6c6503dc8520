import type { GrammyError, HttpError } from 'grammy';

import { DeliveryError } from '../../hooks/ports/channel.ts';

/** Longest part of the platform's own explanation that is passed on, in characters. */
const DESCRIPTION_CHARS = 200;

/** What the Bot API answered, as the outbox understands it. @param token is taken out of the platform's words. */
export function fromAnswer(error: GrammyError, token: string): DeliveryError {
  const status = error.error_code;
  const code = String(status);
  const said = words(error.description, token);
  if (status === 401) {
    return new DeliveryError(
      'Telegram refused the bot token: check the token of this channel',
      'auth',
      undefined,
      code,
    );
  }
  if (status === 429) {
    const seconds = error.parameters.retry_after;
    const wait = seconds === undefined ? undefined : seconds * 1000;
    return new DeliveryError('Telegram asks to send more slowly', 'rate-limited', wait, code);
  }
  const kind = status >= 400 && status < 500 ? 'permanent' : 'retryable';
  const verb = kind === 'permanent' ? 'refused' : 'could not take';
  return new DeliveryError(`Telegram ${verb} the message: ${said}`, kind, undefined, code);
}

/**
 * No readable answer came. The request's URL holds the token and stands in the library's messages and causes, so
 * that only the system's error code is taken over.
 */
export function fromNetwork(error: HttpError): DeliveryError {
  const cause = error.error;
  if (textOf(cause, 'type') === 'no-redirect') {
    return new DeliveryError(
      'the Telegram server redirects elsewhere: set apiRoot to its final address',
      'permanent',
    );
  }
  const code = textOf(cause, 'code');
  const why = code !== undefined && /^[A-Z][A-Z_]+$/.test(code) ? code : undefined;
  const message = `Telegram could not be reached or gave no readable answer`;
  return new DeliveryError(
    why === undefined ? message : `${message} (${why})`,
    'retryable',
    undefined,
    why,
  );
}

function words(description: string, token: string): string {
  const line = description.replaceAll(token, '…').replace(/\s+/g, ' ');
  return line.slice(0, DESCRIPTION_CHARS);
}

function textOf(value: unknown, key: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const found: unknown = Reflect.get(value, key);
  return typeof found === 'string' ? found : undefined;
}
