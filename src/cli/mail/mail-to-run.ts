import type { WatcherSurroundings } from '../../mail/index.ts';
import type { Inspection } from '../../standalone/inspect-configuration.ts';
import { mailTarget } from '../../standalone/mail-target.ts';
import { CliError } from '../cli-error.ts';

/**
 * What `hooks mail run` watches, and where it sends to.
 * @param url where the service listens; default: as configured
 * @throws CliError
 */
export function mailToRun(
  { resolved, problems }: Inspection,
  url: string | undefined,
): WatcherSurroundings {
  if (resolved === undefined || problems.length > 0) {
    throw new CliError('the configuration has problems', 'see "hooks config check"');
  }
  const { mail, store, hooks, gateway } = resolved;
  if (mail === undefined) {
    throw new CliError(
      'hooks.mail is not configured',
      'run "hooks mail setup", or see docs/mail.md',
    );
  }
  if (url === undefined && gateway.port === 0) {
    throw new CliError('gateway.port is 0: nobody knows where the service listens', 'give --url');
  }
  const host = gateway.host.includes(':') ? `[${gateway.host}]` : gateway.host;
  const target = mailTarget(url ?? `http://${host}:${gateway.port}`, hooks);
  return { mail, dir: store.dir, target: () => target };
}
