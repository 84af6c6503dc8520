import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigurationError, isLoopback, normalizePrefix, tokenFor } from '../../hooks/index.ts';
import { errorCode } from '../../platform/errors.ts';
import { listeningAddress } from '../../service/index.ts';
import type { Inspection, ResolvedSections } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { JSON_OPTION, option } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { keyWithoutFile } from '../config/planned-files.ts';
import { asLine } from '../foreign-text.ts';
import { ServiceClient } from './service-client.ts';

/** Of every command that asks the running service. */
export const SERVICE_OPTIONS = [
  option('--url <url>', 'where the service is (default: gateway.host and gateway.port)'),
  option(
    '--token-file <file>',
    'file with its operator token (default: that of this configuration)',
  ),
  JSON_OPTION,
] as const;

/** What a command line may say about the service; all else is in its configuration. */
export interface ServiceChoice {
  readonly url?: string;
  /** File with the operator token. */
  readonly tokenFile?: string;
  /** File with the hook token. */
  readonly hookTokenFile?: string;
  /** The hook to send to, by its name below the prefix. */
  readonly hook?: string;
}

/**
 * Finds the running service of this configuration, and the tokens for it, without a side effect.
 * @param signal gives up whatever the client has under way.
 * @throws CliError when the configuration does not say where, or its tokens do not belong to `--url`.
 */
export async function findService(
  context: CommandContext,
  choice: ServiceChoice,
  signal?: AbortSignal,
): Promise<ServiceClient> {
  const inspection = await context.inspect();
  const configured = configuredUrl(inspection, choice);
  const url = choice.url === undefined ? configured : givenUrl(choice.url);
  if (url === null) throw new ConfigurationError(inspection.problems);
  const isOwn = isOwnService(url, configured);
  const { cwd } = context;
  const operator = tokenInFile(choice.tokenFile, cwd) ?? operatorToken(inspection, isOwn);
  const hook =
    tokenInFile(choice.hookTokenFile, cwd) ??
    (isOwn ? hookToken(inspection, choice.hook) : undefined);
  const hooksPath = normalizePrefix(inspection.resolved?.hooks.path ?? '');
  return new ServiceClient(
    { url, operatorToken: operator, hookToken: hook, hooksPath, isOwn },
    signal,
  );
}

/** Where a service listens that has these `gateway.host` and `gateway.port`. @throws CliError for port 0 */
export function listeningUrl({ host, port }: { host: string; port: number }): URL {
  if (port === 0) {
    throw new CliError(
      'gateway.port is 0: the service took whatever port was free.',
      'Say where it listens with --url; it logs it when it starts.',
      EXIT.usage,
    );
  }
  return listeningAddress({ host, port });
}

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

/** Where the configuration says that the service is; null: `--url` says it, or the configuration is broken. @throws CliError, ConfigurationError */
function configuredUrl({ resolved, problems }: Inspection, { url }: ServiceChoice): URL | null {
  const isSound = !problems.some(({ key }) => /^gateway\b|^GATEWAY_/.test(keyWithoutFile(key)));
  if (resolved !== undefined && isSound && (url === undefined || resolved.gateway.port !== 0)) {
    return listeningUrl(resolved.gateway);
  }
  return null;
}

/** The token to ask with. @throws CliError when it must not be sent there, or does not exist yet */
function operatorToken({ resolved, problems }: Inspection, isOwn: boolean): string {
  if (!isOwn) {
    throw new CliError(
      'The tokens of this configuration are not sent to another machine.',
      'Put the operator token of that service into a file of mode 0600 and name it with --token-file.',
      EXIT.usage,
    );
  }
  if (resolved === undefined) throw new ConfigurationError(problems);
  const token = ownToken(resolved);
  if (token !== undefined) return token;
  throw new CliError(
    'There is no operator token yet: the service was never started with this configuration.',
    'Start it with: hooks start. Or set GATEWAY_CONFIG_DIR to the directory of the running one.',
    EXIT.unreachable,
  );
}

/** What the configuration says, else what the service generated; undefined before its first start. */
function ownToken({ gateway, operatorTokenFile }: ResolvedSections): string | undefined {
  const configured = gateway.auth?.token?.trim();
  return configured === undefined || configured === '' ? operatorTokenFile.read() : configured;
}

/** Undefined: nothing can be sent, but everything can be looked at. */
function hookToken({ resolved, isDemo, demoHookToken }: Inspection, hook = ''): string | undefined {
  if (isDemo) return demoHookToken.read();
  return resolved === undefined ? undefined : tokenFor(resolved.hooks, hook);
}

/** The token of `--token-file` and `--hook-token-file`. @throws CliError unless the file holds one token */
function tokenInFile(name: string | undefined, cwd: string): string | undefined {
  if (name === undefined) return undefined;
  const path = resolve(cwd, name);
  try {
    const token = readFileSync(path, 'utf8').trim();
    if (/^[!-~]+$/.test(token)) return token;
  } catch (error) {
    throw new CliError(
      `${asLine(path)} cannot be read (${errorCode(error)}).`,
      undefined,
      EXIT.usage,
    );
  }
  throw new CliError(
    `${asLine(path)} does not hold one token.`,
    'Write the token and nothing else.',
    EXIT.usage,
  );
}
