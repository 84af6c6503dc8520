import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../refusals.ts';
import { askedHost } from './allowed-host.ts';

/** The console sends it with everything that it asks; a page elsewhere would have to ask us first whether it may. */
const CONSOLE_HEADER = 'x-hooks-console';

/** What changes nothing. */
const READING = ['GET', 'HEAD'];

/**
 * Whether a browser sent this from our own console: a cookie comes along from every page of the same host, whatever its
 * port, and a browser on this machine reaches us for any page at all.
 * @param isSecure whether the request came by TLS
 * @throws Refusal 403
 */
export function assertFromConsole(request: FastifyRequest, isSecure: boolean): void {
  const { headers } = request;
  const { origin, 'sec-fetch-site': site } = headers;
  const isReading = READING.includes(request.method);
  // `none`: the address was typed in. Nobody types a change.
  const isOwnSite = site === undefined || site === 'same-origin' || (isReading && site === 'none');
  const isOwnOrigin = origin === undefined ? isReading : origin === originOf(request, isSecure);
  if (!isOwnSite || !isOwnOrigin) throw new Refusal('foreign_origin');
  if (!isReading && headers[CONSOLE_HEADER] !== '1') throw new Refusal('console_header_missing');
}

/** The origin of a page that we served, as its browser writes it; null: the host makes no sense. */
function originOf({ headers, raw }: FastifyRequest, isSecure: boolean): string | null {
  const host = headers[':authority'] ?? askedHost(raw) ?? '';
  const url = URL.parse(`${isSecure ? 'https' : 'http'}://${String(host)}`);
  return url !== null && url.pathname === '/' && url.username === '' ? url.origin : null;
}
