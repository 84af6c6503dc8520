import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import JSON5 from 'json5';
import { isSections } from '../../standalone/json5-document.ts';
import type { Environment } from '../../standalone/variables.ts';
import { CliError } from '../cli-error.ts';
import { asLine } from '../foreign-text.ts';
import type { Reference } from './translation.ts';

/** Reads the reference's configuration and the `.env` beside it. @throws CliError */
export function readReference(path: string): Reference {
  const config = parsed(path);
  const { hooks, agents, env } = config;
  if (!isSections(hooks)) {
    throw new CliError(
      `${asLine(path)} has no section "hooks"`,
      'name the configuration of the gateway, for example ~/.openclaw/openclaw.json',
    );
  }
  if ('$include' in hooks || ('$include' in config && hooks === undefined)) {
    throw new CliError(
      `the section "hooks" of ${asLine(path)} is in another file ($include)`,
      'put its content in place of the $include, in a copy, and import the copy',
    );
  }
  return { hooks, agents, variables: { ...ofSection(env), ...besides(path) } };
}

function parsed(path: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON5.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^JSON5: /, '') : String(error);
    throw new CliError(`${asLine(path)} cannot be read: ${asLine(reason)}`);
  }
  if (isSections(value)) return value;
  throw new CliError(`${asLine(path)} is no configuration: it must be one object`);
}

/** `env: {NAME: …, vars: {NAME: …}}` */
function ofSection(env: unknown): Environment {
  if (!isSections(env)) return {};
  const vars = isSections(env['vars']) ? env['vars'] : {};
  return Object.fromEntries(
    Object.entries({ ...env, ...vars }).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );
}

function besides(path: string): Environment {
  try {
    return parseEnv(readFileSync(join(dirname(path), '.env'), 'utf8'));
  } catch {
    return {};
  }
}
