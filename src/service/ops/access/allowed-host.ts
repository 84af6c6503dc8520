import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

const HOST = /^(?:\[([\da-f:.]+)\]|([^:[\]]*))(?::\d*)?$/i;

/** The host that is asked: that of a whole address in the request line counts, whatever `Host` says (RFC 9112 §3.2.2). */
export function askedHost({ url = '', headers }: IncomingMessage): string | undefined {
  return /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1] ?? headers.host;
}

/**
 * Whether a request for this `Host` is meant for the operator's side. A page that has its own name resolve to this
 * machine (DNS rebinding) would be of one origin with it; what it cannot have is an address for a name, or a name that
 * the operator gave.
 * @param host as it was asked; absent or empty: no browser sends that.
 * @param names in lower case, without a dot at the end.
 */
export function isAllowedHost(host: string | undefined, names: ReadonlySet<string>): boolean {
  if (host === undefined || host === '') return true;
  const [, address, text = ''] = HOST.exec(host) ?? [];
  if (address !== undefined) return isIP(address) === 6;
  const name = bareName(text);
  return isIP(name) === 4 || /^(?:[^.]+\.)*localhost$/.test(name) || names.has(name);
}

/** As names are compared: DNS minds no case and no dot at the end. */
export function bareName(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}
