import type { MappingOptions, Problem, ResolvedHooksOptions } from '../../options/index.ts';
import type { CompiledMapping } from './compiled-mapping.ts';
import { MappingCompiler } from './mapping-compiler.ts';
import { presets } from './presets/index.ts';

/** The mappings of one configuration in the order they are tried, and what is wrong with it. */
export interface CompiledMappings {
  readonly mappings: readonly CompiledMapping[];
  readonly problems: readonly Problem[];
}

/** Configured mappings first, then the enabled presets; a mapping with a preset's id merges over it. */
export function compileMappings({ hooks }: ResolvedHooksOptions): CompiledMappings {
  const problems: Problem[] = hooks.presets
    .filter((name) => !presets.has(name))
    .map((name) => ({
      key: 'hooks.presets',
      message: `names an unknown preset "${name}"; known are ${[...presets.keys()].join(', ')}`,
    }));
  const enabled = [...new Set(hooks.presets)].flatMap((name) => presets.get(name) ?? []);
  const written = hooks.mappings.map((mapping, index) => ({
    key: `hooks.mappings[${index}]`,
    written: mapping,
    mapping: merged(
      enabled.find(({ id }) => id === mapping.id),
      mapping,
    ),
  }));
  const builtIn = enabled
    .filter(({ id }) => !hooks.mappings.some((mapping) => mapping.id === id))
    .map((mapping) => ({ key: `preset ${mapping.id}`, written: mapping, mapping }));
  const entries = [...written, ...builtIn];
  problems.push(...duplicateIds(entries));
  const compiler = new MappingCompiler(problems, hooks.allowedSessionKeyPrefixes ?? []);
  const mappings = entries.flatMap(
    ({ key, mapping, written }) => compiler.compile(key, mapping, written) ?? [],
  );
  return { mappings, problems };
}

function merged(preset: MappingOptions | undefined, mapping: MappingOptions): MappingOptions {
  const given = Object.entries(mapping).filter(([, value]) => value !== undefined);
  return Object.assign({}, preset, Object.fromEntries(given));
}

function duplicateIds(entries: readonly { key: string; mapping: MappingOptions }[]): Problem[] {
  const seen = new Set<string>();
  return entries.flatMap(({ key, mapping: { id } }) => {
    if (id === undefined || !seen.has(id)) {
      if (id !== undefined) seen.add(id);
      return [];
    }
    return [{ key: `${key}.id`, message: `"${id}" is used twice; give each mapping its own id` }];
  });
}
