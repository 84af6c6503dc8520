import { ConfigurationChange } from '../../standalone/editing/configuration-change.ts';
import type { ConfigurationWish } from '../../standalone/editing/configuration-change.ts';
import type { Edit } from '../../standalone/editing/json5-edit.ts';
import type { ConfigurationFiles } from '../../standalone/configuration-files.ts';
import type { Problem } from '../../hooks/index.ts';
import type { Environment } from '../../standalone/variables.ts';
import type { Note } from './note.ts';
import { isSections } from '../../standalone/json5-document.ts';
import { matchOf, textOf } from './reference-match.ts';
import type { Translation } from './translation.ts';

/** A change that passes `hooks config check`, or the problems that only a person can solve. */
export interface ImportPlan extends ConfigurationWish {
  readonly change: ConfigurationChange;
  readonly notes: readonly Note[];
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** What a gateway.json5 begins with where there is none. */
const TEMPLATE = '// Made by "hooks import". docs/configuration.md has every key.\n{}\n';

/** Without these the rest would mean nothing: what is wrong with them is told and not left out. */
const ESSENTIAL = new Set(['enabled', 'token', 'mappings', 'presets']);

/** Leaves out what the service would refuse, one thing at a time, each with the reason. */
export async function planImport(
  dir: string,
  before: ConfigurationFiles,
  { edits, variables, notes }: Translation,
  env: Environment,
): Promise<ImportPlan> {
  let kept = edits;
  const told = [...notes];
  for (;;) {
    const wish = { edits: kept, variables };
    const change = new ConfigurationChange(dir, before, wish, TEMPLATE);
    const { problems, warnings, written } = await change.inspect(env);
    const refused = firstRefused(problems, kept, mappingsIn(written['hooks']));
    if (refused === undefined) {
      return { change, edits: kept, variables, notes: told, problems, warnings };
    }
    kept = kept.filter((edit) => edit !== refused.edit);
    told.push(noteOf(refused));
  }
}

interface Refused {
  readonly problem: Problem;
  readonly edit: Edit;
}

/** The edit that is to blame for the first problem that leaving something out solves. */
function firstRefused(
  problems: readonly Problem[],
  edits: readonly Edit[],
  mappings: readonly unknown[],
): Refused | undefined {
  for (const problem of problems) {
    const edit = edits.find((edit) => isToBlame(edit, problem, mappings));
    if (edit !== undefined) return { problem, edit };
  }
  return undefined;
}

function isToBlame(edit: Edit, { key, message }: Problem, mappings: readonly unknown[]): boolean {
  // Whoever sets the variable has the rest, too.
  if (message.startsWith('names the variable')) return false;
  const [section = '', name = ''] = edit.path;
  if (edit.kind === 'append' && name === 'mappings') {
    const index = Number(/^hooks\.mappings\[(\d+)\]/.exec(key)?.[1] ?? -1);
    return JSON.stringify(mappings[index]) === JSON.stringify(edit.value);
  }
  if (key.startsWith('preset mail') && name === 'presets') return true;
  if (ESSENTIAL.has(name)) return false;
  return key === `${section}.${name}` || key.startsWith(`${section}.${name}.`);
}

function noteOf({ problem: { key, message }, edit: { path, value } }: Refused): Note {
  const name = isSections(value) ? (textOf(value['id']) ?? matchOf(value).path) : undefined;
  const place = path.join('.') + (name === undefined ? '' : ` "${name}"`);
  const reason = `is left out, since it would be refused: ${key} ${message}`;
  return { key: place, reason, todo: todoAbout(key) };
}

function todoAbout(key: string): string {
  if (key === 'hooks.transformsDir') {
    return 'copy its modules into the directory transforms beside gateway.json5, which needs no key';
  }
  return key.endsWith('.transform.module')
    ? 'copy the module into the transforms directory, adapt it (docs/mappings.md), and run the import again'
    : 'add it by hand, corrected';
}

function mappingsIn(hooks: unknown): readonly unknown[] {
  const mappings: unknown =
    typeof hooks === 'object' && hooks !== null && 'mappings' in hooks ? hooks.mappings : [];
  return Array.isArray(mappings) ? mappings : [];
}
