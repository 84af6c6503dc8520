// The JSON Schema (2020-12) of gateway.json5: one definition per options class, for editors that complete and check it.
// What looks at several keys at once is left to `hooks config check`.
import { ValidatorSchemas } from './validator-schemas.mjs';

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
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'gateway.json5 of nestjs-agent-hooks',
    type: 'object',
    properties: {
      $schema: { type: 'string', description: 'Where editors find this schema.' },
      ...Object.fromEntries(sections.map(({ key, nested }) => [key, reference(nested.name)])),
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
  const own = VALIDATORS.merged(rules.filter(({ each }) => !each));
  const inner = VALIDATORS.merged(rules.filter(({ each }) => each));
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

/** A text of a certain form, or a variable that holds it. */
const VALIDATORS = new ValidatorSchemas((form) => ({ anyOf: [form, reference(REFERENCE)] }));
