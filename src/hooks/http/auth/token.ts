import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ResolvedHooksOptions } from '../../options/index.ts';

const BEARER = /^bearer[ \t]/i;

/** The token of an `Authorization: Bearer` header; null for a blank one and for every other scheme. */
export function parseBearer(authorization: string | undefined): string | null {
  if (authorization === undefined || !BEARER.test(authorization)) return null;
  const token = authorization.slice('bearer '.length).trim();
  return token === '' ? null : token;
}

/**
 * The token a request came with; null when it came with none. A non-empty Bearer wins, even beside another token in
 * `x-gateway-token`; a blank Bearer or another scheme counts as none (specification, "Authentication").
 */
export function presentedToken(headers: IncomingHttpHeaders): string | null {
  const bearer = parseBearer(headers.authorization);
  if (bearer !== null) return bearer;
  const own = headers['x-gateway-token'];
  const token = (Array.isArray(own) ? own.join(', ') : (own ?? '')).trim();
  return token === '' ? null : token;
}

/** Equal to no digest: what is compared with when nothing can be right. */
const NOBODY = randomBytes(32);

const digests = new WeakMap<ResolvedHooksOptions, Buffer>();

/**
 * Whether the request carries the shared hook token. Digests are compared, so that neither the time nor a length tells
 * anything, and a compare happens also when no token came.
 */
export function carriesHookToken(
  headers: IncomingHttpHeaders,
  settings: ResolvedHooksOptions,
): boolean {
  const presented = presentedToken(headers);
  // Node reads header bytes as latin1; a token outside of ASCII is sent as UTF-8.
  const digest = hash('sha256', Buffer.from(presented ?? '', 'latin1'), 'buffer');
  return timingSafeEqual(digest, expectedDigest(settings)) && presented !== null;
}

function expectedDigest(settings: ResolvedHooksOptions): Buffer {
  const known = digests.get(settings);
  if (known !== undefined) return known;
  const token = settings.hooks.token?.trim() ?? '';
  const digest = token === '' ? NOBODY : hash('sha256', token, 'buffer');
  digests.set(settings, digest);
  return digest;
}
