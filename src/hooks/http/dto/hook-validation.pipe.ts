import type { PipeTransform } from '@nestjs/common';
import { validateSync } from 'class-validator';
import { Rejection } from '../../rejections/index.ts';
import { constraintsOf } from './constraints.ts';
import type { FieldConstraints } from './constraints.ts';
import type { PayloadClass } from './payload-dto.ts';

/** A payload that passed, and the fields of it that nobody reads. */
export interface Validated<T> {
  readonly value: T;
  readonly warnings: readonly string[];
}

const MAX_NAMED_FIELDS = 10;
const MAX_NAMED_LENGTH = 64;

/**
 * Checks a payload against its class-validator class. Accepting loops over the class's own constraint instances;
 * refusing runs the real `validateSync`, so that messages are class-validator's by construction (docs/decisions/0005).
 */
export class HookValidationPipe<T extends object> implements PipeTransform<unknown, Validated<T>> {
  readonly #fields: readonly FieldConstraints[];
  readonly #names: ReadonlySet<string>;

  constructor(private readonly dto: PayloadClass<T>) {
    this.#fields = constraintsOf(dto);
    this.#names = new Set(this.#fields.map(({ property }) => property));
  }

  /** @throws Rejection invalid_payload naming every wrong field. */
  transform(payload: unknown): Validated<T> {
    if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
      throw new Rejection('invalid_payload', 'Send a JSON object');
    }
    const value = new this.dto();
    for (const field of this.#fields) {
      const { property } = field;
      if (!Object.hasOwn(payload, property)) continue;
      const given = this.#tidy(field, Reflect.get(payload, property));
      if (given !== undefined) Reflect.set(value, property, given);
    }
    const warnings = this.#unknown(payload);
    if (this.#accepts(value)) return { value, warnings };
    throw new Rejection('invalid_payload', [complaints(value), ...warnings].join('; '));
  }

  #tidy({ property, isText }: FieldConstraints, given: unknown): unknown {
    if (given === null) return undefined;
    if (typeof given !== 'string' || !isText) return given;
    if (this.dto.verbatim?.has(property)) return given;
    const trimmed = given.trim();
    if (trimmed === '') return undefined;
    return this.dto.caseFolded?.has(property) ? trimmed.toLowerCase() : trimmed;
  }

  #accepts(object: T): boolean {
    const targetName = this.dto.name;
    return this.#fields.every(({ property, isOptional, rules }) => {
      const value: unknown = Reflect.get(object, property);
      if (isOptional && value === undefined) return true;
      return rules.every(
        ({ instance, constraints }) =>
          instance.validate(value, { value, object, property, targetName, constraints }) === true,
      );
    });
  }

  #unknown(payload: object): readonly string[] {
    const unknown = Object.keys(payload).filter((name) => !this.#names.has(name));
    if (unknown.length === 0) return unknown;
    const named = unknown
      .slice(0, MAX_NAMED_FIELDS)
      .map((name) => `unknown field ${printable(name)} ignored`);
    const rest = unknown.length - named.length;
    return rest === 0 ? named : [...named, `${rest} more unknown fields ignored`];
  }
}

function printable(name: string): string {
  return name.replace(/[\p{C}\s]+/gu, ' ').slice(0, MAX_NAMED_LENGTH);
}

function complaints(value: object): string {
  const errors = validateSync(value, { forbidUnknownValues: false });
  return errors.flatMap(({ constraints }) => Object.values(constraints ?? {})).join('; ');
}
