import { isLoopback } from '../../hooks/index.ts';
import { listeningAddress } from '../../service/index.ts';
import type { ListenAddress } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';

export interface ServicePlace {
  /** Without a trailing slash in its path; a reverse proxy may serve it under a path of its own. */
  readonly url: URL;
  /** The socket that is connected to, whatever the host of `url` is. */
  readonly socketPath?: string;
}

/** As people read it: without the path. */
export function placeText({ url, socketPath }: ServicePlace): string {
  return socketPath === undefined ? url.origin : `unix:${socketPath}`;
}

/**
 * Where a service is asked that listens there.
 * @param key of the configuration, `gateway.port` or `ops.listen`.
 * @throws CliError for port 0
 */
export function listeningPlace(address: ListenAddress, key: string): ServicePlace {
  if (address.kind === 'unix') {
    return { url: new URL('http://localhost'), socketPath: address.path };
  }
  const { host = '127.0.0.1', port } = address;
  if (port === 0) {
    const flag = key === 'ops.listen' ? '--ops-url' : '--url';
    throw new CliError(
      `The port of ${key} is 0: the service took whatever port was free.`,
      `Say where it listens with ${flag}; it logs it when it starts.`,
      EXIT.usage,
    );
  }
  return { url: listeningAddress({ host, port }) };
}

/** What `--url` says. @throws CliError when it is no plain HTTP address */
export function givenUrl(text: string, flag = '--url'): URL {
  const url = URL.parse(text);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.search + url.hash === '';
  if (!isPlain || url.username + url.password !== '') {
    throw new CliError(
      `${flag} is not the address of a service.`,
      'Write it as http://127.0.0.1:18790: no user, no query; tokens never belong in it.',
      EXIT.usage,
    );
  }
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

/** The same for an address that is shown a secret: by TLS, or on this machine. @throws CliError */
export function givenSafeUrl(text: string, flag: string): URL {
  const url = givenUrl(text, flag);
  if (url.protocol === 'https:' || isLoopback(bareHost(url))) return url;
  const hint = 'Write it with https://; a secret is shown there.';
  throw new CliError(`${flag} leads through the network without TLS.`, hint, EXIT.usage);
}

/** Without the brackets of IPv6. */
function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** What `--ops-url` says: an address, or `unix:` and the path of a socket. @throws CliError */
export function givenPlace(text: string, flag: string): ServicePlace {
  const [, socketPath] = /^unix:(\/.+)$/s.exec(text) ?? [];
  if (socketPath !== undefined) return { url: new URL('http://localhost'), socketPath };
  return { url: givenUrl(text, flag) };
}

/** Whether the tokens of a configuration may be shown there: at a place that it names, and on this machine. */
export function isOwnPlace(
  { url, socketPath }: ServicePlace,
  configured: readonly ServicePlace[],
): boolean {
  if (socketPath !== undefined || isLoopback(bareHost(url))) return true;
  return configured.some((own) => own.url.origin === url.origin);
}

export function targetAt({ url }: ServicePlace, path: string): string {
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}${path}`;
}
