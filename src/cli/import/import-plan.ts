import { isDeepStrictEqual } from 'node:util';
import JSON5 from 'json5';
import type { Problem } from '../../hooks/index.ts';
import { getField } from '../../platform/objects.ts';
import {
  GATEWAY_FILE,
  expandVariables,
  inspectConfiguration,
  keptAsWritten,
  literal,
  maskSecrets,
  fragmentFile,
  readConfigurationFiles,
  withFragment,
} from '../../service/index.ts';
import type { ConfigurationFiles, Environment, Inspection } from '../../service/index.ts';
import { PlannedFiles, keyWithoutFile, toJson5 } from '../config/planned-files.ts';
import type { MigratedPart, Migration } from './migrate-hooks.ts';
import { mapTexts, parseMatch, referencedNames, trimmedText } from './openclaw-config.ts';
import type { MigrationNote } from './openclaw-config.ts';

/*
 * What `hooks import` writes: a fragment with everything that a fragment may say and, where there is no gateway.json5,
 * one with the settings. What is here already stays; what the service would refuse is left out, with the reason.
 */

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
  /** Variables of the other gateway whose values are written out. */
  readonly variables: readonly string[];
  readonly notes: readonly MigrationNote[];
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** Without these the rest would mean nothing: what is wrong with them is reported and not left out. */
const ESSENTIAL = new Set(['enabled', 'token', 'mappings', 'presets']);

/** Keys of `hooks` that no fragment may have: they are the operator's. */
const OPERATORS_OWN = new Set(['token', 'allowedAgentIds', 'allowedSessionKeyPrefixes']);

/** @throws ConfigurationError when a file cannot be read */
export async function readTarget(dir: string, env: Environment): Promise<ImportTarget> {
  const files = readConfigurationFiles(dir);
  const without = withFragment(files, IMPORT_FRAGMENT, undefined);
  return { files, others: await inspectConfiguration(dir, env, without) };
}

/** Works out what to write, leaving out what would be refused, one part at a time. @param env of the process */
export async function planImport(
  target: ImportTarget,
  { parts, variables, notes: found }: Migration,
  env: Environment,
): Promise<ImportPlan> {
  const notes = [...found];
  let kept = parts.filter((part) => {
    const note = noteAboutPresent(part, target, variables);
    if (note !== undefined && note !== 'same') notes.push(note);
    return note === undefined;
  });
  for (;;) {
    const files = plannedFiles(kept, target, variables);
    const { problems, warnings } = await files.inspect(env);
    const refused = firstRefused(problems, kept);
    if (refused !== undefined) {
      kept = kept.filter((part) => part !== refused.part);
      notes.push(noteAboutRefused(refused));
      continue;
    }
    const names = referencedNames(kept.map(({ value }) => value));
    const inlined = Object.keys(variables).filter((name) => names.includes(name));
    if (inlined.length > 0) notes.push(noteAboutValues(inlined));
    return { files, variables: inlined, notes, problems, warnings };
  }
}

/** Why a part is not written although nothing is wrong with it; `same`: it is here already, word for word. */
function noteAboutPresent(
  { kind, path, value }: MigratedPart,
  { files, others }: ImportTarget,
  variables: Environment,
): MigrationNote | 'same' | undefined {
  if (kind === 'append') return undefined;
  const key = path.join('.');
  const present = getField(others.sections, ...path);
  if (present !== undefined && !others.isDemo) {
    const wanted = expandVariables(value, { ...variables, ...others.env }).value;
    if (isDeepStrictEqual(present, wanted)) return 'same';
    const [file = GATEWAY_FILE] = others.merged.writersOf(key);
    const reason = `${file} says something else, which is left as it is`;
    return { key, reason, todo: `change ${key} there, if you want the other value` };
  }
  if (files.gateway === undefined || !OPERATORS_OWN.has(path[1])) return undefined;
  const reason = `can only stand in ${GATEWAY_FILE}, which is not edited`;
  return { key, reason, todo: `add to hooks there: ${path[1]}: ${ownValue(path[1], value)}` };
}

/** How the operator writes it; a token that is written out does not belong on a screen. */
function ownValue(key: string, value: unknown): string {
  const isSecret = key === 'token' && referencedNames(value).length === 0;
  if (isSecret) return "'${HOOK_TOKEN}', and HOOK_TOKEN=… with the same token to .env";
  return JSON5.stringify(value, { quote: "'" });
}

/** Settings go into a new gateway.json5, where a person changes them; everything else into the fragment. */
function plannedFiles(
  parts: readonly MigratedPart[],
  { files, others }: ImportTarget,
  variables: Readonly<Record<string, string>>,
): PlannedFiles {
  const isSetting = ({ kind, path }: MigratedPart): boolean => kind === 'set' && path[1] !== 'mail';
  const isNew = files.gateway === undefined;
  const settings = toSections(isNew ? parts.filter(isSetting) : []);
  const rest = toSections(isNew ? parts.filter((part) => !isSetting(part)) : parts);
  const withValues = (value: Record<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, inlineVariables(inner, variables)]),
    );
  const sections = withValues(rest);
  const fragment = {
    name: IMPORT_FRAGMENT,
    // Their configuration is a file like ours: what names a variable there does so here.
    sections: keptAsWritten(sections),
    shown: maskSecrets(sections, rest),
    command: COMMAND,
  };
  if (!isNew) return new PlannedFiles(others.dir, files, fragment, undefined);
  const own = withValues(settings);
  return new PlannedFiles(others.dir, files, fragment, {
    text: `${HEADER}${toJson5(own)}\n`,
    shown: `${HEADER}${toJson5(maskSecrets(own, settings))}\n`,
  });
}

function toSections(parts: readonly MigratedPart[]): Record<string, Record<string, unknown>> {
  const sections: Record<string, Record<string, unknown>> = {};
  for (const { kind, path, value } of parts) {
    const [name, key] = path;
    const section = (sections[name] ??= {});
    const before = section[key];
    if (kind === 'set') section[key] = value;
    else section[key] = [...(Array.isArray(before) ? before : []), value];
  }
  return sections;
}

/** The texts of a value with those variables replaced for good; others stay references. */
function inlineVariables(value: unknown, variables: Readonly<Record<string, string>>): unknown {
  return mapTexts(value, (text) =>
    text.replaceAll(/\$(\$?)\{(\w+)\}/g, (written, escape: string, name: string) => {
      const known = escape === '' && Object.hasOwn(variables, name) ? variables[name] : undefined;
      return known === undefined ? written : literal(known);
    }),
  );
}

interface Refused {
  readonly problem: Problem;
  readonly part: MigratedPart;
}

/** The part that is to blame for the first problem that leaving something out solves. */
function firstRefused(
  problems: readonly Problem[],
  parts: readonly MigratedPart[],
): Refused | undefined {
  for (const problem of problems) {
    const part = parts.find((part) => isToBlame(part, problem, parts));
    if (part !== undefined) return { problem, part };
  }
  return undefined;
}

function isToBlame(part: MigratedPart, problem: Problem, parts: readonly MigratedPart[]): boolean {
  // Once the variable is set, the rest is right, too.
  if (problem.message.startsWith('names the variable')) return false;
  const [section, name] = part.path;
  if (part.kind === 'append' && name === 'mappings') {
    const mappings = parts.filter(({ path }) => path[1] === 'mappings');
    return mappings[ownMapping(problem)] === part;
  }
  const key = keyWithoutFile(problem.key);
  if (key.startsWith('preset mail') && name === 'presets') return true;
  if (ESSENTIAL.has(name)) return false;
  return key === `${section}.${name}` || key.startsWith(`${section}.${name}.`);
}

/** Which mapping of the fragment a problem is about, or names as its cause; -1: none. */
function ownMapping({ key, message }: Problem): number {
  const place = `${fragmentFile(IMPORT_FRAGMENT)}: hooks.mappings[`;
  const text = [key, message].find((it) => it.includes(place)) ?? '';
  return Number.parseInt(text.slice(text.indexOf(place) + place.length), 10);
}

function noteAboutRefused({ problem, part: { path, value } }: Refused): MigrationNote {
  const key = keyWithoutFile(problem.key);
  const id = trimmedText(getField(value, 'id')) ?? parseMatch(value).path;
  const place = path.join('.') + (id === undefined ? '' : ` "${id}"`);
  const reason = `is left out, since it would be refused: ${key} ${problem.message}`;
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

function noteAboutValues(names: readonly string[]): MigrationNote {
  const values = names.length === 1 ? 'its value was' : 'their values were';
  const reason = `not set here, so ${values} copied from the other gateway`;
  return { key: names.join(', '), reason };
}
