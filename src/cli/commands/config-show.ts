import JSON5 from 'json5';
import { ConfigurationError } from '../../hooks/index.ts';
import { showConfiguration } from '../../service/index.ts';
import type { ShownConfiguration } from '../../service/index.ts';
import { JSON_OPTION, defineCommand } from '../command.ts';
import { asLines } from '../foreign-text.ts';

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
    if (inspection.problems.length > 0) throw new ConfigurationError(inspection.problems);
    const shown = showConfiguration(inspection, env);
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
