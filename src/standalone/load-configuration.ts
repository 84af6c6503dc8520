import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigurationError } from '../hooks/index.ts';
import type { Problem } from '../hooks/index.ts';
import { readConfigurationFiles } from './configuration-files.ts';
import type { ConfigurationFiles } from './configuration-files.ts';
import type { Configuration } from './configuration.ts';
import { demoSections } from './demo-sections.ts';
import { isSections, parseSections } from './json5-document.ts';
import type { Sections } from './json5-document.ts';
import { overrideAddress } from './override-address.ts';
import { resolveSections } from './resolve-configuration.ts';
import { TokenFile } from './token-file.ts';
import { expandVariables } from './variables.ts';
import type { Environment } from './variables.ts';

/** The generated hook token of the demo, which has no `store.dir`. */
const DEMO_HOOK_TOKEN = join('data', 'hook-token');

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
  const env = { ...parseEnv(files.dotenv ?? ''), ...processEnv };
  const read =
    files.gateway === undefined
      ? { sections: demoSections(new TokenFile(join(dir, DEMO_HOOK_TOKEN)).keep()), problems: [] }
      : readSections(files.gateway, env);
  const { sections, problems } = overrideAddress(read.sections, env);
  const resolved = await resolveSections(sections, dir, env);
  throwIfAny(onePerKey([...read.problems, ...problems], resolved.problems));
  const { operatorTokenFile, gateway, store, channels, ops, warnings } = resolved;
  const operatorToken = gateway.auth.token?.trim() ?? operatorTokenFile.keep();
  return {
    dir,
    isDemo: files.gateway === undefined,
    gateway,
    operatorToken,
    operatorTokenFile: gateway.auth.token === undefined ? operatorTokenFile.path : undefined,
    hookTokenFile: files.gateway === undefined ? join(dir, DEMO_HOOK_TOKEN) : undefined,
    store,
    channels,
    ops,
    hooks: { ...resolved.hooks, gatewayAuthToken: operatorToken },
    env,
    files,
    sections,
    warnings,
  };
}

/** A key whose variable is unset is empty for that reason only: its other problems would mislead. */
function onePerKey(first: readonly Problem[], then: readonly Problem[]): Problem[] {
  const told = new Set(first.map(({ key }) => key));
  return [...first, ...then.filter(({ key }) => !told.has(key))];
}

function readSections(text: string, env: Environment): { sections: Sections; problems: Problem[] } {
  const parsed = parseSections(text);
  throwIfAny(parsed.problems);
  const { value, problems } = expandVariables(parsed.sections, env);
  return { sections: isSections(value) ? value : {}, problems };
}

function throwIfAny(problems: readonly Problem[]): void {
  if (problems.length > 0) throw new ConfigurationError(problems);
}
