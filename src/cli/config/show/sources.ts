import { parseEnv } from 'node:util';
import { DOTENV_FILE, GATEWAY_FILE } from '../../../standalone/configuration-files.ts';
import type { Inspection } from '../../../standalone/inspect-configuration.ts';
import { SECTIONS } from '../../../standalone/sections.ts';
import type { Environment } from '../../../standalone/variables.ts';

/** Where a section comes from, the strongest last: `defaults`, `demo`, `gateway.json5`, `GATEWAY_PORT (environment)`. */
export type Sources = Readonly<Record<string, readonly string[]>>;

const REFERENCE = /(?<!\$)\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;
/** Variables that win over the file. */
const ADDRESS = ['GATEWAY_HOST', 'GATEWAY_PORT'];

/** Where each section comes from. */
export function sourcesOf(inspection: Inspection, processEnv: Environment): Sources {
  const { isDemo, sections, written, env } = inspection;
  return Object.fromEntries(
    Object.keys(SECTIONS).map((name) => {
      const sources = ['defaults'];
      if (written[name] !== undefined) sources.push(GATEWAY_FILE);
      // The demo has no gateway section; one that is there holds what the environment said.
      else if (isDemo && name !== 'gateway' && name in sections) sources.push('demo');
      const winners = name === 'gateway' ? ADDRESS.filter((variable) => isSet(env[variable])) : [];
      sources.push(...winners.map((name) => `${name} (${originOf(name, processEnv)})`));
      return [name, sources];
    }),
  );
}

/** Where each variable that gateway.json5 names comes from: `environment` or `.env`. */
export function variablesOf(
  { files }: Inspection,
  processEnv: Environment,
): Record<string, string> {
  const names = Array.from((files.gateway ?? '').matchAll(REFERENCE), ([, name = '']) => name);
  const dotenv = parseEnv(files.dotenv ?? '');
  return Object.fromEntries(
    [...new Set(names)]
      .filter((name) => isSet(processEnv[name]) || isSet(dotenv[name]))
      .map((name) => [name, originOf(name, processEnv)]),
  );
}

function originOf(variable: string, processEnv: Environment): string {
  return processEnv[variable] === undefined ? DOTENV_FILE : 'environment';
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value.trim() !== '';
}
