import { getMetadataStorage } from 'class-validator';
import type { ValidationError } from 'class-validator';
import { nearestKey } from './nearest-key.ts';

/** One mistake in the configuration: the key, and what to do. */
export interface Problem {
  /** Path of the key, e.g. `hooks.mappings[0].channel`. */
  readonly key: string;
  /** Continues the key to a sentence. */
  readonly message: string;
}

/** Every mistake at once. Nothing of the refused configuration was applied. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(readonly problems: readonly Problem[]) {
    super(
      `The configuration cannot be used:\n${problems.map(({ key, message }) => `  ${key} ${message}`).join('\n')}`,
    );
  }
}

/** Flattens class-validator's tree into key paths under `parent`: at most one mistake per key, the most basic one. */
export function problemsOf(errors: readonly ValidationError[], parent: string): Problem[] {
  return errors.flatMap((error) => {
    const key = pathOf(parent, error);
    const rules = new Map(Object.entries(error.constraints ?? {}));
    const wrongShape = SHAPES.find((rule) => isAboutTheWhole(rules.get(rule)));
    if (wrongShape === 'isArray') return [{ key, message: NO_ARRAY }];
    if (wrongShape !== undefined) {
      return [{ key, message: sentence(error.property, rules.get(wrongShape) ?? '') }];
    }
    return [...ownProblems(key, error, rules), ...problemsOf(error.children ?? [], key)];
  });
}

/** A list with one entry is written with brackets, too. */
export const NO_ARRAY = 'must be an array: […]';

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
  if (rule === 'whitelistValidation') {
    const message = `is not a known key; remove it or correct its spelling${suggestion(property, target)}`;
    return [{ key, message }];
  }
  if (rule === 'nestedValidation') return [{ key, message: 'must be an object' }];
  const perValue = isAboutTheWhole(message) ? undefined : PER_VALUE.get(rule);
  if (perValue === undefined) return [{ key, message: sentence(property, message) }];
  return entriesOf(value, key)
    .filter((entry) => !perValue.test(entry.value))
    .map((entry) => ({ key: entry.key, message: perValue.message }));
}

function suggestion(written: string, section: object | undefined): string {
  if (section === undefined) return '';
  const rules = getMetadataStorage().getTargetValidationMetadatas(
    section.constructor,
    '',
    true,
    false,
  );
  const nearest = nearestKey(
    written,
    rules.map(({ propertyName }) => propertyName),
  );
  return nearest === undefined ? '' : `, perhaps to ${nearest}`;
}

function entriesOf(value: unknown, key: string): { key: string; value: unknown }[] {
  if (value instanceof Map) {
    return [...value].map(([name, entry]) => ({ key: `${key}.${name}`, value: entry }));
  }
  const list: unknown[] = Array.isArray(value) ? value : [];
  return list.map((entry, index) => ({ key: `${key}[${index}]`, value: entry }));
}

function pathOf(parent: string, { property, target }: ValidationError): string {
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

/** A plain object, as JSON writes it. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The first mistake of each key. */
export function onePerKey(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>();
  return problems.filter(({ key }) => {
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** True: what mappings are compiled from has the right shape, so that more can be found out about them. */
export function areMappingsSound(problems: readonly Problem[]): boolean {
  return !problems.some(({ key }) =>
    /^hooks(\.mappings|\.presets|\.allowedSessionKeyPrefixes|\.transformsDir|$)/.test(key),
  );
}
