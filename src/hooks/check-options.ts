import { compileMappings } from './ingest/mapping/compile.ts';
import { TransformCompiler } from './ingest/transform/transform-compiler.ts';
import { TransformModules } from './ingest/transform/transform-modules.ts';
import { TransformSandbox } from './ingest/transform/transform-sandbox.ts';
import { areMappingsSound, resolveOptions } from './options/index.ts';
import type { HooksSettingsInput, Resolution } from './options/index.ts';

/** Everything that is wrong with options, mappings, presets and transforms included, without putting them in force. */
export async function checkOptions(input: HooksSettingsInput): Promise<Resolution> {
  const resolution = resolveOptions(input);
  if (!areMappingsSound(resolution.problems)) return resolution;
  const { resolved } = resolution;
  const sandbox = new TransformSandbox(new TransformModules(new TransformCompiler()));
  const { problems, warnings } = compileMappings(resolved);
  const all = [...resolution.problems, ...problems, ...(await sandbox.check(resolved))];
  return {
    ...resolution,
    problems: all,
    warnings: all.length > 0 ? [] : [...resolution.warnings, ...warnings],
  };
}
