import JSON5 from 'json5';
import { ConfigurationError } from '../../../hooks/index.ts';
import type { Inspection } from '../../../standalone/inspect-configuration.ts';
import type { Environment } from '../../../standalone/variables.ts';
import { effectiveSections } from './effective-sections.ts';
import { masked } from './masking.ts';
import { sourcesOf, variablesOf } from './sources.ts';
import type { Sources } from './sources.ts';

/** What `hooks config show` says. */
export interface ShownConfiguration {
  readonly dir: string;
  readonly sources: Sources;
  /** Where each variable that gateway.json5 names comes from. */
  readonly variables: Readonly<Record<string, string>>;
  /** Every section with its defaults, without a secret. */
  readonly configuration: Readonly<Record<string, unknown>>;
}

/** @throws ConfigurationError while there are problems: nobody could say what would hold. */
export function shownConfiguration(
  inspection: Inspection,
  processEnv: Environment,
): ShownConfiguration {
  if (inspection.problems.length > 0) throw new ConfigurationError(inspection.problems);
  const { dir, sections, written, isDemo } = inspection;
  return {
    dir,
    sources: sourcesOf(inspection, processEnv),
    variables: variablesOf(inspection, processEnv),
    configuration: masked(effectiveSections(sections), isDemo ? sections : written),
  };
}

/** The same for a person, as JSON5 with a comment before each section. */
export function asJson5({ dir, sources, variables, configuration }: ShownConfiguration): string {
  const sections = Object.entries(configuration).map(([name, section]) => {
    const text = JSON5.stringify(section, undefined, 2).replaceAll('\n', '\n  ');
    return `  // ${(sources[name] ?? []).join(', ')}\n  ${name}: ${text},`;
  });
  const origins = Object.entries(variables).map(([name, origin]) => `//   \${${name}}: ${origin}`);
  const head = [`// In force for a service started in ${dir}`, ...origins];
  return [...head, '{', ...sections, '}'].join('\n');
}
