import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigurationError, normalizePrefix, tokenFor } from '../../hooks/index.ts';
import { errorCode } from '../../platform/errors.ts';
import type { Inspection, ResolvedSections } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { JSON_OPTION, option } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { keyWithoutFile } from '../config/planned-files.ts';
import { asLine } from '../foreign-text.ts';
import { ServiceClient } from './service-client.ts';
import { givenPlace, givenUrl, isOwnPlace, listeningPlace } from './service-place.ts';
import type { ServicePlace } from './service-place.ts';

export const SERVICE_OPTIONS = [
  option('--url <url>', 'where the service is (default: gateway.host and gateway.port)'),
  option(
    '--ops-url <url>',
    'where its operator API is, if not there: http://… or unix:/… (default: ops.listen)',
  ),
  option(
    '--token-file <file>',
    'file with its operator token (default: that of this configuration)',
  ),
  JSON_OPTION,
] as const;

/** What a command line may say about the service; all else is in its configuration. */
interface ServiceChoice {
  readonly url?: string;
  /** Where the operator API is, when not there. */
  readonly opsUrl?: string;
  readonly tokenFile?: string;
  readonly hookTokenFile?: string;
  /** The hook to send to, by its name below the prefix. */
  readonly hook?: string;
}

/** Has no side effect. @throws CliError when the configuration does not say where, or its tokens are not for `--url` */
export async function findService(
  context: CommandContext,
  choice: ServiceChoice,
  signal?: AbortSignal,
): Promise<ServiceClient> {
  const inspection = await context.inspect();
  const { hooks, operator, isOwn } = findPlaces(inspection, choice);
  const { cwd } = context;
  const token = tokenInFile(choice.tokenFile, cwd) ?? operatorToken(inspection, isOwn);
  const hook =
    tokenInFile(choice.hookTokenFile, cwd) ??
    (isOwn ? hookToken(inspection, choice.hook) : undefined);
  const hooksPath = normalizePrefix(inspection.resolved?.hooks.path ?? '');
  return new ServiceClient(
    { url: hooks.url, operator, operatorToken: token, hookToken: hook, hooksPath, isOwn },
    signal,
  );
}

interface Places {
  readonly hooks: ServicePlace;
  readonly operator: ServicePlace;
  /** Whether the tokens of the configuration may be shown at both. */
  readonly isOwn: boolean;
}

/** Whoever says where the service is means all of it, unless both are said. @throws CliError, ConfigurationError */
function findPlaces(inspection: Inspection, { url, opsUrl }: ServiceChoice): Places {
  const configured = configuredListeners(inspection);
  const given = url === undefined ? undefined : { url: givenUrl(url) };
  const givenOperator = opsUrl === undefined ? given : givenPlace(opsUrl, '--ops-url');
  const hooks = given ?? configured?.hooks();
  const operator = givenOperator ?? configured?.operator();
  if (hooks === undefined || operator === undefined) {
    throw new ConfigurationError(inspection.problems);
  }
  const known = configured?.known ?? [];
  return { hooks, operator, isOwn: isOwnPlace(hooks, known) && isOwnPlace(operator, known) };
}

interface ConfiguredListeners {
  /** @throws CliError for port 0 */
  readonly hooks: () => ServicePlace;
  /** @throws CliError for port 0 */
  readonly operator: () => ServicePlace;
  /** Those that can be told beforehand. */
  readonly known: readonly ServicePlace[];
}

/** What the configuration says; undefined: it is broken there. */
function configuredListeners({ resolved, problems }: Inspection): ConfiguredListeners | undefined {
  const isSound = !problems.some(({ key }) =>
    /^gateway\b|^GATEWAY_|^ops\.listen\b/.test(keyWithoutFile(key)),
  );
  if (resolved === undefined || !isSound) return undefined;
  const { gateway, operatorAddress } = resolved;
  const hooks = { kind: 'tcp' as const, host: gateway.host, port: gateway.port };
  const operator = operatorAddress ?? hooks;
  return {
    hooks: () => listeningPlace(hooks, 'gateway.port'),
    operator: () =>
      listeningPlace(operator, operatorAddress === undefined ? 'gateway.port' : 'ops.listen'),
    known: [hooks, operator]
      .filter((address) => address.kind === 'unix' || address.port !== 0)
      .map((address) => listeningPlace(address, '')),
  };
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
