import { builtInHook } from '../actions/hook-request.ts';
import { compilePathRules } from '../http/path-rules.ts';
import type { PathRule } from '../http/path-rules.ts';
import { compileMappings } from '../mappings/compile.ts';
import {
  MODULE_NAMES,
  agentRuns,
  modelIds,
  renamed,
  resolveOptions,
  unaliased,
} from '../options/index.ts';
import type {
  HooksSettingsInput,
  OptionNames,
  Problem,
  Resolution,
  ResolvedHooksOptions,
} from '../options/index.ts';
import { TransformCompiler } from '../transforms/compiler.ts';
import { TransformModules } from '../transforms/modules.ts';
import { TransformSandbox } from '../transforms/transform-sandbox.ts';

/**
 * Everything that is wrong with options, mappings, presets, signatures and transforms included, without putting them in
 * force.
 */
export async function checkOptions(
  input: HooksSettingsInput,
  names: OptionNames = MODULE_NAMES,
): Promise<Resolution> {
  const resolution = resolveOptions(input, names);
  if (!resolution.areMappingsSound) return resolution;
  const { resolved } = resolution;
  const sandbox = new TransformSandbox(new TransformModules(new TransformCompiler()));
  const found = [compileMappings(resolved), compilePathRules(resolved)];
  const problems: Problem[] = [
    ...found.flatMap((one) => one.problems),
    ...(await sandbox.check(resolved)),
  ];
  const all = [...resolution.problems, ...renamed(problems, names)];
  const warnings = found.flatMap((one) => one.warnings);
  return {
    ...resolution,
    problems: all,
    warnings: all.length > 0 ? [] : [...resolution.warnings, ...renamed(warnings, names)],
  };
}

/** One way in. */
export interface ConfiguredHook {
  /** As stories name it: `wake`, `agent`, or a sub-path; null: every name that nothing else takes. */
  readonly name: string | null;
  /** Ids of the mappings that share it, in the order they are tried; none of the built-in ones. */
  readonly mappings: readonly string[];
  /** Class and method of the host's code that decide about its events; absent: its mappings do. */
  readonly handler?: string;
  /** What refusals are kept under. */
  readonly refusedAs: string;
  /** What its mappings say before the payload is known; absent: nothing. */
  readonly rule?: PathRule;
}

/** Every way in, the built-in ones first, then in the order of the mappings. Presets of a path are mappings like others. */
export function configuredHooks(settings: ResolvedHooksOptions): ConfiguredHook[] {
  const isReached = ({ path = '' }): boolean => builtInHook(path, settings) === undefined;
  const mappings = compileMappings(settings).mappings.filter(isReached);
  const { rules } = compilePathRules(settings);
  const builtIn = ['wake', 'agent'].filter((name) => builtInHook(name, settings) !== undefined);
  const mapped = [...Map.groupBy(mappings, ({ path }) => path)].map(([path, group]) => {
    const [first = '', ...others] = group.map(({ id }) => id);
    const rule = rules.get(path ?? '');
    const handler = group.find((one) => one.handler !== undefined)?.handler;
    return {
      name: path ?? null,
      mappings: [first, ...others],
      ...(handler !== undefined && { handler }),
      refusedAs: path === undefined || others.length === 0 ? first : path,
      ...(rule !== undefined && { rule }),
    };
  });
  return [...builtIn.map((name) => ({ name, mappings: [], refusedAs: name })), ...mapped];
}

/** Every model that is named, aliases resolved: by agents, by mappings, and as one that requests may ask for. */
export function configuredModels({ agents, models, hooks }: ResolvedHooksOptions): string[] {
  const named = [
    ...agentRuns(agents).map(({ model }) => model),
    ...hooks.mappings.map(({ model }) => model),
    ...modelIds(agents.defaults.models),
    ...models.aliases.values(),
  ];
  return named.flatMap((name) =>
    name === undefined ? [] : unaliased(name, models.aliases, agents.defaults.models),
  );
}
