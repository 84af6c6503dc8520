import { SOLE_AGENT_ID, inMappings } from '../../options/index.ts';
import type { MappingOptions, Problem, ResolvedHooksOptions } from '../../options/index.ts';
import type { CompiledMapping } from './compiled-mapping.ts';
import { findsNothing } from './finds-nothing.ts';
import { MappingCompiler } from './mapping-compiler.ts';
import type { MappingEntry } from './mapping-entry.ts';
import { presets } from './presets/index.ts';
import type { Preset } from './presets/preset.ts';
import { RefusedAlways } from './refused-always.ts';
import { unknownAgents } from './unknown-agents.ts';
import { unreachable } from './unreachable.ts';

/** The mappings of one configuration in the order they are tried, and what is wrong with it. */
export interface CompiledMappings {
  readonly mappings: readonly CompiledMapping[];
  readonly problems: readonly Problem[];
  /** What works but cannot be meant: mappings that nothing reaches, agents that are not there, placeholders that find nothing. */
  readonly warnings: readonly Problem[];
}

/**
 * Configured mappings first, then the enabled presets; a mapping with a preset's id merges over it.
 * @param agentIds every agent, the default one first; absent: those of the `agents` section
 */
export function compileMappings(
  settings: ResolvedHooksOptions,
  agentIds: readonly string[] = configuredIds(settings),
): CompiledMappings {
  const { hooks } = settings;
  const entries = entriesOf(hooks);
  const problems = [...unknownPresets(hooks.presets), ...duplicateIds(entries)];
  const compiler = new MappingCompiler(problems, hooks.allowedSessionKeyPrefixes ?? []);
  const placed = entries.flatMap((entry) => {
    const compiled = compiler.compile(entry);
    return compiled === null ? [] : [{ entry, compiled }];
  });
  const refused = new RefusedAlways(settings, agentIds);
  problems.push(
    ...refused.ofDefaultSession(),
    ...placed.flatMap((mapping) => refused.problemsOf(mapping)),
  );
  return {
    mappings: placed.map(({ compiled }) => compiled),
    problems: inMappings(problems, hooks.mappings).map(withAdvice),
    warnings: [
      ...unreachable(placed),
      ...unknownAgents(settings, agentIds),
      ...placed.flatMap((mapping) => [...findsNothing(mapping), ...refused.warningsOf(mapping)]),
    ],
  };
}

function entriesOf({ mappings, presets: names }: ResolvedHooksOptions['hooks']): MappingEntry[] {
  const enabled = [...new Set(names)].flatMap((name) => presets.get(name) ?? []);
  const written = mappings.map((mapping, index) => ({
    key: `hooks.mappings[${index}]`,
    written: mapping,
    mapping: merged(
      enabled.find(({ id }) => id === mapping.id),
      mapping,
    ),
  }));
  const builtIn = enabled
    .filter(({ id }) => !mappings.some((mapping) => mapping.id === id))
    .map((preset) => ({ key: `preset ${preset.id}`, written: preset, mapping: preset }));
  return [...written, ...builtIn];
}

/** Field by field; a preset that is made a wake keeps its words. */
function merged(preset: Preset | undefined, mapping: MappingOptions): MappingOptions {
  const given = Object.entries(mapping).filter(([, value]) => value !== undefined);
  const words = mapping.action === 'wake' ? { textTemplate: preset?.messageTemplate } : {};
  return Object.assign({}, preset, words, Object.fromEntries(given));
}

function unknownPresets(names: readonly string[]): Problem[] {
  const known = [...presets.keys()].join(', ');
  return names
    .filter((name) => !presets.has(name))
    .map((name) => ({
      key: 'hooks.presets',
      message: `names an unknown preset "${name}"; known are ${known}`,
    }));
}

function duplicateIds(entries: readonly MappingEntry[]): Problem[] {
  const seen = new Set<string>();
  return entries.flatMap(({ key, mapping: { id } }) => {
    if (id === undefined || !seen.has(id)) {
      if (id !== undefined) seen.add(id);
      return [];
    }
    return [{ key: `${key}.id`, message: `"${id}" is used twice; give each mapping its own id` }];
  });
}

/** A preset cannot be edited; a mapping of its id can merge over it. */
function withAdvice({ key, message }: Problem): Problem {
  const [, id] = /^preset ([^.]+)\./u.exec(key) ?? [];
  return id === undefined
    ? { key, message }
    : { key, message: `${message}; set it in a mapping with the id ${id}` };
}

/** The `agents` section may be wrong itself: what is no agent there is left out here. */
function configuredIds({ agents }: ResolvedHooksOptions): readonly string[] {
  const list: readonly unknown[] = Array.isArray(agents.list) ? agents.list : [];
  const ids = list.map((entry) => idOf(entry, true)).concat(list.map((entry) => idOf(entry)));
  const known = ids.filter((id) => id !== undefined);
  return known.length > 0 ? known : [SOLE_AGENT_ID];
}

function idOf(entry: unknown, isDefault?: true): string | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  const id: unknown = Reflect.get(entry, 'id');
  const fits = isDefault === undefined || Reflect.get(entry, 'default') === true;
  return typeof id === 'string' && fits ? id.trim().toLowerCase() : undefined;
}
