import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigurationError } from '../hooks/index.ts';
import { readConfigurationFiles } from './configuration-files.ts';
import type { ConfigurationFiles } from './configuration-files.ts';
import type { Configuration } from './configuration.ts';
import { inspectConfiguration } from './inspect-configuration.ts';
import type { Environment } from './variables.ts';

/** The configuration directory: GATEWAY_CONFIG_DIR, else the working directory. @throws ConfigurationError */
export function configurationDirectory(env: Environment, cwd: string): string {
  const dir = resolve(cwd, env['GATEWAY_CONFIG_DIR'] ?? '');
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true) return dir;
  const message = `names no directory (${dir}); create it or correct the variable`;
  throw new ConfigurationError([{ key: 'GATEWAY_CONFIG_DIR', message }]);
}

/**
 * Reads and checks everything; tokens that nobody gave are generated once nothing is wrong.
 * @throws ConfigurationError with every problem.
 */
export async function loadConfiguration(
  dir: string,
  processEnv: Environment,
  files: ConfigurationFiles = readConfigurationFiles(dir),
): Promise<Configuration> {
  const inspection = await inspectConfiguration(dir, processEnv, files, (file) => file.keep());
  const { resolved, problems, isDemo } = inspection;
  if (resolved === undefined || problems.length > 0) throw new ConfigurationError(problems);
  const { operatorTokenFile, gateway, store, channels, ops, warnings } = resolved;
  const operatorToken = gateway.auth.token?.trim() ?? operatorTokenFile.keep();
  return {
    dir,
    isDemo,
    gateway,
    operatorToken,
    operatorTokenFile: gateway.auth.token === undefined ? operatorTokenFile.path : undefined,
    hookTokenFile: isDemo ? inspection.demoHookToken.path : undefined,
    store,
    channels,
    ops,
    hooks: { ...resolved.hooks, gatewayAuthToken: operatorToken },
    mail: resolved.mail,
    env: inspection.env,
    files,
    sections: inspection.sections,
    warnings,
  };
}
