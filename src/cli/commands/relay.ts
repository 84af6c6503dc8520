import { join } from 'node:path';
import { normalizePrefix, parseRange } from '../../hooks/index.ts';
import type { TrustedRange } from '../../hooks/index.ts';
import { CliError } from '../cli-error.ts';
import { defineCommand, option, wholeNumber, wrongValue } from '../command.ts';
import { KeptRequests } from '../relay/kept-requests.ts';
import { SECRET_FILE_OPTION, ownSecret } from '../relay/secret.ts';
import { untilStopped } from '../terminal.ts';
import { errorCode } from '../../platform/errors.ts';

const DEFAULT_PORT = 8787;
/** Who connects from this machine is the proxy that has the certificate. */
const THIS_MACHINE = ['127.0.0.1', '::1'];

/** The public end of a relay (docs/relay.md), on a server that has an address and needs nothing else of ours. */
export const relay = defineCommand({
  name: 'relay',
  description:
    'take webhooks at a public address for a service elsewhere ("hooks listen"), until it is stopped',
  options: [
    option('--port <port>', `port (default: ${DEFAULT_PORT})`, wholeNumber('--port', 0, 65_535)),
    option('--host <address>', 'address to listen on (default: 127.0.0.1, behind a proxy)'),
    option('--path <prefix>', 'hooks.path of the service (default: /hooks)'),
    option(
      '--trusted-proxy <range>',
      'whose X-Forwarded-For counts, beside this machine; may be repeated',
      toRange,
    ),
    option(
      '--keep <megabytes>',
      'keep that much (and 10,000 requests) in relay-kept while the service is away (default: refuse with 503)',
      wholeNumber('--keep', 1, 65_536),
    ),
    SECRET_FILE_OPTION,
  ],
  examples: [
    ['hooks relay', 'listen on 127.0.0.1:8787 for Caddy or nginx before it'],
    ['hooks relay --keep 256', 'also while the service is away, for up to 72 hours'],
    ['hooks relay --host 0.0.0.0 --trusted-proxy 172.16.0.0/12', 'in a container'],
  ],
  async action({ terminal, env, cwd, clock }, options) {
    const { port = DEFAULT_PORT, host = '127.0.0.1', path = '', secretFile } = options;
    const trusted = [
      ...(options.trustedProxy ?? []),
      ...THIS_MACHINE.flatMap((own) => toRange(own)),
    ];
    const secret = ownSecret({ env, cwd, secretFile });
    const prefix = normalizePrefix(path);
    const tell = (line: string): void => terminal.note(line);
    const kept = options.keep && (await openKept(cwd, options.keep, tell));
    // What speaks HTTP/2: no other command waits until it is read.
    const { Relay } = await import('../relay/relay.ts');
    const opened = new Relay({ secret, prefix, trusted, ...(kept && { kept }), clock, tell });
    const at = await opened.listen(port, host).catch((error: unknown) => {
      throw new CliError(
        `The relay cannot listen on ${host}:${port} (${errorCode(error)}).`,
        'Choose others with --host and --port.',
      );
    });
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${at}`;
    terminal.print(`Relaying ${url}${prefix}`);
    terminal.exitCode = await untilStopped();
    opened.close();
  },
});

/** @throws CliError */
async function openKept(
  cwd: string,
  megabytes: number,
  tell: (line: string) => void,
): Promise<KeptRequests> {
  const dir = join(cwd, 'relay-kept');
  try {
    const kept = await KeptRequests.open(dir, megabytes * 1024 * 1024, tell);
    if (kept.count > 0) tell(`${kept.count} kept requests wait for the listener`);
    return kept;
  } catch (error) {
    const hint = 'Start it in a directory that this user may write.';
    throw new CliError(`Nothing can be kept in ${dir} (${errorCode(error)}).`, hint);
  }
}

/** @throws CliError */
function toRange(text: string, before: readonly TrustedRange[] = []): readonly TrustedRange[] {
  const range = parseRange(text);
  if (range !== null) return [...before, range];
  throw wrongValue('--trusted-proxy', 'an IP address or a range such as 10.0.0.0/8');
}
