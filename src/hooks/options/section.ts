import { plainToInstance } from 'class-transformer';
import type { ClassConstructor } from 'class-transformer';
import { getMetadataStorage, validateSync } from 'class-validator';
import type { ValidationError } from 'class-validator';
import { isRecord } from '../../platform/objects.ts';
import { removedKey } from '../../platform/removed.ts';
import { OptionPlace } from './option.ts';
import { NO_ARRAY, nearestKey, onePerKey } from './problem.ts';
import type { Problem } from './problem.ts';
import { asUsed } from './secret-texts.ts';

/**
 * Reads one section of the configuration: takes out what no section may hold, fills in the defaults of its options
 * class, checks it, and turns what class-validator found into one sentence per key.
 * @param name where the section is written, e.g. `hooks.mail`: what the keys of its problems begin with.
 * @returns the section with every default, and everything that is wrong with it; with problems it may have any shape.
 */
export function resolveSection<T extends object>(
  section: ClassConstructor<T>,
  given: unknown,
  name: string,
): { value: T; problems: Problem[] } {
  const present = given ?? {};
  if (!isRecord(present)) {
    return { value: new section(), problems: [{ key: name, message: 'must be an object' }] };
  }
  const problems: Problem[] = [];
  const plain = cleanRecord(present, name, OptionPlace.of(section), problems);
  const value = plainToInstance(section, plain, { exposeDefaultValues: true });
  const errors = validateSync(value, { whitelist: true, forbidNonWhitelisted: true });
  return { value, problems: onePerKey([...problems, ...toProblems(errors, name)]) };
}

/**
 * Without options that are `null`, which is absence, and without what the checks behind it would overlook or trip over:
 * an entry that is `null`, and names that every object has already (`constructor`, `__proto__`, …). These are reported.
 */
function cleanRecord(
  record: Readonly<Record<string, unknown>>,
  key: string,
  place: OptionPlace,
  problems: Problem[],
): Readonly<Record<string, unknown>> {
  const kept = Object.entries(record).flatMap(([name, value]): [string, unknown][] => {
    const path = `${key}.${name}`;
    if (name in Object.prototype) {
      problems.push({ key: path, message: 'has a reserved name; remove it or use another name' });
      return [];
    }
    if (value === null && place.declares(name) && place.at(name).traits.guards !== true) return [];
    if (value === null) {
      problems.push({ key: path, message: 'must not be null; set a value or remove the key' });
      return [];
    }
    return [[name, clean(value, path, place.at(name), problems)]];
  });
  return Object.fromEntries(kept);
}

/** The same for whatever stands inside: lists entry by entry, objects as above, secrets as they are used. */
function clean(value: unknown, key: string, place: OptionPlace, problems: Problem[]): unknown {
  if (typeof value === 'string') return asUsed(value, place.traits);
  if (Array.isArray(value)) {
    return value.map((entry: unknown, index) =>
      clean(entry, `${key}[${index}]`, place.at(index), problems),
    );
  }
  return isRecord(value) && !(value instanceof Map)
    ? cleanRecord(value, key, place, problems)
    : value;
}

/** Flattens class-validator's tree into key paths under `parent`: at most one mistake per key, the most basic one. */
function toProblems(errors: readonly ValidationError[], parent: string): Problem[] {
  return errors.flatMap((error) => {
    const key = toKey(parent, error);
    const rules = new Map(Object.entries(error.constraints ?? {}));
    const wrongShape = SHAPES.find((rule) => isAboutTheWhole(rules.get(rule)));
    if (wrongShape === 'isArray') return [{ key, message: NO_ARRAY }];
    if (wrongShape !== undefined) {
      return [{ key, message: sentence(error.property, rules.get(wrongShape) ?? '') }];
    }
    return [...ownProblems(key, error, rules), ...toProblems(error.children ?? [], key)];
  });
}

/** Rules whose failure makes all others meaningless. */
const SHAPES = ['isArray', 'isInstance', 'isObject'];

/** Rules that class-validator judges per value without saying which value failed. */
const PER_VALUE = new Map<string, { test: (value: unknown) => boolean; message: string }>([
  ['isString', { test: (value) => typeof value === 'string', message: 'must be a string' }],
  ['isObject', { test: isRecord, message: 'must be an object' }],
]);

function isAboutTheWhole(message: string | undefined): message is string {
  return message !== undefined && !message.startsWith('each value in');
}

/** Decorators run from the lowest to the topmost, which is the one about the type. */
function ownProblems(
  key: string,
  { property, value, target }: ValidationError,
  rules: ReadonlyMap<string, string>,
): Problem[] {
  const [rule, message] = [...rules].at(-1) ?? [];
  if (rule === undefined || message === undefined) return [];
  const removed = removedKey(key, value);
  if (removed !== undefined) return [{ key, message: removed }];
  if (rule === 'whitelistValidation') {
    const message = `is not a known key; remove it or correct its spelling${suggestion(property, target)}`;
    return [{ key, message }];
  }
  if (rule === 'nestedValidation') return [{ key, message: 'must be an object' }];
  const perValue = isAboutTheWhole(message) ? undefined : PER_VALUE.get(rule);
  if (perValue === undefined) return [{ key, message: sentence(property, message) }];
  return listEntries(value, key)
    .filter((entry) => !perValue.test(entry.value))
    .map((entry) => ({ key: entry.key, message: perValue.message }));
}

function suggestion(written: string, section: object | undefined): string {
  if (section === undefined) return '';
  const { constructor } = section;
  const rules = getMetadataStorage().getTargetValidationMetadatas(constructor, '', true, false);
  const known = rules.map(({ propertyName }) => propertyName);
  const nearest = nearestKey(written, known);
  return nearest === undefined ? '' : `, perhaps to ${nearest}`;
}

function listEntries(value: unknown, key: string): { key: string; value: unknown }[] {
  if (value instanceof Map) {
    return [...value].map(([name, entry]) => ({ key: `${key}.${name}`, value: entry }));
  }
  const list: unknown[] = Array.isArray(value) ? value : [];
  return list.map((entry, index) => ({ key: `${key}[${index}]`, value: entry }));
}

function toKey(parent: string, { property, target }: ValidationError): string {
  const isIndex = Array.isArray(target) || (target === undefined && /^\d+$/.test(property));
  if (isIndex) return `${parent}[${property}]`;
  return parent === '' ? property : `${parent}.${property}`;
}

/** class-validator's words where they read well after a key, ours where they do not. */
function sentence(property: string, message: string): string {
  return message
    .replace(`each value in ${property} `, 'has a value that ')
    .replace(`${property} `, '')
    .replace('should not be', 'must not be')
    .replace('an integer number', 'a whole number')
    .replace('a boolean value', 'true or false')
    .replace('a number conforming to the specified constraints', 'a number')
    .replace('one of the following values: ', 'one of ');
}
