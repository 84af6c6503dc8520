import type { IncomingHttpHeaders, Server } from 'node:http';
import type { Socket } from 'node:net';
import { parseAddress } from '../../../hooks/index.ts';

// How a request reached this process: by which listener, and from this machine or from elsewhere.

/** Sockets of the operator's own listener, by its kind. */
const OPERATOR_SOCKETS = new WeakMap<Socket, 'tcp' | 'unix'>();

/** Has everything that connects to `server` known as a request of the operator's own listener. */
export function noteArrivals(server: Server, kind: 'tcp' | 'unix'): void {
  server.on('connection', (socket) => OPERATOR_SOCKETS.set(socket, kind));
}

/** What is looked at of a request. */
export interface Arrival {
  readonly socket: Socket;
  readonly headers: IncomingHttpHeaders;
}

/** Whether it came by the operator's own listener. */
export function isByOperatorListener({ socket }: Pick<Arrival, 'socket'>): boolean {
  return OPERATOR_SOCKETS.has(socket);
}

/** Whether it came by the operator's own socket in the file system, which only user and group of the service may connect to. */
export function isBySocketFile(socket: Socket): boolean {
  return OPERATOR_SOCKETS.get(socket) === 'unix';
}

/** Headers by which a proxy says that the request is not its own. */
const FORWARDING = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'x-client-ip',
  'cf-connecting-ip',
  'true-client-ip',
] as const;

/**
 * True when a program on this machine asks for itself: whatever was forwarded, by whomever, is not local. A program
 * that forwards without saying so cannot be told from a local client.
 */
export function isLocal({ socket, headers }: Arrival): boolean {
  if (FORWARDING.some((name) => headers[name] !== undefined)) return false;
  // By the listener: a TCP connection that has ended has no address either.
  if (isBySocketFile(socket)) return true;
  return parseAddress(socket.remoteAddress ?? '')?.range() === 'loopback';
}
