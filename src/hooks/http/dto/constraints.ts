import { ValidationTypes, getMetadataStorage } from 'class-validator';
import type { ValidatorConstraintInterface } from 'class-validator';

/** One field of a payload class, with class-validator's own constraint instances. */
export interface FieldConstraints {
  readonly property: string;
  readonly isOptional: boolean;
  /** False for a number or a boolean: blank text is then a wrong type and not an absent value. */
  readonly isText: boolean;
  readonly rules: readonly {
    readonly instance: ValidatorConstraintInterface;
    readonly constraints: unknown[];
  }[];
}

const NOT_TEXT: ReadonlySet<string> = new Set(['isBoolean', 'isNumber']);

type StoredMetadata = ReturnType<
  ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']
>[number];

/**
 * The constraints of a flat, synchronous class.
 * @throws Error at start for metadata that a plain loop could not judge: nested, grouped, conditional or asynchronous.
 */
export function constraintsOf(dto: new () => object): readonly FieldConstraints[] {
  const all = getMetadataStorage().getTargetValidationMetadatas(dto, '', true, false);
  return [...Map.groupBy(all, ({ propertyName }) => propertyName)].map(([property, metadata]) => ({
    property,
    isOptional: metadata.some(isOptionalMark),
    isText: !metadata.some(({ name = '' }) => NOT_TEXT.has(name)),
    rules: metadata
      .filter((entry) => !isOptionalMark(entry))
      .flatMap((entry) => instancesOf(dto, entry)),
  }));
}

function isOptionalMark({ type, name }: StoredMetadata): boolean {
  return type === ValidationTypes.CONDITIONAL_VALIDATION && name === 'isOptional';
}

function instancesOf(dto: new () => object, entry: StoredMetadata): FieldConstraints['rules'] {
  const where = `${dto.name}.${entry.propertyName}`;
  const isPlain = entry.type === ValidationTypes.CUSTOM_VALIDATION && !entry.each;
  if (!isPlain || (entry.groups ?? []).length > 0) {
    throw new Error(`${where} has validation that HookValidationPipe cannot judge: ${entry.type}`);
  }
  const constraints = getMetadataStorage().getTargetValidatorConstraints(entry.constraintCls);
  return constraints.map(({ async, instance }) => {
    if (async) throw new Error(`${where} has asynchronous validation`);
    return { instance, constraints: entry.constraints ?? [] };
  });
}
