// The JSON Schema (2020-12) of gateway.json5: one definition per options class, for editors that complete and check it.
// What looks at several keys at once is left to `hooks config check`.

/** Name of the definition of `${NAME}`: any text may be taken from a variable. */
const REFERENCE = 'reference';

const VARIABLE = {
  description: '${NAME}: taken from the environment or from .env.',
  type: 'string',
  pattern: String.raw`\$\{[A-Za-z_][A-Za-z0-9_]*\}`,
};

export function gatewaySchema({ sections, classes }) {
  const definitions = Object.fromEntries(
    Array.from(classes, ([name, options]) => [name, definition(options)]),
  );
  for (const { options, parts = {} } of Object.values(sections)) {
    const own = definitions[options.name];
    const ofParts = Object.entries(parts).map(([part, { name }]) => [part, reference(name)]);
    own.properties = { ...own.properties, ...Object.fromEntries(ofParts) };
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'gateway.json5 of nestjs-agent-hooks',
    type: 'object',
    properties: {
      $schema: { type: 'string', description: 'Where editors find this schema.' },
      ...Object.fromEntries(
        Object.entries(sections).map(([name, { options }]) => [name, reference(options.name)]),
      ),
    },
    additionalProperties: false,
    $defs: { [REFERENCE]: VARIABLE, ...definitions },
  };
}

function definition(options) {
  const required = options.filter(({ isRequired }) => isRequired).map(({ key }) => key);
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(options.map((option) => [option.key, property(option)])),
    ...(required.length > 0 && { required }),
  };
}

function property({ doc, standard, nested, rules }) {
  const own = merged(rules.filter(({ each }) => !each));
  const inner = merged(rules.filter(({ each }) => each));
  return {
    ...shaped(own, inner, nested),
    ...(doc !== '' && { description: doc }),
    ...(isScalar(standard) && { default: standard }),
  };
}

function shaped(own, inner, nested) {
  if (nested?.shape === 'section') return reference(nested.name);
  const entry = nested === undefined ? inner : reference(nested.name);
  if (Object.keys(entry).length === 0) return own;
  return own.type === 'array' ? { ...own, items: entry } : { ...own, additionalProperties: entry };
}

function reference(name) {
  return { $ref: `#/$defs/${name}` };
}

function isScalar(value) {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function merged(rules) {
  const schema = Object.assign({}, ...rules.map(ruleSchema));
  // A type beside alternatives would refuse some of them.
  if (schema.anyOf !== undefined) delete schema.type;
  return schema;
}

/** A text of a certain form, or a variable that holds it. */
function textOr(form) {
  return { anyOf: [form, reference(REFERENCE)] };
}

const TEXT = { type: 'string' };
const TEXTS = { type: 'array', items: TEXT };
/** One line for each item of a list, or on a condition. */
const LIST_LINE = {
  type: 'object',
  properties: {
    each: TEXT,
    line: TEXT,
    most: { type: 'integer', minimum: 1, maximum: 1000 },
    when: { type: 'object' },
  },
  required: ['line'],
  anyOf: [{ required: ['each'] }, { required: ['when'] }],
  dependentRequired: { most: ['each'] },
  additionalProperties: false,
};
const nothing = () => ({});

/** What each validator of the options says as JSON Schema; those that look at other keys say nothing. */
const RULES = {
  isString: () => TEXT,
  isNotEmpty: () => ({ minLength: 1 }),
  maxLength: (most) => ({ maxLength: most }),
  isBoolean: () => ({ type: 'boolean' }),
  isInt: () => ({ type: 'integer' }),
  isNumber: () => ({ type: 'number' }),
  isPositive: () => ({ exclusiveMinimum: 0 }),
  min: (least) => ({ minimum: least }),
  max: (most) => ({ maximum: most }),
  isArray: () => ({ type: 'array' }),
  arrayMinSize: (fewest) => ({ minItems: fewest }),
  arrayMaxSize: (most) => ({ maxItems: most }),
  arrayUnique: () => ({ uniqueItems: true }),
  isObject: () => ({ type: 'object' }),
  isInstance: () => ({ type: 'object' }),
  isIn: (values) => textOr({ enum: values }),
  matches: (form) => matching(form),
  isUrl: () => textOr({ type: 'string', pattern: '^https?://' }),
  isTimeZone: () => TEXT,
  isTextOrLines: () => ({
    anyOf: [TEXT, { type: 'array', items: { anyOf: [TEXT, LIST_LINE] } }],
  }),
  areAddressRanges: () => TEXTS,
  texts: () => TEXTS,
  headers: () => ({ additionalProperties: TEXT }),
  isNotify: () => ({
    anyOf: [
      { const: false },
      {
        type: 'object',
        properties: {
          channel: { type: 'string', pattern: '^chan_[1-8]$' },
          to: { type: 'string', minLength: 1 },
        },
        required: ['channel'],
        additionalProperties: false,
      },
    ],
  }),
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
  belongsTo: nothing,
  needsKey: nothing,
  holdsSession: nothing,
  namesSession: nothing,
};

function matching(form) {
  if (form.flags.includes('i')) return TEXT;
  const text = { type: 'string', pattern: form.source };
  return form.test('${NAME}') ? text : textOr(text);
}

/** @throws Error for a validator that has no row above. */
function ruleSchema({ name, type, constraints }) {
  // Which keys may be absent, and those of nested options, are read elsewhere.
  if (type === 'conditionalValidation' || type === 'nestedValidation') return {};
  const rule = RULES[name ?? type];
  if (rule === undefined) throw new Error(`the JSON Schema has no row for the validator ${name}`);
  return rule(...(constraints ?? []));
}
