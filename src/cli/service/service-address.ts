import { isIPv6 } from 'node:net';
import { isLoopback } from '../../hooks/index.ts';
import { CliError, EXIT } from '../cli-error.ts';

/** Where the service is, and what it is shown there. */
export interface ServiceAddress {
  /** Without a trailing slash in its path; a reverse proxy may serve it under a path of its own. */
  readonly url: URL;
  /** Shown to the operator API only. */
  readonly operatorToken: string;
  /** Shown to hooks only; absent: hooks cannot be sent to. */
  readonly hookToken?: string;
  /** `hooks.path`, with its leading slash. */
  readonly hooksPath: string;
}

/** Where a service listens that was told `gateway.host` and `gateway.port`. @throws CliError for port 0 */
export function listeningUrl({ host, port }: { host: string; port: number }): URL {
  if (port === 0) {
    throw new CliError(
      'gateway.port is 0: the service took whatever port was free.',
      'Say where it listens with --url; it logs it when it starts.',
      EXIT.usage,
    );
  }
  const reachable = EVERYWHERE[host] ?? host;
  return new URL(`http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`);
}

/** An address to listen on that no address to ask is: the loopback of its family answers for it. */
const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** What `--url` says. @throws CliError when it is no plain HTTP address */
export function givenUrl(text: string): URL {
  const url = URL.parse(text);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.search + url.hash === '';
  if (!isPlain || url.username + url.password !== '') {
    throw new CliError(
      '--url is not the address of a service.',
      'Write it as http://127.0.0.1:18790: no user, no query; tokens never belong in it.',
      EXIT.usage,
    );
  }
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

/** Whether the tokens of the configuration may be shown at `url`: at the configured address, and on this machine. */
export function isOwnService(url: URL, configured: URL | null): boolean {
  return url.origin === configured?.origin || isLoopback(url.hostname.replace(/^\[|\]$/g, ''));
}
