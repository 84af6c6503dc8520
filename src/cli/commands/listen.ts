import { ConfigurationError, isLoopback, normalizePrefix } from '../../hooks/index.ts';
import { forwarderAddress } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { defineCommand, option, wrongValue } from '../command.ts';
import type { CommandContext } from '../command.ts';
import type { ListenerOptions } from '../relay/relayed-listener.ts';
import { SECRET_FILE_OPTION, givenSecret } from '../relay/secret.ts';
import { bareHost, givenSafeUrl } from '../service/service-place.ts';
import { untilStopped } from '../terminal.ts';

/** The private end of a relay (docs/relay.md), beside a running service. */
export const listen = defineCommand({
  name: 'listen',
  description:
    'receive webhooks without a public address: from a relay, for the service here, until it is stopped',
  options: [
    option('--relay <url>', 'where "hooks relay" is reached', (url) =>
      givenSafeUrl(url, '--relay'),
    ),
    option(
      '--to <url>',
      'hooks of an application of yours on this machine (default: the service of this directory)',
      toOwnUrl,
    ),
    SECRET_FILE_OPTION,
  ],
  examples: [
    [
      'hooks listen --relay https://relay.example.com',
      'with the secret in relay-secret, or in HOOKS_RELAY_SECRET',
    ],
    [
      'hooks listen --relay https://relay.example.com --to http://127.0.0.1:3000/hooks',
      'for an application that embeds the module, with 127.0.0.1 in trustedProxies',
    ],
  ],
  async action(context, { relay, to, secretFile }) {
    const { terminal, clock, cwd } = context;
    if (relay === undefined) {
      const hint = 'Say where "hooks relay" is reached: --relay https://relay.example.com';
      throw new CliError('There is no relay to connect to.', hint, EXIT.usage);
    }
    const { env, ...target } = to === undefined ? await ownService(context) : toTarget(to, context);
    const secret = givenSecret({ env, cwd, secretFile });
    // What speaks HTTP/2: no other command waits until it is read.
    const { RelayedListener } = await import('../relay/relayed-listener.ts');
    const listener = new RelayedListener({
      relay,
      secret,
      ...target,
      clock,
      tell: (line) => terminal.note(line),
    });
    const stopping = new AbortController();
    const exit = untilStopped().finally(() => stopping.abort());
    await listener.run(stopping.signal);
    terminal.exitCode = await exit;
  },
});

type Target = Pick<ListenerOptions, 'prefix' | 'service'> & Pick<CommandContext, 'env'>;

/** That of this directory. @throws ConfigurationError, CliError */
async function ownService({ inspect }: CommandContext): Promise<Target> {
  const { resolved, problems, env } = await inspect();
  if (resolved === undefined) throw new ConfigurationError(problems);
  const service = { socketPath: socketOf(resolved.store.dir) };
  return { prefix: normalizePrefix(resolved.hooks.path ?? ''), service, env };
}

/** An application that embeds the module. */
function toTarget(to: URL, { env }: CommandContext): Target {
  const service = { host: bareHost(to), port: to.port || '80' };
  return { prefix: normalizePrefix(to.pathname), service, env };
}

/** Of this machine: the sender's address goes along, and nobody between may say another. @throws CliError */
function toOwnUrl(text: string): URL {
  const url = URL.parse(text);
  const isHttp = url?.protocol === 'http:' && url.username === '' && url.search === '';
  if (url !== null && isHttp && isLoopback(bareHost(url)) && url.pathname !== '/') return url;
  throw wrongValue(
    '--to',
    'a URL on this machine with the path of the hooks: http://127.0.0.1:3000/hooks',
  );
}

/** @throws CliError */
function socketOf(dir: string): string {
  const address = forwarderAddress(dir, 'relay');
  if (address !== null) return address.path;
  throw new CliError(
    `The path of ${dir} is too long for the socket of the service.`,
    'Set store.dir to a shorter one.',
  );
}
