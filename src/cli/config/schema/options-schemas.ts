import type { ClassConstructor } from 'class-transformer';
import type { JsonSchema } from './json-schema.ts';
import { ruleSchema } from './rules.ts';
import { nestedOptions, validationsOf } from './validations.ts';
import type { Validation } from './validations.ts';

/** Collects one definition per options class, from the validators and the defaults on its keys. */
export class OptionsSchemas {
  readonly definitions: Record<string, JsonSchema> = {};

  /** @param meanings what each key means, by its place: `hooks.mappings[].id`. */
  constructor(private readonly meanings: ReadonlyMap<string, string>) {}

  /** A reference to the definition of `options`, which is made when it is asked for first. */
  of(options: ClassConstructor<object>, place: string): JsonSchema {
    const definition = this.#definition(options);
    const required: string[] = [];
    const defaults = new options();
    for (const [key, validations] of validationsOf(options)) {
      const schema = this.#key(options, key, validations, `${place}.${key}`);
      const standard: unknown = Reflect.get(defaults, key);
      if (isPlain(standard)) schema.default = standard;
      // The same class may stand at several places, of which one is documented.
      const before = definition.properties?.[key]?.description;
      if (before !== undefined) schema.description = before;
      this.add(options, key, schema);
      if (standard === undefined && !isOptional(validations)) required.push(key);
    }
    if (required.length > 0) definition.required = required;
    return { $ref: `#/$defs/${options.name}` };
  }

  /** Puts one more key into the definition of `options`. */
  add(options: ClassConstructor<object>, key: string, schema: JsonSchema): void {
    const definition = this.#definition(options);
    definition.properties = { ...definition.properties, [key]: schema };
  }

  #definition(options: ClassConstructor<object>): JsonSchema {
    return (this.definitions[options.name] ??= { type: 'object', additionalProperties: false });
  }

  #key(
    options: ClassConstructor<object>,
    key: string,
    validations: readonly Validation[],
    place: string,
  ): JsonSchema {
    const own = merged(validations.filter(({ each }) => !each));
    const nested = nestedOptions(options, key, validations);
    const meaning = this.meanings.get(place);
    const description = meaning === undefined ? {} : { description: meaning };
    const rules = validations.filter(({ each }) => each);
    if (own.type === 'array') {
      const items = nested === undefined ? merged(rules) : this.of(nested, `${place}[]`);
      return { ...own, ...(isEmpty(items) ? {} : { items }), ...description };
    }
    if (nested !== undefined && rules.length === 0)
      return { ...this.of(nested, place), ...description };
    const entry = nested === undefined ? merged(rules) : this.of(nested, `${place}.*`);
    return { ...own, ...(isEmpty(entry) ? {} : { additionalProperties: entry }), ...description };
  }
}

function merged(validations: readonly Validation[]): JsonSchema {
  const schema: JsonSchema = {};
  for (const validation of validations) Object.assign(schema, ruleSchema(validation));
  // A type beside alternatives would refuse some of them.
  if (schema.anyOf !== undefined) delete schema.type;
  return schema;
}

function isOptional(validations: readonly Validation[]): boolean {
  return validations.some(({ type }) => type === 'conditionalValidation');
}

function isEmpty(schema: JsonSchema): boolean {
  return Object.keys(schema).length === 0;
}

function isPlain(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
