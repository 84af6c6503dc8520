import type { IncomingHttpHeaders, IncomingMessage, Server } from 'node:http';
import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import { parseAddress } from '../../../hooks/index.ts';

// How a request reached this process. Without `ops.exposed` the operator's side is for this machine alone, never for a
// page whose name was made to lead to it.

const OPERATOR_SOCKETS = new WeakMap<Socket, 'tcp' | 'unix'>();

/** Has everything that connects to `server` known as a request of the operator's own listener. */
export function noteArrivals(server: Server, kind: 'tcp' | 'unix'): void {
  server.on('connection', (socket) => OPERATOR_SOCKETS.set(socket, kind));
}

export interface Arrival {
  readonly socket: Socket;
  readonly headers: IncomingHttpHeaders;
}

export function isByOperatorListener({ socket }: Pick<Arrival, 'socket'>): boolean {
  return OPERATOR_SOCKETS.has(socket);
}

/** Whether it came by the operator's own socket in the file system, which only user and group of the service may connect to. */
export function isBySocketFile(socket: Socket): boolean {
  return OPERATOR_SOCKETS.get(socket) === 'unix';
}

/** Headers by which a proxy says that the request is not its own, under the names that proxies and providers have for them. */
const FORWARDING: ReadonlySet<string> = new Set([
  'forwarded',
  'via',
  'cdn-loop',
  'client-ip',
  'true-client-ip',
  'do-connecting-ip',
  'x-real-ip',
  'x-real-port',
  'x-client-ip',
  'x-true-client-ip',
  'x-cluster-client-ip',
  'x-remote-ip',
  'x-remote-addr',
  'x-originating-ip',
  'x-proxyuser-ip',
  'x-scheme',
]);
/** And what they begin with: `x-forwarded-for`, `-server`, `-port`; `cf-connecting-ip`, `cf-ray`; `fly-client-ip`. */
const FORWARDING_BEGINS = [
  'x-forwarded',
  'x-original-',
  'x-envoy-',
  'x-azure-',
  'x-appengine-',
  'x-vercel-',
  'x-nf-',
  'cf-',
  'fastly-',
  'fly-',
  'tailscale-',
  'ngrok-',
];

function tellsOfProxy(header: string): boolean {
  return FORWARDING.has(header) || FORWARDING_BEGINS.some((begin) => header.startsWith(begin));
}

/**
 * True when a program on this machine asks for itself. One that forwards without saying so cannot be told from a local
 * client.
 */
export function isLocal({ socket, headers }: Arrival): boolean {
  if (Object.keys(headers).some(tellsOfProxy)) return false;
  // By the listener: a TCP connection that has ended has no address either.
  if (isBySocketFile(socket)) return true;
  return parseAddress(socket.remoteAddress ?? '')?.range() === 'loopback';
}

const HOST = /^(?:\[([\da-f:.]+)\]|([^:[\]]*))(?::\d*)?$/i;

/** The host that is asked: that of a whole address in the request line counts, whatever `Host` says (RFC 9112 §3.2.2). */
export function askedHost({ url = '', headers }: IncomingMessage): string | undefined {
  return /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1] ?? headers.host;
}

/**
 * Whether a request for this `Host` is meant for the operator's side. A page whose name resolves to this machine (DNS
 * rebinding) would be of one origin with it; what it cannot have is an address for a name, or a name that the operator
 * gave.
 * @param host as it was asked; absent or empty: no browser sends that
 * @param names in lower case, without a dot at the end
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
