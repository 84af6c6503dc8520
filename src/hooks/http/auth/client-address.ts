import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import type { IPv4, IPv6 } from 'ipaddr.js';
import { HooksSettings } from '../../options/index.ts';
import type { Problem, ResolvedHooksOptions } from '../../options/index.ts';

@Injectable()
export class ClientAddresses {
  readonly #ranges = new WeakMap<ResolvedHooksOptions, readonly TrustedRange[]>();

  constructor(settings: HooksSettings) {
    settings.addCheck((next) => ({ problems: proxyProblems(next), warnings: [] }));
  }

  get(request: IncomingMessage, settings: ResolvedHooksOptions): string {
    const forwardedFor = request.headers['x-forwarded-for'];
    const entries = Array.isArray(forwardedFor) ? forwardedFor.join(',') : forwardedFor;
    return clientAddress(request.socket.remoteAddress, entries, this.#rangesOf(settings));
  }

  #rangesOf(settings: ResolvedHooksOptions): readonly TrustedRange[] {
    const known = this.#ranges.get(settings);
    if (known !== undefined) return known;
    const ranges = settings.trustedProxies.map(parseRange).filter((range) => range !== null);
    this.#ranges.set(settings, ranges);
    return ranges;
  }
}

function proxyProblems({ trustedProxies }: ResolvedHooksOptions): Problem[] {
  return trustedProxies.flatMap((entry, index) =>
    typeof entry === 'string' && parseRange(entry) !== null
      ? []
      : [
          {
            key: `gateway.trustedProxies[${index}]`,
            message: 'must be an IP address or a range such as 10.0.0.0/8',
          },
        ],
  );
}

export type TrustedRange = readonly [address: IPv4 | IPv6, prefixLength: number];

const MAPPED = '::ffff:';
const PLAIN_IPV4 = /^\d+\.\d+\.\d+\.\d+$/;
const IPV4_WITH_PORT = /^(\d+\.\d+\.\d+\.\d+):\d+$/;
/** A word that is no part of an address, since it has a letter beyond the hexadecimal digits. */
const SCOPED = /^([a-z]*[g-z][a-z]*:)(.*)$/s;
const IN_BRACKETS = /^\[([^\]]*)\](?::\d+)?$/;

/** An address as proxies write it (port and brackets allowed); null when it is none. IPv4-mapped ones become IPv4. */
export function parseAddress(text: string): IPv4 | IPv6 | null {
  const trimmed = text.trim();
  const bare = (IPV4_WITH_PORT.exec(trimmed) ?? IN_BRACKETS.exec(trimmed))?.[1] ?? trimmed;
  if (ipaddr.IPv4.isValidFourPartDecimal(bare)) return ipaddr.IPv4.parse(bare);
  if (!ipaddr.IPv6.isValid(bare)) return null;
  const address = ipaddr.IPv6.parse(bare);
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** One entry of `gateway.trustedProxies`: an address or a CIDR range; null when it is neither. */
export function parseRange(entry: string): TrustedRange | null {
  const [text = '', length, ...rest] = entry.trim().split('/');
  const address = parseAddress(text);
  if (address === null || rest.length > 0 || /[[\]]/.test(text)) return null;
  const isMapped = address.kind() === 'ipv4' && text.includes(':');
  const widest = address.kind() === 'ipv4' ? 32 : 128;
  if (length === undefined) return isMapped && /^\d/.test(text) ? null : [address, widest];
  const bits = /^\d{1,3}$/.test(length) ? Number(length) - (isMapped ? 96 : 0) : -1;
  return bits < 0 || bits > widest ? null : [address, bits];
}

export function clientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | undefined,
  trusted: readonly TrustedRange[],
): string {
  if (trusted.length === 0 || forwardedFor === undefined) return folded(socketAddress);
  const peer = parseAddress(socketAddress ?? '');
  if (peer === null || !isTrusted(peer, trusted)) return folded(socketAddress);
  return forwardedClient(forwardedFor, trusted) ?? peer.toString();
}

/**
 * Whom a trusted proxy speaks for: the right-most address of `X-Forwarded-For` that is not one. A malformed entry ends
 * the walk: nothing left of it can be believed. When every address is in a trusted range, it is the one that the proxy
 * itself has seen: whatever stands left of it may be the sender's own word. Null: it names nobody.
 */
export function forwardedClient(
  forwardedFor: string,
  trusted: readonly TrustedRange[],
): string | null {
  let seen: string | null = null;
  for (const entry of forwardedFor.split(',').toReversed()) {
    const hop = parseAddress(entry);
    if (hop === null) break;
    if (!isTrusted(hop, trusted)) return hop.toString();
    seen ??= hop.toString();
  }
  return seen;
}

/**
 * An IPv4 address, or the /64 of an IPv6 address, since one client owns all of it; a scope and a colon before it stay.
 */
export function throttleKey(client: string): string {
  if (PLAIN_IPV4.test(client)) return client;
  const [, scope = '', address = client] = SCOPED.exec(client) ?? [];
  const parsed = parseAddress(address);
  if (parsed === null || !('parts' in parsed)) return scope + (parsed?.toString() ?? address);
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${scope}${network.join(':')}::/64`;
}

/**
 * Whose budget the failures of a request use up: its client's. A page of another site has any browser knock with the
 * address of its user, so what comes from such pages has a budget apart, beside that of the programs there.
 * @param scope of a budget apart for all of them, such as `ops`
 */
export function failureClient(client: string, headers: IncomingHttpHeaders, scope = ''): string {
  const prefix = `${scope}${isFromForeignPage(headers) ? 'web' : ''}`;
  return prefix === '' ? client : `${prefix}:${client}`;
}

/** Only browsers say so; whoever else does gets no more than the budget of those pages. */
function isFromForeignPage({ origin, host, ...rest }: IncomingHttpHeaders): boolean {
  const site = rest['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return origin !== undefined && URL.parse(origin)?.host !== host;
}

function folded(socketAddress: string | undefined): string {
  if (socketAddress === undefined) return 'local';
  const isMapped = socketAddress.startsWith(MAPPED) && socketAddress.includes('.');
  return isMapped ? socketAddress.slice(MAPPED.length) : socketAddress;
}

export function isTrustedProxy(
  socketAddress: string | undefined,
  trusted: readonly TrustedRange[],
): boolean {
  const peer = parseAddress(socketAddress ?? '');
  return peer !== null && isTrusted(peer, trusted);
}

function isTrusted(address: IPv4 | IPv6, trusted: readonly TrustedRange[]): boolean {
  return trusted.some(
    ([range, bits]) => range.kind() === address.kind() && address.match(range, bits),
  );
}
