import { isIPv6 } from 'node:net';

/** An address to listen on that no address to ask is: the loopback of its family answers for it. */
const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Where whoever listens there is asked, from the same machine. @param port not 0, which is any */
export function listeningAddress({ host, port }: { host: string; port: number }): URL {
  const reachable = EVERYWHERE[host] ?? host;
  return new URL(`http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`);
}
