// How the payloads of our own endpoints are checked (docs/design/ingress.md): a loop over class-validator's constraints
// accepts them, its own `validateSync` refuses them. Fields are tidied first (trimmed, blank and null absent);
// unknown ones become warnings, so that a sender may send more than we know.
import { ValidationTypes, getMetadataStorage, validateSync } from 'class-validator';
import type { ValidationError, ValidatorConstraintInterface } from 'class-validator';
import { Rejection } from '../ports/rejection.ts';

const MAX_NAMED_FIELDS = 10;
const MAX_NAMED_LENGTH = 64;

export type PayloadClass<T extends object = object> = new () => T;

interface Field {
  readonly property: string;
  readonly isOptional: boolean;
  readonly tidy: (given: unknown) => unknown;
  readonly constraints: readonly {
    readonly instance: ValidatorConstraintInterface;
    readonly constraints: unknown[];
  }[];
}

interface PayloadRules {
  readonly code: 'invalid_payload' | 'invalid_query';
  readonly fields: readonly Field[];
  readonly names: ReadonlySet<string>;
}

const rules = new WeakMap<object, PayloadRules>();

interface Texts {
  /** Kept exactly as sent; all others are trimmed. */
  readonly verbatim?: readonly string[];
  readonly caseFolded?: readonly string[];
}

/** The class of a JSON body. @throws Error at start for validation that a loop could not judge. */
export function TidyBody({ verbatim = [], caseFolded = [] }: Texts = {}) {
  return (dto: PayloadClass): void =>
    compile(dto, 'invalid_payload', (property, isText) => {
      if (!isText || verbatim.includes(property)) return (given) => given ?? undefined;
      return caseFolded.includes(property) ? folded : trimmed;
    });
}

/** The class of a query, where numbers are texts, too. @throws Error as {@link TidyBody} */
export function TidyQuery() {
  return (dto: PayloadClass): void =>
    compile(dto, 'invalid_query', (_property, isText) => (isText ? trimmed : numeric));
}

function trimmed(given: unknown): unknown {
  return typeof given === 'string' ? given.trim() || undefined : (given ?? undefined);
}

function folded(given: unknown): unknown {
  const text = trimmed(given);
  return typeof text === 'string' ? text.toLowerCase() : text;
}

function numeric(given: unknown): unknown {
  const text = trimmed(given);
  return typeof text === 'string' && /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}

/** Whether it is a class of ours, marked by {@link TidyBody} or {@link TidyQuery}. */
export function isTidied(dto: PayloadClass): boolean {
  return rules.has(dto);
}

/** @throws Rejection invalid_payload or invalid_query, naming every wrong field. */
export function checkPayload<T extends object>(payload: unknown, dto: PayloadClass<T>): T {
  assertObject(payload);
  const { code, fields } = rulesOf(dto);
  const value = new dto();
  for (const { property, tidy } of fields) {
    const given = Object.hasOwn(payload, property) ? tidy(Reflect.get(payload, property)) : null;
    if (given !== undefined && given !== null) Reflect.set(value, property, given);
  }
  if (isAccepted(value, dto.name, fields)) return value;
  const unknown = code === 'invalid_payload' ? unknownFields(payload, dto) : [];
  const errors = validateSync(value, { forbidUnknownValues: false });
  throw new Rejection(code, [...complaints(errors), ...unknown].join('; '));
}

/** @throws Rejection invalid_payload */
export function assertObject(payload: unknown): asserts payload is object {
  if (typeof payload === 'object' && payload !== null && !Array.isArray(payload)) return;
  throw new Rejection('invalid_payload', 'Send a JSON object');
}

/** A warning for each unknown field, ten by name. */
export function unknownFields(payload: unknown, dto: PayloadClass): readonly string[] {
  const { names } = rulesOf(dto);
  const unknown = Object.keys(Object(payload)).filter((name) => !names.has(name));
  if (unknown.length === 0) return unknown;
  const named = unknown
    .slice(0, MAX_NAMED_FIELDS)
    .map((name) => `unknown field ${printable(name)} ignored`);
  const rest = unknown.length - named.length;
  return rest === 0 ? named : [...named, `${rest} more unknown fields ignored`];
}

/** What class-validator found, a sentence each; of a nested object with the path to it. */
export function complaints(errors: readonly ValidationError[], path = ''): string[] {
  return errors.flatMap(({ property, constraints = {}, children = [] }) => [
    ...Object.values(constraints).map((sentence) => path + sentence),
    ...complaints(children, `${path}${property}.`),
  ]);
}

/** Names of the fields, in the order of the class. */
export function fieldsOf(dto: PayloadClass): readonly string[] {
  return [...rulesOf(dto).names];
}

function isAccepted(object: object, targetName: string, fields: readonly Field[]): boolean {
  for (const { property, isOptional, constraints: all } of fields) {
    const value: unknown = Reflect.get(object, property);
    if (isOptional && value === undefined) continue;
    for (const { instance, constraints } of all) {
      const given = { value, object, property, targetName, constraints };
      if (instance.validate(value, given) !== true) return false;
    }
  }
  return true;
}

function printable(name: string): string {
  return name.replace(/[\p{C}\s]+/gu, ' ').slice(0, MAX_NAMED_LENGTH);
}

function rulesOf(dto: PayloadClass): PayloadRules {
  const found = rules.get(dto);
  if (found === undefined) throw new Error(`${dto.name} has neither TidyBody nor TidyQuery`);
  return found;
}

/** Of a number or a boolean, blank text is a wrong type and not an absent value. */
const NOT_TEXT: ReadonlySet<string> = new Set(['isBoolean', 'isInt', 'isNumber']);

type StoredMetadata = ReturnType<
  ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']
>[number];

/** @throws Error for metadata that a loop could not judge: nested, grouped, conditional or asynchronous. */
function compile(
  dto: PayloadClass,
  code: PayloadRules['code'],
  tidying: (property: string, isText: boolean) => Field['tidy'],
): void {
  const all = getMetadataStorage().getTargetValidationMetadatas(dto, '', true, false);
  const byName = Map.groupBy(all, ({ propertyName }) => propertyName);
  const fields = Array.from(byName, ([property, metadata]) => ({
    property,
    isOptional: metadata.some(isOptionalMark),
    tidy: tidying(property, !metadata.some(({ name = '' }) => NOT_TEXT.has(name))),
    constraints: metadata
      .filter((entry) => !isOptionalMark(entry))
      .flatMap((entry) => instancesOf(dto, entry)),
  }));
  rules.set(dto, { code, fields, names: new Set(byName.keys()) });
}

function isOptionalMark({ type, name }: StoredMetadata): boolean {
  return type === ValidationTypes.CONDITIONAL_VALIDATION && name === 'isOptional';
}

function instancesOf(dto: PayloadClass, entry: StoredMetadata): Field['constraints'] {
  const where = `${dto.name}.${entry.propertyName}`;
  const isPlain = entry.type === ValidationTypes.CUSTOM_VALIDATION && !entry.each;
  if (!isPlain || (entry.groups ?? []).length > 0) {
    throw new Error(`${where} has validation that a loop cannot judge: ${entry.type}`);
  }
  const constraints = getMetadataStorage().getTargetValidatorConstraints(entry.constraintCls);
  return constraints.map(({ async, instance }) => {
    if (async) throw new Error(`${where} has asynchronous validation`);
    return { instance, constraints: entry.constraints ?? [] };
  });
}
