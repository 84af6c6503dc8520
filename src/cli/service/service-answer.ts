import type { Answered } from './http-exchange.ts';
import { ServiceRefusal, ServiceUnreachable } from './service-refusal.ts';

/** An answer as JSON object. @throws ServiceUnreachable when it is none that this service gives */
export function objectOf({ status, body }: Answered, url: URL): Record<string, unknown> {
  if (status >= 300 && status < 400) throw new ServiceUnreachable(url, 'REDIRECT');
  const value = parsed(body);
  if (isObject(value)) return value;
  throw new ServiceUnreachable(url, 'STRANGER');
}

/**
 * The JSON text of an answer of 2xx.
 * @param proof a key it has.
 * @throws ServiceRefusal, ServiceUnreachable
 */
export function provenText(answer: Answered, proof: string, url: URL): string {
  const body = objectOf(answer, url);
  throwIfRefused(answer, body, url);
  if (!Object.hasOwn(body, proof)) throw new ServiceUnreachable(url, 'STRANGER');
  return answer.body.toString();
}

/** @throws ServiceRefusal, ServiceUnreachable when the status is none of success. */
export function throwIfRefused(
  { status }: Answered,
  { error, code }: Record<string, unknown>,
  url: URL,
): void {
  if (status >= 200 && status < 300) return;
  if (typeof error !== 'string' || typeof code !== 'string') {
    throw new ServiceUnreachable(url, 'STRANGER');
  }
  throw new ServiceRefusal(status, code, error);
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
