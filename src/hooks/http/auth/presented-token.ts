import type { IncomingHttpHeaders } from 'node:http';

const BEARER = /^bearer[ \t]/i;
const BASIC = /^basic[ \t]/i;

/** The token of an `Authorization: Bearer` header; null for a blank one and for every other scheme. */
export function parseBearer(authorization: string | undefined): string | null {
  if (authorization === undefined || !BEARER.test(authorization)) return null;
  const token = authorization.slice('bearer '.length).trim();
  return token === '' ? null : token;
}

/** The password of an `Authorization: Basic` header, whoever the user is; null for a blank one. */
function parseBasic(authorization: string | undefined): string | null {
  if (authorization === undefined || !BASIC.test(authorization)) return null;
  // As headers are read: byte by byte.
  const pair = Buffer.from(authorization.slice('basic '.length), 'base64').toString('latin1');
  const colon = pair.indexOf(':');
  return colon === -1 ? null : pair.slice(colon + 1).trim() || null;
}

/**
 * The token a request came with; null when it came with none. The first that is not blank counts, even if it is wrong and
 * a later one right: Bearer, `x-gateway-token`, the path's own header, the password of Basic.
 * @param takesBasic false where Basic is how the path's own sender proves itself
 */
export function presentedToken(
  headers: IncomingHttpHeaders,
  tokenHeader?: string,
  takesBasic = true,
): string | null {
  return (
    parseBearer(headers.authorization) ??
    tokenIn(headers['x-gateway-token']) ??
    (tokenHeader === undefined ? null : tokenIn(headers[tokenHeader])) ??
    (takesBasic ? parseBasic(headers.authorization) : null)
  );
}

function tokenIn(value: string | string[] | undefined): string | null {
  const token = (Array.isArray(value) ? value.join(', ') : (value ?? '')).trim();
  return token === '' ? null : token;
}
