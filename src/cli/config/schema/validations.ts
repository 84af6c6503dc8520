import { plainToInstance } from 'class-transformer';
import type { ClassConstructor } from 'class-transformer';
import { getMetadataStorage } from 'class-validator';

/** One validator on one key of an options class. */
export type Validation = ReturnType<
  ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']
>[number];

/** The keys of an options class with the validators of each, in the order of the source. */
export function validationsOf(
  options: ClassConstructor<object>,
): ReadonlyMap<string, readonly Validation[]> {
  const all = getMetadataStorage().getTargetValidationMetadatas(options, '', true, false);
  return Map.groupBy(all, ({ propertyName }) => propertyName);
}

/** The options class of a key that holds one, a list of them or a map of them; undefined for any other key. */
export function nestedOptions(
  options: ClassConstructor<object>,
  key: string,
  validations: readonly Validation[],
): ClassConstructor<object> | undefined {
  if (!validations.some(({ type }) => type === 'nestedValidation')) return undefined;
  // Only class-transformer knows the class. It tells by what it makes of an empty one.
  const tries = [{}, [{}], { entry: {} }].map((value) =>
    entryOf(Reflect.get(plainToInstance(options, { [key]: value }), key)),
  );
  return tries.find((made) => made !== undefined && made !== Object);
}

function entryOf(made: unknown): ClassConstructor<object> | undefined {
  const entry: unknown = made instanceof Map ? made.get('entry') : [made].flat()[0];
  if (typeof entry !== 'object' || entry === null) return undefined;
  const { constructor } = entry;
  return isOptions(constructor) ? constructor : undefined;
}

function isOptions(constructor: unknown): constructor is ClassConstructor<object> {
  return typeof constructor === 'function' && constructor !== Map;
}
