import { parseEnv } from 'node:util';
import JSON5 from 'json5';
import { ConfigurationError, resolveSection } from '../../hooks/index.ts';
import { isRecord } from '../../platform/objects.ts';
import { DOTENV_FILE, SECTIONS } from '../../service/index.ts';
import type { Environment, Inspection, Sections } from '../../service/index.ts';
import { JSON_OPTION, defineCommand } from '../command.ts';
import { maskSecrets } from '../config/secrets.ts';
import { asLines } from '../foreign-text.ts';

/** What is printed, as JSON or as JSON5 with comments. */
interface ShownConfiguration {
  readonly dir: string;
  /** Where a section comes from, the strongest last: `defaults`, `demo`, `gateway.json5`, `gateway.d/mail.json5`, `GATEWAY_PORT (environment)`. */
  readonly sources: Readonly<Record<string, readonly string[]>>;
  /** Where each variable that the files name comes from: `environment` or `.env`. */
  readonly variables: Readonly<Record<string, string>>;
  /** Every section with its defaults, without a secret. */
  readonly configuration: Readonly<Record<string, unknown>>;
}

const REFERENCE = /(?<!\$)\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;
/** Variables that win over the file. */
const ADDRESS = ['GATEWAY_HOST', 'GATEWAY_PORT'];

/**
 * The configuration in force: merged from all files, variables as references, defaults filled in, secrets masked.
 * While there are problems it fails with all of them.
 */
export const configShow = defineCommand({
  name: 'show',
  description: 'print the configuration with every default, without secrets',
  options: [JSON_OPTION],
  examples: [
    ['hooks config show', 'every section, and where it comes from'],
    ["hooks config show --json | jq '.configuration.hooks.mappings'", 'one part, for a program'],
  ],
  async action({ terminal, env, inspect }, { json = false }) {
    const inspection = await inspect();
    // While there are problems it is undecided what would hold.
    if (inspection.problems.length > 0) throw new ConfigurationError(inspection.problems);
    const { dir, sections, written, isDemo } = inspection;
    const shown: ShownConfiguration = {
      dir,
      sources: listSources(inspection, env),
      variables: listVariables(inspection, env),
      configuration: maskSecrets(withDefaults(sections), isDemo ? sections : written),
    };
    if (json) terminal.printJson(shown);
    else for (const line of asLines(asJson5(shown))) terminal.print(line);
  },
});

/** The same for a person, as JSON5 with a comment before each section. */
function asJson5({ dir, sources, variables, configuration }: ShownConfiguration): string {
  const sections = Object.entries(configuration).map(([name, section]) => {
    const text = JSON5.stringify(section, undefined, 2).replaceAll('\n', '\n  ');
    return `  // ${(sources[name] ?? []).join(', ')}\n  ${name}: ${text},`;
  });
  const origins = Object.entries(variables).map(([name, origin]) => `//   \${${name}}: ${origin}`);
  const head = [`// In force for a service started in ${dir}`, ...origins];
  return [...head, '{', ...sections, '}'].join('\n');
}

/** For each section who said something of it, the strongest last: defaults, files, the demo, the environment. */
function listSources(inspection: Inspection, processEnv: Environment): Record<string, string[]> {
  const { isDemo, sections, merged, env } = inspection;
  return Object.fromEntries(
    Object.keys(SECTIONS).map((name) => {
      const sources = ['defaults', ...merged.writersOf(name)];
      // The demo has no gateway section; one that is there holds what the environment said.
      if (isDemo && name !== 'gateway' && name in sections) sources.push('demo');
      const winners = name === 'gateway' ? ADDRESS.filter((variable) => isSet(env[variable])) : [];
      sources.push(...winners.map((name) => `${name} (${findOrigin(name, processEnv)})`));
      return [name, sources];
    }),
  );
}

/** The variables that the files refer to, as far as they are set, with where their values come from. */
function listVariables({ files }: Inspection, processEnv: Environment): Record<string, string> {
  const texts = [files.gateway ?? '', ...(files.fragments ?? []).map(({ text }) => text)];
  const names = texts.flatMap((text) =>
    Array.from(text.matchAll(REFERENCE), ([, name = '']) => name),
  );
  const dotenv = parseEnv(files.dotenv ?? '');
  return Object.fromEntries(
    [...new Set(names)]
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

/** Every section with its defaults, as plain data. The configuration has no problems. */
function withDefaults(sections: Sections): Record<string, Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(SECTIONS).map(([name, { options, parts = {} }]) => {
      const given = isRecord(sections[name]) ? sections[name] : {};
      const own = Object.entries(given).filter(([key]) => !(key in parts));
      const { value } = resolveSection(options, Object.fromEntries(own), name);
      const ofParts = Object.entries(parts)
        .filter(([part]) => given[part] !== undefined)
        .map(([part, ofPart]) => {
          const resolved = resolveSection(ofPart, given[part], `${name}.${part}`);
          return [part, toPlain(resolved.value)] as const;
        });
      return [name, { ...toPlain(value), ...Object.fromEntries(ofParts) }];
    }),
  );
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
