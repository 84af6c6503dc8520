import { compileMappings } from './ingest/mapping/compile.ts';
import { areMappingsSound, resolveOptions } from './options/index.ts';
import type { HooksSettingsInput, Resolution } from './options/index.ts';

/** Everything that is wrong with options, mappings and presets included, without putting them in force. */
export function checkOptions(input: HooksSettingsInput): Resolution {
  const resolution = resolveOptions(input);
  if (!areMappingsSound(resolution.problems)) return resolution;
  const { problems, warnings } = compileMappings(resolution.resolved);
  const all = [...resolution.problems, ...problems];
  return {
    ...resolution,
    problems: all,
    warnings: all.length > 0 ? [] : [...resolution.warnings, ...warnings],
  };
}
