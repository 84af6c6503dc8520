import { Injectable } from '@nestjs/common';
import type { PipeTransform } from '@nestjs/common';
import { ValidationTypes, getMetadataStorage, validateSync } from 'class-validator';
import type { ValidatorConstraintInterface } from 'class-validator';
import type { HookRequest } from '../actions/hook-request.ts';
import { Rejection } from '../rejection.ts';
import { RequestContext } from './request-context.ts';
import { parseQuery } from './request.ts';

// What a handler is given: the request itself, its payload or its query, each checked against a class. Order within a
// request: fields are tidied first (trimmed, blank and null taken as absent, as the class says), then checked, and
// fields that nobody reads become warnings of the answer rather than refusals, so that a sender may send more than we
// know.
//
// Pipes throw nothing. What they refuse is the request's outcome: an exception could be caught, replaced or tried again
// by a host's interceptor, and the sender would then be told something else.

/** A payload that passed, and the fields of it that nobody reads. */
export interface Validated<T> {
  readonly value: T;
  readonly warnings: readonly string[];
}

/** A request whose payload passed. */
export interface ValidRequest<T> extends Validated<T> {
  readonly request: HookRequest;
}

/** How the fields of a payload class are tidied before they are checked; blank and null always count as absent. */
export interface PayloadClass<T extends object> {
  new (): T;
  /** Fields kept exactly as sent; all other texts are trimmed. */
  readonly verbatim?: ReadonlySet<string>;
  /** Fields compared in lower case. */
  readonly caseFolded?: ReadonlySet<string>;
}

const MAX_NAMED_FIELDS = 10;
const MAX_NAMED_LENGTH = 64;

/**
 * Gives a handler the request. Like its sibling below it takes the request itself, not the value that Nest hands on:
 * global pipes of the host's run before ours and may trim, rebuild or replace what they are given. A refusal becomes
 * the request's outcome, and the handler is not run.
 */
@Injectable()
export class HookRequestPipe implements PipeTransform<unknown, Promise<HookRequest | undefined>> {
  async transform(): Promise<HookRequest | undefined> {
    const context = RequestContext.current;
    try {
      return await context.read();
    } catch (error) {
      return context.fail(error);
    }
  }
}

/**
 * Checks the payload against its class-validator class, the one that `IngressPayload` names. Accepting loops over the
 * class's own constraint instances; refusing runs the real `validateSync`, so that messages are class-validator's by
 * construction (docs/design/ingress.md).
 */
@Injectable()
export class HookValidationPipe implements PipeTransform<
  unknown,
  Promise<ValidRequest<object> | undefined>
> {
  async transform(
    _value: unknown,
    { data }: { readonly data?: unknown },
  ): Promise<ValidRequest<object> | undefined> {
    const context = RequestContext.current;
    try {
      if (!isPayloadClass(data)) throw new Error('this pipe belongs to IngressPayload');
      const request = await context.read();
      const { value, warnings } = validatePayload(request.payload, data);
      return { request, value, warnings };
    } catch (error) {
      return context.fail(error);
    }
  }
}

/** Checks the query of a question against its class-validator class, the one that `IngressQuery` names. */
@Injectable()
export class HookQueryPipe implements PipeTransform<unknown, object | undefined> {
  transform(_value: unknown, { data }: { readonly data?: unknown }): object | undefined {
    const context = RequestContext.current;
    try {
      if (!isPayloadClass(data)) throw new Error('this pipe belongs to IngressQuery');
      return validateQuery(parseQuery(context.question?.url ?? ''), data);
    } catch (error) {
      return context.fail(error);
    }
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
export function validateQuery<T extends object>(
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

/** Fields of which nothing is given stay absent. */
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

/** One field of a payload class, with class-validator's own constraint instances. */
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

/**
 * The constraints of a flat, synchronous class.
 * @throws Error at start for metadata that a plain loop could not judge: nested, grouped, conditional or asynchronous.
 */
export function constraintsOf(dto: new () => object): readonly FieldConstraints[] {
  return compile(dto).fields;
}

/** A class as the loop judges it: looked up once. */
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
