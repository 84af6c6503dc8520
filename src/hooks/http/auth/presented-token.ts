import type { IncomingHttpHeaders } from 'node:http';

const BEARER = /^bearer[ \t]/i;

/** The token of an `Authorization: Bearer` header; null for a blank one and for every other scheme. */
export function bearerOf(authorization: string | undefined): string | null {
  if (authorization === undefined || !BEARER.test(authorization)) return null;
  const token = authorization.slice('bearer '.length).trim();
  return token === '' ? null : token;
}

/**
 * The token a request came with; null when it came with none.
 * A non-empty Bearer wins, even beside another token in `x-gateway-token`; a blank Bearer or another scheme counts as
 * none.
 */
export function presentedToken(headers: IncomingHttpHeaders): string | null {
  const bearer = bearerOf(headers.authorization);
  if (bearer !== null) return bearer;
  const own = headers['x-gateway-token'];
  const token = (Array.isArray(own) ? own.join(', ') : (own ?? '')).trim();
  return token === '' ? null : token;
}
