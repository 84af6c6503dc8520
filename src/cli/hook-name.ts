import { CliError, EXIT } from './cli-error.ts';

/**
 * The name of a hook as a person may write it: `github`, `/github` or the whole path `/hooks/github`.
 * @param prefix `hooks.path`.
 * @throws CliError for none, and for one with a query.
 */
export function hookName(given: string, prefix: string): string {
  const name = given.startsWith(`${prefix}/`) ? given.slice(prefix.length) : given;
  const bare = name.replace(/^\/+/, '');
  if (/[?#]/.test(bare)) {
    throw new CliError(
      'A hook has no query in its name.',
      'Say it with --query name=value.',
      EXIT.usage,
    );
  }
  if (bare === '') {
    throw new CliError(
      'The name of the hook is missing.',
      'It is wake, agent or the path of a mapping.',
      EXIT.usage,
    );
  }
  return bare;
}

/** The name as it stands in a URL: what cannot stand there is percent-encoded, what is encoded already stays. */
export function onTheWire(name: string): string {
  return name.replaceAll(/[^!-~]/gu, (sign) => encodeURIComponent(sign));
}
