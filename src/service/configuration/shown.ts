import { parseEnv } from 'node:util';
import { optionKeys, resolveSection } from '../../hooks/index.ts';
import { isRecord } from '../../platform/objects.ts';
import type { Environment } from './environment.ts';
import { DOTENV_FILE } from './files.ts';
import type { Sections } from './files.ts';
import type { Inspection } from './inspect.ts';
import { maskSecrets } from './masking.ts';
import { interpolatedValues, variablesOf } from './secrets.ts';
import { ConfigurationOptions } from './sections.ts';

/** A configuration without its secrets: they are `***`, and variables are as they were written. */
export interface ShownConfiguration {
  /** The directory of the configuration. */
  readonly dir: string;
  /** Who says something of each section, the strongest last: `defaults`, `demo`, `gateway.json5`, `gateway.d/mail.json5`, `GATEWAY_PORT (environment)`. */
  readonly sources: Readonly<Record<string, readonly string[]>>;
  /** Where each variable that the files name comes from: `environment` or `.env`. */
  readonly variables: Readonly<Record<string, string>>;
  /** Every section with its defaults. */
  readonly configuration: Readonly<Record<string, unknown>>;
}

const DEMO = 'demo';

/** @param inspection without problems: while there are some it is undecided what would hold */
export function showConfiguration(
  inspection: Inspection,
  processEnv: Environment,
): ShownConfiguration {
  const { dir, sections, isDemo } = inspection;
  const known = interpolatedValues(inspection);
  return {
    dir,
    sources: listSources(inspection, processEnv),
    variables: listVariables(inspection, processEnv),
    configuration: maskSecrets(
      withDefaults(sections),
      isDemo ? sections : withoutOverridden(inspection),
      known,
    ),
  };
}

/** For each section who said something of it, the strongest last: defaults, files, the demo, the environment. */
function listSources(inspection: Inspection, processEnv: Environment): Record<string, string[]> {
  const { isDemo, sections, merged, overridden } = inspection;
  const overriding = [...overridden.values()].map(
    (variable) => `${variable} (${findOrigin(variable, processEnv)})`,
  );
  return Object.fromEntries(
    optionKeys(ConfigurationOptions).map((name) => {
      const sources = ['defaults', ...merged.writersOf(name)];
      // The demo has no gateway section; one that is there holds what the environment said.
      if (isDemo && name !== 'gateway' && name in sections) sources.push(DEMO);
      if (name === 'gateway') sources.push(...overriding);
      return [name, sources];
    }),
  );
}

/** What was written in `gateway`, as far as it holds. */
function withoutOverridden({ written, overridden }: Inspection): Sections {
  const { gateway } = written;
  if (!isRecord(gateway)) return written;
  const rest = Object.entries(gateway).filter(([name]) => !overridden.has(`gateway.${name}`));
  return { ...written, gateway: Object.fromEntries(rest) };
}

/** The variables that the files refer to, as far as they are set, with where their values come from. */
function listVariables({ files }: Inspection, processEnv: Environment): Record<string, string> {
  const dotenv = parseEnv(files.dotenv ?? '');
  return Object.fromEntries(
    variablesOf(files)
      .filter((name) => isSet(processEnv[name]) || isSet(dotenv[name]))
      .map((name) => [name, findOrigin(name, processEnv)]),
  );
}

/** A variable of the process wins over the same one in `.env`. */
function findOrigin(variable: string, processEnv: Environment): string {
  return processEnv[variable] === undefined ? DOTENV_FILE : 'environment';
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value.trim() !== '';
}

function withDefaults(sections: Sections): Record<string, unknown> {
  return toPlain(resolveSection(ConfigurationOptions, sections, '').value);
}

/** Options as data: maps as objects, keys without a value left out. */
function toPlain(options: object): Record<string, unknown> {
  const entries = options instanceof Map ? [...options] : Object.entries(options);
  return Object.fromEntries(
    entries
      .filter(([, value]) => value !== undefined)
      .map(([key, value]): [string, unknown] => [String(key), toPlainValue(value)]),
  );
}

function toPlainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlainValue);
  return typeof value === 'object' && value !== null ? toPlain(value) : value;
}
