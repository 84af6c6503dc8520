import type { Preset } from '../../hooks/index.ts';
import {
  asWritten,
  maskSecrets,
  planSender,
  presentSender as present,
} from '../../service/index.ts';
import type { Environment, Inspection, PresentSender, SenderChange } from '../../service/index.ts';
import { PlannedFiles, recommendedGateway } from '../config/planned-files.ts';
import { explained } from './sender-tokens.ts';

/** @throws CliError when the fragment of that name is somebody else's */
export function presentSender(
  preset: Preset,
  here: Inspection,
  env: Environment,
): Promise<PresentSender> {
  return explained(preset.id, present(preset, here, env));
}

/** The files that make the change; nothing is written. A gateway.json5 is among them where there is none. */
export function plannedSender(
  preset: Preset,
  change: SenderChange,
  here: Inspection,
): PlannedFiles {
  const fragment = planSender(preset, change, here);
  const written = asWritten(fragment.sections);
  const shown = maskSecrets(written, written);
  const gateway =
    here.files.gateway === undefined ? recommendedGateway(here, 'hooks setup') : undefined;
  return new PlannedFiles(here.dir, here.files, [{ ...fragment, shown }], gateway);
}
