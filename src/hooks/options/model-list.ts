import { ValidateBy } from 'class-validator';
import { isRecord } from './problem.ts';

/** `agents.defaults.models`: ids, or ids with an alias each. */
export type ModelList = readonly string[] | Readonly<Record<string, { alias?: string }>>;

function isIdList(list: ModelList): list is readonly string[] {
  return Array.isArray(list);
}

/** The allowed ids of a list in either form. */
export function modelIds(list: ModelList | undefined): readonly string[] {
  if (list === undefined) return [];
  return isIdList(list) ? list : Object.keys(list);
}

/** The aliases that a list in object form defines. */
export function modelAliases(list: ModelList | undefined): ReadonlyMap<string, string> {
  const aliases = new Map<string, string>();
  if (list === undefined || isIdList(list)) return aliases;
  for (const [id, entry] of Object.entries(list)) {
    if (entry.alias !== undefined) aliases.set(entry.alias, id);
  }
  return aliases;
}

/** The model that an alias of `models.aliases` or of the allowlist stands for, or the name itself. */
export function unaliased(
  name: string,
  aliases: ReadonlyMap<string, string>,
  list: ModelList | undefined,
): string {
  return aliases.get(name) ?? modelAliases(list).get(name) ?? name;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isModelEntry(entry: unknown): boolean {
  if (!isRecord(entry)) return false;
  return Object.entries(entry).every(([key, value]) => key === 'alias' && isText(value));
}

function isModelList(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isText);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).every(isModelEntry);
}

export function IsModelList(): PropertyDecorator {
  return ValidateBy({
    name: 'isModelList',
    validator: {
      validate: isModelList,
      defaultMessage: () =>
        'must be a list of model ids, or an object whose keys are model ids and whose values are {} or {alias: "name"}',
    },
  });
}
