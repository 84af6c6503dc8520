import type { IncomingHttpHeaders } from 'node:http';

const BEARER = /^bearer\s+(.*\S)\s*$/i;

/**
 * The token a request came with; null when it came with none.
 * A non-empty Bearer wins, even beside another token in `x-gateway-token`; a blank Bearer or another scheme counts as
 * none.
 */
export function presentedToken(headers: IncomingHttpHeaders): string | null {
  const { authorization } = headers;
  const bearer = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  if (bearer !== undefined) return bearer;
  const own = headers['x-gateway-token'];
  const token = (Array.isArray(own) ? own.join(', ') : (own ?? '')).trim();
  return token === '' ? null : token;
}
