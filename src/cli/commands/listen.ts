import { normalizePrefix, ConfigurationError } from '../../hooks/index.ts';
import { forwardersAddress } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { defineCommand, option } from '../command.ts';
import { RelayedListener } from '../relay/relayed-listener.ts';
import { SECRET_FILE_OPTION, givenSecret } from '../relay/secret.ts';
import { givenSafeUrl } from '../service/service-place.ts';
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
    SECRET_FILE_OPTION,
  ],
  examples: [
    [
      'hooks listen --relay https://relay.example.com',
      'with the secret in relay-secret, or in HOOKS_RELAY_SECRET',
    ],
  ],
  async action(context, { relay, secretFile }) {
    const { terminal, clock, cwd } = context;
    if (relay === undefined) {
      const hint = 'Say where "hooks relay" is reached: --relay https://relay.example.com';
      throw new CliError('There is no relay to connect to.', hint, EXIT.usage);
    }
    const { resolved, problems, env } = await context.inspect();
    if (resolved === undefined) throw new ConfigurationError(problems);
    const secret = givenSecret({ env, cwd, secretFile });
    const listener = new RelayedListener({
      relay,
      secret,
      prefix: normalizePrefix(resolved.hooks.path ?? ''),
      socketPath: socketOf(resolved.store.dir),
      clock,
      tell: (line) => terminal.note(line),
    });
    const stopping = new AbortController();
    const exit = untilStopped().finally(() => stopping.abort());
    await listener.run(stopping.signal);
    terminal.exitCode = await exit;
  },
});

/** @throws CliError */
function socketOf(dir: string): string {
  const address = forwardersAddress(dir);
  if (address !== null) return address.path;
  throw new CliError(
    `The path of ${dir} is too long for the socket of the service.`,
    'Set store.dir to a shorter one.',
  );
}
