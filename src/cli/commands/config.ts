import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import JSON5 from 'json5';
import { ConfigurationError } from '../../hooks/index.ts';
import type { Problem } from '../../hooks/index.ts';
import { GATEWAY_FILE, showConfiguration } from '../../service/index.ts';
import type { ShownConfiguration } from '../../service/index.ts';
import { EXIT } from '../cli-error.ts';
import { JSON_OPTION, defineCommand } from '../command.ts';
import type { CommandGroup } from '../command.ts';
import { printProblems } from '../config/problem-lines.ts';
import { asLines } from '../foreign-text.ts';
import type { Terminal } from '../terminal.ts';

/* They read the files here and change none, open no ledger and make no token: safe beside a service, or before it. */

interface ConfigurationCheck {
  readonly ok: boolean;
  /** gateway.json5; null in the demo, which has none. */
  readonly file: string | null;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** Reads everything that the service would read, and changes nothing. Ends with 1 when there are problems; warnings alone are fine. */
const configCheck = defineCommand({
  name: 'check',
  description: 'say everything that is wrong with the configuration, and how to mend it',
  options: [JSON_OPTION],
  examples: [
    ['hooks config check', 'check gateway.json5 and .env in this directory'],
    ['GATEWAY_CONFIG_DIR=/etc/hooks hooks config check', 'check those of another directory'],
    ['hooks config check --json', 'the same for a program; exit code 1 when there are problems'],
  ],
  async action({ terminal, inspect }, { json = false }) {
    const { dir, isDemo, problems, warnings } = await inspect();
    const file = isDemo ? null : join(dir, GATEWAY_FILE);
    const check = { ok: problems.length === 0, file, problems, warnings };
    if (json) terminal.printJson(check);
    else show(check, terminal);
    if (!check.ok) terminal.exitCode = EXIT.failed;
  },
});

function show({ file, problems, warnings }: ConfigurationCheck, terminal: Terminal): void {
  const place = file ?? 'The demo (there is no gateway.json5)';
  const counts = [count(problems, 'problem'), count(warnings, 'warning')].filter(Boolean);
  terminal.print(`${place}: ${counts.length === 0 ? 'fine' : counts.join(', ')}`);
  printProblems({ problems, warnings }, terminal);
}

function count({ length }: readonly Problem[], word: string): string {
  if (length === 0) return '';
  return length === 1 ? `1 ${word}` : `${length} ${word}s`;
}

/** Merged, with secrets masked. While there are problems it fails with all of them. */
const configShow = defineCommand({
  name: 'show',
  description: 'print the configuration with every default, without secrets',
  options: [JSON_OPTION],
  examples: [
    ['hooks config show', 'every section, and where it comes from'],
    ["hooks config show --json | jq '.configuration.hooks.mappings'", 'one part, for a program'],
  ],
  async action({ terminal, env, inspect }, { json = false }) {
    const inspection = await inspect();
    if (inspection.problems.length > 0) throw new ConfigurationError(inspection.problems);
    const shown = showConfiguration(inspection, env);
    if (json) terminal.printJson(shown);
    else for (const line of asLines(asJson5(shown))) terminal.print(line);
  },
});

function asJson5({ dir, sources, variables, configuration }: ShownConfiguration): string {
  const sections = Object.entries(configuration).map(([name, section]) => {
    const text = JSON5.stringify(section, undefined, 2).replaceAll('\n', '\n  ');
    return `  // ${(sources[name] ?? []).join(', ')}\n  ${name}: ${text},`;
  });
  const origins = Object.entries(variables).map(([name, origin]) => `//   \${${name}}: ${origin}`);
  const head = [`// In force for a service started in ${dir}`, ...origins];
  return [...head, '{', ...sections, '}'].join('\n');
}

/** Written from the options classes by `npm run docs:options`, and part of the package. */
const SCHEMA = new URL('../../../docs/gateway.schema.json', import.meta.url);

const configSchema = defineCommand({
  name: 'schema',
  description: 'print the JSON Schema of gateway.json5, for editors',
  // A schema is JSON with and without the flag.
  options: [JSON_OPTION],
  examples: [
    [
      'hooks config schema > gateway.schema.json',
      "for $schema: './gateway.schema.json' at the top of gateway.json5",
    ],
  ],
  action({ terminal }) {
    terminal.printJson(JSON.parse(readFileSync(SCHEMA, 'utf8')));
  },
});

export const config: CommandGroup = {
  name: 'config',
  description: 'check or show the configuration',
  examples: [['hooks config check', 'say everything that is wrong with gateway.json5']],
  commands: [configCheck, configShow, configSchema],
};
