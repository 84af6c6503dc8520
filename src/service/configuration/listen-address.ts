import { isIPv6 } from 'node:net';
import { resolve } from 'node:path';
import { isLoopback } from '../../hooks/index.ts';

export interface TcpAddress {
  readonly kind: 'tcp';
  /** Without brackets. Undefined: every address of this machine. */
  readonly host: string | undefined;
  /** 0: any free one. */
  readonly port: number;
}

export interface UnixAddress {
  readonly kind: 'unix';
  readonly path: string;
}

export type ListenAddress = TcpAddress | UnixAddress;

export const LISTEN_FORMS =
  "must be a port, '127.0.0.1:18791', '[::1]:18791', ':18791' (every address) or 'unix:/run/hooks/ops.sock' (a path of at most 107 bytes)";

const UNIX = 'unix:';
/** What the system has room for, in bytes: a longer path would be cut off without a word. */
const LONGEST_PATH = 107;
const HOST_AND_PORT = /^(?:\[([\da-f:.]+)\]|([\w.-]*)):(\d{1,5})$/i;

/**
 * `18791` (on 127.0.0.1), `'[::1]:18791'`, `':18791'` (every address), `'unix:/run/ops.sock'`.
 * @param dir what a relative path starts from.
 * @returns null: none of these
 */
export function parseListenAddress(value: unknown, dir = '/'): ListenAddress | null {
  if (typeof value === 'number') return toTcp('127.0.0.1', value);
  if (typeof value !== 'string') return null;
  if (value.startsWith(UNIX)) return toUnix(value.slice(UNIX.length), dir);
  const [, v6, name = '', digits = ''] = HOST_AND_PORT.exec(value) ?? [];
  if (digits === '' || (v6 !== undefined && !isIPv6(v6))) return null;
  return toTcp(v6 ?? (name === '' ? undefined : name), Number(digits));
}

function toTcp(host: string | undefined, port: number): TcpAddress | null {
  return Number.isInteger(port) && port >= 0 && port <= 65_535 ? { kind: 'tcp', host, port } : null;
}

function toUnix(text: string, dir: string): UnixAddress | null {
  const path = resolve(dir, text);
  const isSound = text !== '' && !text.endsWith('/') && !text.includes('\0');
  return isSound && Buffer.byteLength(path) <= LONGEST_PATH ? { kind: 'unix', path } : null;
}

export function isLocalAddress(address: ListenAddress): boolean {
  return address.kind === 'unix' || (address.host !== undefined && isLoopback(address.host));
}

export function addressText(address: ListenAddress): string {
  if (address.kind === 'unix') return `${UNIX}${address.path}`;
  const { host = '', port } = address;
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** Whether both cannot be listened on at once. */
export function isSamePort(one: TcpAddress, other: TcpAddress): boolean {
  const everywhere = [undefined, '0.0.0.0', '::'];
  const overlap =
    one.host === other.host || everywhere.includes(one.host) || everywhere.includes(other.host);
  return one.port !== 0 && one.port === other.port && overlap;
}

/** An address to listen on that no address to ask is: the loopback of its family answers for it. */
const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Where whoever listens there is asked, from the same machine. @param port not 0, which is any */
export function listeningAddress({ host, port }: { host: string; port: number }): URL {
  const reachable = EVERYWHERE[host] ?? host;
  return new URL(`http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`);
}
