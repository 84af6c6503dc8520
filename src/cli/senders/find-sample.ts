import { listSamples, presets, readSample } from '../../hooks/index.ts';
import type { Preset, Sample } from '../../hooks/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { asLine } from '../foreign-text.ts';
import { Prompts } from '../prompts.ts';
import type { Terminal } from '../terminal.ts';

/** How the samples of presets are named on a command line. */
export const SAMPLE_ARGUMENT = [
  '[sample]',
  "of a preset: one of its vendor's samples, such as issues.opened",
] as const;

/**
 * The sample of that name; without a name, the one that the person at the terminal chooses.
 * @param preset undefined: the hook is not that of a preset.
 * @param isAsking whether somebody may be asked.
 * @throws CliError that lists what there is
 */
export async function findSample(
  preset: Preset | undefined,
  name: string | undefined,
  { command, terminal, isAsking }: { command: string; terminal: Terminal; isAsking: boolean },
): Promise<{ preset: Preset; sample: Sample }> {
  if (preset === undefined) throw noSuchPreset();
  const names = listSamples(preset.id);
  const typed = (one: string): string => `${command} ${preset.id} ${one}`;
  const [first] = names;
  if (first === undefined) {
    const hint = 'Give a request of your own with --payload.';
    throw new CliError(`There is no sample for ${preset.id}.`, hint, EXIT.usage);
  }
  const chosen =
    name === undefined && isAsking
      ? await new Prompts(terminal).select(
          'Which sample?',
          names.map((one) => ({ value: one, label: one })),
        )
      : name;
  const sample = chosen === undefined ? undefined : readSample(preset.id, chosen);
  if (sample !== undefined) return { preset, sample };
  throw new CliError(
    chosen === undefined
      ? 'The sample is missing.'
      : `There is no sample ${asLine(chosen)} for ${preset.id}.`,
    names.map(typed).join('\n  '),
    EXIT.usage,
  );
}

function noSuchPreset(): CliError {
  const known = [...presets.keys()].filter((id) => listSamples(id).length > 0);
  return new CliError(
    'Samples belong to presets, and this is the hook of none.',
    `There are samples for ${known.join(', ')}; other hooks take a request of your own, with --payload.`,
    EXIT.usage,
  );
}
