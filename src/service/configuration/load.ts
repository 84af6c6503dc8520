import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigurationError } from '../../hooks/index.ts';
import type { Problem } from '../../hooks/index.ts';
import type { Environment } from './environment.ts';
import { modeWarnings } from './file-modes.ts';
import { readConfigurationFiles } from './files.ts';
import type { ConfigurationFiles } from './files.ts';
import { inspectConfiguration } from './inspect.ts';
import type { Inspection } from './inspect.ts';
import { maskProblems } from './masking.ts';
import type { Need } from './packages.ts';
import type { ResolvedSections } from './resolve.ts';
import type { TokenFile } from './token-file.ts';

type Read = Pick<Inspection, 'dir' | 'isDemo' | 'env' | 'files' | 'sections' | 'written'>;
type Known = 'gateway' | 'store' | 'channels' | 'ops' | 'operatorAddress' | 'hooks' | 'mail';

/** The whole configuration of a service, checked and complete. Never changed; a reload makes a new one. */
export interface Configuration extends Read, Pick<ResolvedSections, Known> {
  /** The operator's token: `gateway.auth.token`, or the one that was generated. */
  readonly operatorToken: string;
  /** Where the operator's token is kept, when it was generated. */
  readonly operatorTokenFile: string | undefined;
  /** Where the hook token is kept, when it was generated (demo only). */
  readonly hookTokenFile: string | undefined;
  /** Adds to a problem of the merged sections the file it stands in. */
  readonly place: (problem: Problem) => Problem;
  /** What is allowed but should be looked at, and the hooks module does not log itself. */
  readonly warnings: readonly Problem[];
  /** All of that, without secrets; asked anew each time, since modes of files are mended without a reload. */
  readonly findings: () => readonly Problem[];
  readonly needed: readonly Need[];
}

/** The configuration directory: GATEWAY_CONFIG_DIR, else the working directory. @throws ConfigurationError */
export function configurationDirectory(env: Environment, cwd: string): string {
  const dir = resolve(cwd, env['GATEWAY_CONFIG_DIR'] ?? '');
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true) return dir;
  const message = `names no directory (${dir}); create it or correct the variable`;
  throw new ConfigurationError([{ key: 'GATEWAY_CONFIG_DIR', message }]);
}

/**
 * Tokens that nobody gave are generated once nothing is wrong.
 * @param changed what a running service has read; no directory is made. Absent: a start
 * @throws ConfigurationError with every problem.
 */
export async function loadConfiguration(
  dir: string,
  processEnv: Environment,
  changed?: ConfigurationFiles,
): Promise<Configuration> {
  const files = changed ?? readConfigurationFiles(dir);
  const tokenOf = (file: TokenFile) => file.readOrCreate(changed === undefined);
  const inspection = await inspectConfiguration(dir, processEnv, files, tokenOf);
  const { resolved, problems, isDemo, env, sections, written, merged } = inspection;
  if (resolved === undefined || problems.length > 0) throw new ConfigurationError(problems);
  const { operatorTokenFile, gateway, store, channels, ops, operatorAddress, mail } = resolved;
  const operatorToken = gateway.auth.token?.trim() ?? tokenOf(operatorTokenFile);
  const ownTokens = [operatorToken, resolved.hooks.token?.trim() ?? ''].filter(
    (token) => token !== '',
  );
  const modes = () => modeWarnings(dir, files, store.dir, ownTokens);
  const findings = maskProblems(inspection.warnings, inspection);
  return {
    dir,
    isDemo,
    env,
    files,
    sections,
    written,
    gateway,
    store,
    channels,
    ops,
    operatorAddress,
    mail,
    hooks: { ...resolved.hooks, gatewayAuthToken: operatorToken },
    operatorToken,
    operatorTokenFile: gateway.auth.token === undefined ? operatorTokenFile.path : undefined,
    hookTokenFile: isDemo ? inspection.demoHookToken.path : undefined,
    place: (problem) => merged.place(problem),
    warnings: [...inspection.ownWarnings, ...modes()],
    findings: () => [...findings, ...modes()],
    needed: inspection.needed,
  };
}
