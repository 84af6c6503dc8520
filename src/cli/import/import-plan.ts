import { isDeepStrictEqual } from 'node:util';
import type { Problem } from '../../hooks/index.ts';
import { getField, getText } from '../../platform/objects.ts';
import {
  GATEWAY_FILE,
  expandVariables,
  inspectConfiguration,
  keptAsWritten,
  maskSecrets,
  readConfigurationFiles,
  withFragment,
} from '../../service/index.ts';
import type { ConfigurationFiles, Environment, Inspection } from '../../service/index.ts';
import { PlannedFiles, keyWithoutFile, toJson5 } from '../config/planned-files.ts';
import type { MigratedPart, Migration } from './openclaw.ts';
import type { MigrationNote } from './openclaw-mapping.ts';

/** The fragment of `hooks import`: `gateway.d/import.json5`. */
export const IMPORT_FRAGMENT = 'import';

const COMMAND = 'hooks import';
const HEADER = `// Made by "${COMMAND}". docs/configuration.md has every key.\n`;

/** What is here before an import. */
export interface ImportTarget {
  /** With the fragment of an earlier import, if there is one. */
  readonly files: ConfigurationFiles;
  /** Everything but that fragment. */
  readonly others: Inspection;
}

/** Files that pass `hooks config check`, or the problems that only a person can solve. */
export interface ImportPlan {
  readonly files: PlannedFiles;
  readonly notes: readonly MigrationNote[];
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** @throws ConfigurationError when a file cannot be read */
export async function readTarget(dir: string, env: Environment): Promise<ImportTarget> {
  const files = readConfigurationFiles(dir);
  const without = withFragment(files, IMPORT_FRAGMENT, undefined);
  return { files, others: await inspectConfiguration(dir, env, without) };
}

/**
 * A fragment with everything that a fragment may say and, where there is no gateway.json5, one with the settings. What is
 * here already stays; a part with which the service would refuse the rest is left out, with the reason.
 * @param env of the process
 */
export async function planImport(
  target: ImportTarget,
  { parts, notes: found }: Migration,
  env: Environment,
): Promise<ImportPlan> {
  const notes = [...found];
  const kept: MigratedPart[] = [];
  let files = plannedFiles(kept, target);
  let { problems, warnings } = await files.inspect(env);
  for (const part of parts) {
    const present = noteAboutPresent(part, target);
    if (present !== undefined && present !== 'same') notes.push(present);
    if (present !== undefined) continue;
    const more = plannedFiles([...kept, part], target);
    const inspection = await more.inspect(env);
    const isKnown = (problem: Problem) => problems.some((it) => isDeepStrictEqual(it, problem));
    // Once a variable is set, the rest is right, too.
    const refusal = inspection.problems.find(
      (problem) => !isKnown(problem) && !problem.message.startsWith('names the variable'),
    );
    if (refusal === undefined) {
      kept.push(part);
      files = more;
      ({ problems, warnings } = inspection);
    } else notes.push(noteAbout(part, refusal));
  }
  return { files, notes, problems, warnings };
}

/** Why a part is not written although nothing is wrong with it; `same`: it is here already, variables replaced. */
function noteAboutPresent(
  { kind, key, value }: MigratedPart,
  { others }: ImportTarget,
): MigrationNote | 'same' | undefined {
  if (others.isDemo) return undefined;
  const present = getField(others.sections, 'hooks', key);
  const wanted = expandVariables(value, others.env).value;
  const values = kind === 'append' && Array.isArray(present) ? present : [present];
  if (values.some((it) => isDeepStrictEqual(it, wanted))) return 'same';
  if (kind === 'append' || present === undefined) return undefined;
  const [file = GATEWAY_FILE] = others.merged.writersOf(`hooks.${key}`);
  const reason = `${file} says something else, which is left as it is`;
  const todo = `change hooks.${key} there, if you want the other value`;
  return { key: `hooks.${key}`, reason, todo };
}

/** Settings go into a new gateway.json5, where a person changes them; everything else into the fragment. */
function plannedFiles(
  parts: readonly MigratedPart[],
  { files, others }: ImportTarget,
): PlannedFiles {
  const isNew = files.gateway === undefined;
  const settings = toSections(parts.filter(({ kind }) => isNew && kind === 'set'));
  const sections = toSections(parts.filter(({ kind }) => !isNew || kind === 'append'));
  const fragment = {
    name: IMPORT_FRAGMENT,
    // Their configuration is a file like ours: what names a variable there does so here.
    sections: keptAsWritten(sections),
    shown: maskSecrets(sections, sections),
    command: COMMAND,
  };
  const gateway = {
    text: `${HEADER}${toJson5(settings)}\n`,
    shown: `${HEADER}${toJson5(maskSecrets(settings, settings))}\n`,
  };
  return new PlannedFiles(others.dir, files, [fragment], isNew ? gateway : undefined);
}

function toSections(parts: readonly MigratedPart[]): Record<string, unknown> {
  const hooks: Record<string, unknown> = {};
  for (const { kind, key, value } of parts) {
    const before = hooks[key];
    hooks[key] = kind === 'set' ? value : [...(Array.isArray(before) ? before : []), value];
  }
  return parts.length === 0 ? {} : { hooks };
}

function noteAbout({ key, value }: MigratedPart, problem: Problem): MigrationNote {
  const id = getText(value, 'id') ?? getText(value, 'match', 'path');
  return {
    key: `hooks.${key}${id === undefined ? '' : ` "${id}"`}`,
    reason: `is left out, since it would be refused: ${keyWithoutFile(problem.key)} ${problem.message}`,
    todo: problem.key.endsWith('.transform.module')
      ? 'copy the module into the transforms directory, adapt it (docs/mappings.md), and run the import again'
      : 'add it by hand, corrected; or mend what keeps it out, and run the import again',
  };
}
