import type { IncomingHttpHeaders } from 'node:http';
import { Rejection } from '../../rejections/index.ts';

/**
 * The one rule which headers and query parameters are credentials: they reach no template, no transform, no story and
 * no log. Any of these words in the name: authorization, cookie, token, secret, signature, hmac, jwt, assertion,
 * credential, session, password, api-key, access-key; or `auth` as a word of its own.
 */
const CREDENTIAL =
  /authorization|cookie|token|secret|signature|hmac|jwt|assertion|credential|session|passw|(?:api|access)[-_]?key|(?:^|[-_])auth(?:$|[-_])/;

/** Senders use the same few names; judging each again would cost as much as parsing the body. */
const judged = new Map<string, boolean>();
const MOST_JUDGED = 1000;

/** @param name in lower case. */
export function isCredential(name: string): boolean {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const verdict = CREDENTIAL.test(name);
  if (judged.size < MOST_JUDGED) judged.set(name, verdict);
  return verdict;
}

const LONGEST_IDEMPOTENCY_KEY = 256;

/** What may be seen of a request's headers: lower-case names, repeated ones joined, credentials left out. */
export function visibleHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const visible: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || isCredential(name)) continue;
    visible[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return visible;
}

/**
 * The sender's idempotency key: `idempotency-key`, else `x-gateway-idempotency-key`; blank ones count as absent.
 * @throws Rejection invalid_idempotency_key
 */
export function idempotencyKeyOf(headers: IncomingHttpHeaders): string | undefined {
  const key = trimmed(headers['idempotency-key']) || trimmed(headers['x-gateway-idempotency-key']);
  if (key.length > LONGEST_IDEMPOTENCY_KEY) throw new Rejection('invalid_idempotency_key');
  return key === '' ? undefined : key;
}

function trimmed(value: string | string[] | undefined): string {
  return (Array.isArray(value) ? value.join(', ') : (value ?? '')).trim();
}
