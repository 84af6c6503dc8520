import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import JSON5 from 'json5';
import { getField, isRecord } from '../../platform/objects.ts';
import type { Environment, Sections } from '../../service/index.ts';
import { CliError } from '../cli-error.ts';
import { asLine } from '../foreign-text.ts';

/*
 * The configuration of an OpenClaw-style gateway, as far as `hooks import` reads it, and how its texts read here: its
 * variables, its templates, and the match of a mapping.
 */

/** The parts that concern hooks, as they are written there. */
export interface OpenClawConfig {
  readonly hooks: Sections;
  readonly agents: unknown;
  /** What its own `.env` and its `env` section set. */
  readonly variables: Environment;
}

/** Something that is not taken over as it was, or that a person should look at. */
export interface MigrationNote {
  /** Its key there. */
  readonly key: string;
  /** Why it is not taken over, or what became of it. Never holds a secret. */
  readonly reason: string;
  /** What to do about it; undefined: nothing. */
  readonly todo?: string;
}

/** Which requests a mapping takes there; undefined where a part is missing or blank. */
export interface OpenClawMatch {
  /** Without blanks and outer slashes. */
  readonly path: string | undefined;
  readonly source: string | undefined;
}

const REFERENCE = /\$(\$?)\{([A-Za-z_][A-Za-z0-9_]*)\}/g;
const THEIR_NAME = /^[A-Z_][A-Z0-9_]*$/;
const PLACEHOLDER = /\{\{\s*([^}]+?)\s*\}\}/g;

/** Reads such a configuration and the `.env` beside it. @throws CliError */
export function readOpenClawConfig(path: string): OpenClawConfig {
  const config = parseFile(path);
  const { hooks, agents, env } = config;
  if (!isRecord(hooks)) {
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
  return { hooks, agents, variables: { ...sectionVariables(env), ...dotenvVariables(path) } };
}

function parseFile(path: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON5.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^JSON5: /, '') : String(error);
    throw new CliError(`${asLine(path)} cannot be read: ${asLine(reason)}`);
  }
  if (isRecord(value)) return value;
  throw new CliError(`${asLine(path)} is no configuration: it must be one object`);
}

/** `env: {NAME: …, vars: {NAME: …}}` */
function sectionVariables(env: unknown): Environment {
  if (!isRecord(env)) return {};
  const vars = isRecord(env['vars']) ? env['vars'] : {};
  return Object.fromEntries(
    Object.entries({ ...env, ...vars }).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );
}

function dotenvVariables(path: string): Environment {
  try {
    return parseEnv(readFileSync(join(dirname(path), '.env'), 'utf8'));
  } catch {
    return {};
  }
}

/** The match of a mapping there. */
export function parseMatch(mapping: unknown): OpenClawMatch {
  const match = getField(mapping, 'match');
  if (!isRecord(match)) return { path: undefined, source: undefined };
  const path = trimmedText(match['path'])?.replace(/^\/+|\/+$/g, '');
  return { path: path === '' ? undefined : path, source: trimmedText(match['source']) };
}

/** The trimmed text; undefined when it is none, or blank. */
export function trimmedText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return text === '' ? undefined : text;
}

/**
 * A value of that configuration with texts that mean the same here: there only names in capitals are variables,
 * here any, so that others are escaped.
 */
export function migrateTexts(value: unknown): unknown {
  return mapTexts(value, (text) =>
    text.replace(REFERENCE, (written, _, name: string) =>
      THEIR_NAME.test(name) ? written : `$${written}`,
    ),
  );
}

/** A copy of a value in which every text is what `change` makes of it. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]),
  );
}

/** Names of the variables that a text, or the texts in a value, refer to. */
export function referencedNames(value: unknown): string[] {
  const text = JSON.stringify(value) ?? '';
  return [...text.matchAll(REFERENCE)].flatMap(([, escape, name]) =>
    escape === '' && name !== undefined ? [name] : [],
  );
}

/**
 * A template as one of ours. `item` and `index` mean the payload's own fields there, and so do what
 * stands below `path` and `now`.
 * @param fanOut the list that `forEach` names: there each action is shown a list of one, here its `item`.
 */
export function migrateTemplate(template: string, fanOut?: string): string {
  return template.replace(PLACEHOLDER, (written, path: string) => {
    const own = path.replace(/^payload\./, '');
    if (fanOut !== undefined && own.startsWith(`${fanOut}[0]`)) {
      return `{{ item${own.slice(fanOut.length + 3)} }}`;
    }
    const isOurs = /^(?:item|index)(?![^.[])|^(?:path|now)[.[]/.test(path);
    return isOurs ? `{{ payload.${path} }}` : written;
  });
}
