import { Injectable } from '@nestjs/common';
import type { PipeTransform } from '@nestjs/common';
import { ValidationTypes, getMetadataStorage, validateSync } from 'class-validator';
import type { ValidatorConstraintInterface } from 'class-validator';
import type { HookRequest } from '../actions/hook-request.ts';
import { Rejection } from '../ports/rejection.ts';
import type { HookCall } from './hook-call.ts';
import { HookExchange } from './hook-exchange.ts';
import { parseQuery } from './request.ts';
import { BODY } from './steps.ts';

// Fields are tidied first (trimmed, blank and null absent), then checked; those that nobody reads become warnings, so
// that a sender may send more than we know. Pipes throw nothing: an exception could be caught or tried again by a
// host's interceptor.

interface Validated<T> {
  readonly value: T;
  readonly warnings: readonly string[];
}

export interface ValidRequest<T> extends Validated<T> {
  readonly request: HookRequest;
}

export interface Asked<T> {
  readonly call: HookCall;
  readonly query: T;
}

/** How the fields of a payload class are tidied before they are checked; blank and null always count as absent. */
export interface PayloadClass<T extends object> {
  new (): T;
  /** Fields kept exactly as sent; all other texts are trimmed. */
  readonly verbatim?: ReadonlySet<string>;
  readonly caseFolded?: ReadonlySet<string>;
}

const MAX_NAMED_FIELDS = 10;
const MAX_NAMED_LENGTH = 64;

/** Instead of a value, where a global pipe of the host's replaced the exchange: `HookRoute` has it from the reply. */
export class Unmade {
  constructor(readonly make: (exchange: HookExchange) => Promise<unknown>) {}
}

function from(given: unknown, make: Unmade['make']): Promise<unknown> | Unmade {
  return HookExchange.is(given) ? make(given) : new Unmade(make);
}

interface Parameter {
  readonly data?: unknown;
}

@Injectable()
export class HookRequestPipe implements PipeTransform {
  transform(given: unknown, { data }: Parameter): unknown {
    return from(given, async (exchange) => {
      const call = await exchange.read(BODY);
      return data === 'mapping' ? call?.mapping : call?.request;
    });
  }
}

/** Accepts by a loop over the class's own constraints; refuses by the real `validateSync` (docs/design/ingress.md). */
@Injectable()
export class HookValidationPipe implements PipeTransform {
  transform(given: unknown, { data }: Parameter): unknown {
    return from(given, (exchange) =>
      exchange.attempt(async (): Promise<ValidRequest<object> | undefined> => {
        if (!isPayloadClass(data)) throw new Error('this pipe belongs to IngressPayload');
        const request = (await exchange.read(BODY))?.request;
        return request && { request, ...validatePayload(request.payload, data) };
      }),
    );
  }
}

@Injectable()
export class HookQueryPipe implements PipeTransform {
  transform(given: unknown, { data }: Parameter): unknown {
    return from(given, (exchange) =>
      exchange.attempt((): Asked<object> => {
        if (!isPayloadClass(data)) throw new Error('this pipe belongs to IngressQuery');
        const { call } = exchange;
        return { call, query: validateQuery(parseQuery(call.question?.url ?? ''), data) };
      }),
    );
  }
}

function isPayloadClass(data: unknown): data is PayloadClass<object> {
  return typeof data === 'function';
}

/** @throws Rejection invalid_payload naming every wrong field. */
export function validatePayload<T extends object>(
  payload: unknown,
  dto: PayloadClass<T>,
): Validated<T> {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw new Rejection('invalid_payload', 'Send a JSON object');
  }
  const { fields, names } = compile(dto);
  const value = fill(dto, (field) =>
    Object.hasOwn(payload, field.property)
      ? tidy(dto, field, Reflect.get(payload, field.property))
      : undefined,
  );
  const warnings = unknownFields(payload, names);
  if (isAccepted(value, dto.name, fields)) return { value, warnings };
  throw new Rejection('invalid_payload', [complaints(value), ...warnings].join('; '));
}

/** Parameters that nobody reads are left alone. @throws Rejection invalid_query naming every wrong parameter. */
function validateQuery<T extends object>(
  query: Readonly<Record<string, string>>,
  dto: PayloadClass<T>,
): T {
  const value = fill(dto, ({ property, isText }) => {
    const given = query[property]?.trim() ?? '';
    if (given === '') return undefined;
    return !isText && /^-?\d+(?:\.\d+)?$/.test(given) ? Number(given) : given;
  });
  if (isAccepted(value, dto.name, compile(dto).fields)) return value;
  throw new Rejection('invalid_query', complaints(value));
}

function fill<T extends object>(
  dto: PayloadClass<T>,
  give: (field: FieldConstraints) => unknown,
): T {
  const value = new dto();
  for (const field of compile(dto).fields) {
    const given = give(field);
    if (given !== undefined) Reflect.set(value, field.property, given);
  }
  return value;
}

function tidy(
  dto: PayloadClass<object>,
  { property, isText }: FieldConstraints,
  given: unknown,
): unknown {
  if (given === null) return undefined;
  if (typeof given !== 'string' || !isText) return given;
  if (dto.verbatim?.has(property)) return given;
  const trimmed = given.trim();
  if (trimmed === '') return undefined;
  return dto.caseFolded?.has(property) ? trimmed.toLowerCase() : trimmed;
}

function isAccepted(
  object: object,
  targetName: string,
  fields: readonly FieldConstraints[],
): boolean {
  for (const { property, isOptional, rules } of fields) {
    const value: unknown = Reflect.get(object, property);
    if (isOptional && value === undefined) continue;
    for (const { instance, constraints } of rules) {
      const given = { value, object, property, targetName, constraints };
      if (instance.validate(value, given) !== true) return false;
    }
  }
  return true;
}

function unknownFields(payload: object, names: ReadonlySet<string>): readonly string[] {
  const unknown = Object.keys(payload).filter((name) => !names.has(name));
  if (unknown.length === 0) return unknown;
  const named = unknown
    .slice(0, MAX_NAMED_FIELDS)
    .map((name) => `unknown field ${printable(name)} ignored`);
  const rest = unknown.length - named.length;
  return rest === 0 ? named : [...named, `${rest} more unknown fields ignored`];
}

function printable(name: string): string {
  return name.replace(/[\p{C}\s]+/gu, ' ').slice(0, MAX_NAMED_LENGTH);
}

function complaints(value: object): string {
  const errors = validateSync(value, { forbidUnknownValues: false });
  return errors.flatMap(({ constraints }) => Object.values(constraints ?? {})).join('; ');
}

interface FieldConstraints {
  readonly property: string;
  readonly isOptional: boolean;
  /** False for a number or a boolean: blank text is then a wrong type and not an absent value. */
  readonly isText: boolean;
  readonly rules: readonly {
    readonly instance: ValidatorConstraintInterface;
    readonly constraints: unknown[];
  }[];
}

const NOT_TEXT: ReadonlySet<string> = new Set(['isBoolean', 'isInt', 'isNumber']);

type StoredMetadata = ReturnType<
  ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']
>[number];

/** @throws Error at start for metadata that a loop could not judge: nested, grouped, conditional or asynchronous. */
export function constraintsOf(dto: new () => object): readonly FieldConstraints[] {
  return compile(dto).fields;
}

interface CompiledClass {
  readonly fields: readonly FieldConstraints[];
  readonly names: ReadonlySet<string>;
}

const compiled = new WeakMap<new () => object, CompiledClass>();

function compile(dto: new () => object): CompiledClass {
  const known = compiled.get(dto);
  if (known !== undefined) return known;
  const all = getMetadataStorage().getTargetValidationMetadatas(dto, '', true, false);
  const byName = Map.groupBy(all, ({ propertyName }) => propertyName);
  const fields = [...byName].map(([property, metadata]) => ({
    property,
    isOptional: metadata.some(isOptionalMark),
    isText: !metadata.some(({ name = '' }) => NOT_TEXT.has(name)),
    rules: metadata
      .filter((entry) => !isOptionalMark(entry))
      .flatMap((entry) => instancesOf(dto, entry)),
  }));
  const result = { fields, names: new Set(byName.keys()) };
  compiled.set(dto, result);
  return result;
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
