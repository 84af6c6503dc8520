import type { Validation } from './validations.ts';
import { textOr } from './json-schema.ts';
import type { JsonSchema } from './json-schema.ts';

type Rule = (constraints: readonly unknown[]) => JsonSchema;

const TEXT: JsonSchema = { type: 'string' };
const TEXTS: JsonSchema = { type: 'array', items: TEXT };
const NOTHING: Rule = () => ({});

/**
 * What each validator of the options says as JSON Schema. Those that look at other keys say nothing: the schema helps
 * while writing, `hooks config check` decides.
 */
const RULES: Readonly<Record<string, Rule>> = {
  isString: () => TEXT,
  isNotEmpty: () => ({ minLength: 1 }),
  maxLength: ([most]) => ({ maxLength: Number(most) }),
  isBoolean: () => ({ type: 'boolean' }),
  isInt: () => ({ type: 'integer' }),
  isNumber: () => ({ type: 'number' }),
  isPositive: () => ({ exclusiveMinimum: 0 }),
  min: ([least]) => ({ minimum: Number(least) }),
  max: ([most]) => ({ maximum: Number(most) }),
  isArray: () => ({ type: 'array' }),
  arrayMinSize: ([fewest]) => ({ minItems: Number(fewest) }),
  arrayMaxSize: ([most]) => ({ maxItems: Number(most) }),
  arrayUnique: () => ({ uniqueItems: true }),
  isObject: () => ({ type: 'object' }),
  isInstance: () => ({ type: 'object' }),
  isIn: ([values]) => textOr({ enum: Array.isArray(values) ? values : [] }),
  matches: ([form]) => (form instanceof RegExp ? matching(form) : TEXT),
  isUrl: () => textOr({ type: 'string', pattern: '^https?://' }),
  isTimeZone: () => TEXT,
  isTextOrLines: () => ({ anyOf: [TEXT, TEXTS] }),
  areAddressRanges: () => TEXTS,
  texts: () => TEXTS,
  headers: () => ({ additionalProperties: TEXT }),
  isModelList: () => ({
    anyOf: [
      TEXTS,
      {
        type: 'object',
        additionalProperties: {
          type: 'object',
          properties: { alias: TEXT },
          additionalProperties: false,
        },
      },
    ],
  }),
  belongsTo: NOTHING,
  needsKey: NOTHING,
  holdsSession: NOTHING,
};

function matching(form: RegExp): JsonSchema {
  if (form.flags.includes('i')) return TEXT;
  const text = { type: 'string', pattern: form.source };
  return form.test('${NAME}') ? text : textOr(text);
}

/** @throws Error for a validator that has no row here. */
export function ruleSchema({ name, type, constraints }: Validation): JsonSchema {
  // Which keys may be absent, and those of nested options, are read elsewhere.
  if (type === 'conditionalValidation' || type === 'nestedValidation') return {};
  const known = name ?? type;
  const rule = RULES[known];
  if (rule === undefined) throw new Error(`the JSON Schema has no row for the validator ${known}`);
  return rule(constraints ?? []);
}
