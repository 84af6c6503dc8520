import type { IncomingHttpHeaders } from 'node:http';
import type { HookRequest } from '../actions/hook-request.ts';
import { LONGEST_KEY } from '../actions/idempotency.ts';
import { LEFT_OUT, isCredential } from '../../platform/credentials.ts';
import { SHORTEST_TOKEN, holdsSecret, ownSecrets } from '../options/index.ts';
import { callbackKey } from '../ports/index.ts';
import { Rejection } from '../ports/rejection.ts';
import { presentedToken } from './auth/presented-token.ts';
import { VERIFIED_BY_HOST } from './hook-call.ts';
import type { HookCall } from './hook-call.ts';
import type { ParsedJson } from './parse-json.ts';
import { tokenHeaderOf } from './path-rules.ts';

const NONE: readonly string[] = [];
const NO_CONTENT: ParsedJson = { value: {}, text: '{}', isVerbatim: false };

/** Makes a {@link HookRequest}, plain data, of what came in over HTTP. @throws Rejection invalid_idempotency_key */
export function toHookRequest(call: HookCall): HookRequest {
  const { raw, name, settings, client, receivedAt, rule, signer, signature } = call;
  const { verifiedBy = VERIFIED_BY_HOST, content = NO_CONTENT, callback } = call;
  const idempotencyKey = getIdempotencyKey(raw.headers);
  const { tokenHeader } = settings.hooks;
  const secrets = secretsOf(call);
  const payloadDigest =
    content.isVerbatim && call.packing === undefined && signer?.signsBodyAlone === true
      ? signature?.signedDigest
      : undefined;
  return {
    name: visibleName(name, secrets),
    query: parseQuery(raw.url ?? '', secrets),
    headers: visibleHeaders(raw.headers, secrets, [
      ...(rule?.secretHeaders ?? []),
      tokenHeader ?? '',
    ]),
    payload: content.value,
    payloadText: content.text,
    client,
    verifiedBy,
    receivedAt,
    settings,
    ...(signature !== undefined && { signature }),
    ...(payloadDigest !== undefined && { payloadDigest }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(callback !== undefined && { callbackKey: callbackKey(callback.token) }),
  };
}

/** Who speaks by a signature, in stories and prompts. @param sender id of one of `verify.senders` */
export function signedBy(scheme: string, sender: string | undefined): string {
  return sender === undefined ? scheme : `${scheme} ${sender}`;
}

/** Our own secrets, and the token that the request came with, of which we may know no more than the digest. */
export function secretsOf(call: HookCall): readonly string[] {
  const { raw, settings } = call;
  const token = presentedToken(raw.headers, tokenHeaderOf(call));
  const secrets = ownSecrets(settings);
  // A shorter one opens nothing, and is part of too much.
  if (token === null || token.length < SHORTEST_TOKEN || secrets.includes(token)) return secrets;
  return [...secrets, token];
}

/** First values, decoded, without credentials. @param secrets a parameter that brings one of them is left out */
export function parseQuery(url: string, secrets: readonly string[] = []): Record<string, string> {
  const query: Record<string, string> = {};
  for (const [name, value] of parameters(url)) {
    if (Object.hasOwn(query, name) || isCredential(name)) continue;
    if (holdsSecret(value, secrets) || holdsSecret(name, secrets)) continue;
    // Not an assignment: a parameter may be called `__proto__`.
    Object.defineProperty(query, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return query;
}

export function hideSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, LEFT_OUT), text);
}

/** A name under the prefix, with `[left out]` in place of our own secrets, percent-encoded or not. */
export function visibleName(name: string, secrets: readonly string[]): string {
  const shown = hideSecrets(name, secrets);
  if (!shown.includes('%')) return shown;
  const visible = shown
    .split('/')
    .map((segment) => (holdsSecret(decode(segment), secrets) ? LEFT_OUT : segment))
    .join('/');
  // A secret with a slash of its own, of which only the rest is encoded.
  return holdsSecret(decode(visible), secrets) ? LEFT_OUT : visible;
}

/** Whether a token was put where every log on the way keeps it. */
export function hasTokenInQuery(url: string): boolean {
  return parameters(url).some(([name]) => name === 'token');
}

/**
 * `#` never belongs in a request; what follows it is read like a query, so that nothing hides behind it. The first `?`
 * begins one, with those that follow it directly, which some parsers drop; a later one is part of a value.
 */
function parameters(url: string): (readonly [name: string, value: string])[] {
  const start = url.search(/[?#]/);
  if (start === -1) return [];
  const parts = url.slice(start).replace(/\?+/, '&').split(/[&#]/);
  return parts.filter((part) => part !== '').map(decodePair);
}

function decodePair(part: string): readonly [string, string] {
  const equals = part.indexOf('=');
  return equals === -1
    ? [decode(part), '']
    : [decode(part.slice(0, equals)), decode(part.slice(equals + 1))];
}

function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

/** Lower-case names, repeated ones joined; without credentials, `secretHeaders` and what brings one of `secrets`. */
export function visibleHeaders(
  headers: IncomingHttpHeaders,
  secrets: readonly string[] = [],
  secretHeaders: readonly string[] = NONE,
): Record<string, string> {
  const visible: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || isCredential(name) || secretHeaders.includes(name)) continue;
    const text = typeof value === 'string' ? value : value.join(', ');
    if (!holdsSecret(text, secrets)) visible[name] = text;
  }
  return visible;
}

/** The first of two headers; a blank one counts as absent. @throws Rejection invalid_idempotency_key */
export function getIdempotencyKey(headers: IncomingHttpHeaders): string | undefined {
  const key = trimmed(headers['idempotency-key']) || trimmed(headers['x-gateway-idempotency-key']);
  if (key.length > LONGEST_KEY) throw new Rejection('invalid_idempotency_key');
  return key === '' ? undefined : key;
}

function trimmed(value: string | string[] | undefined): string {
  return (Array.isArray(value) ? value.join(', ') : (value ?? '')).trim();
}
