import { compilePathRules } from './http/path-rules.ts';
import { compileMappings } from './mappings/compile.ts';
import { MODULE_NAMES, renamed, resolveOptions } from './options/index.ts';
import type { HooksSettingsInput, OptionNames, Problem, Resolution } from './options/index.ts';
import { TransformCompiler } from './transforms/compiler.ts';
import { TransformModules } from './transforms/modules.ts';
import { TransformSandbox } from './transforms/sandbox.ts';

/**
 * Everything that is wrong with options, mappings, presets, signatures and transforms included, without putting them in
 * force: what the checks that `HooksSettings` is given say, for whoever has no module running.
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
