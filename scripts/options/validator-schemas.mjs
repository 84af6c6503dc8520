// What the validators of a property (class-validator) say as JSON Schema: for the keys of gateway.json5 and for the
// queries and bodies of the HTTP API.

const TEXT = { type: 'string' };
const WAITING_TIME = String.raw`^\d{1,5}(s|m|h|d)$`;
const TEXTS = { type: 'array', items: TEXT };
/** One line for each item of a list, or on a condition. */
const ASK_WHEN = { enum: [true, false, 'when-untrusted'] };
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

/**
 * What each validator says as JSON Schema; those that look at other keys say nothing.
 * @param {(form: object) => object} textOr what may stand where a text of that form may
 */
const rulesWith = (textOr) => ({
  isString: () => TEXT,
  isNotEmpty: () => ({ minLength: 1 }),
  maxLength: (most) => ({ maxLength: most }),
  isLength: (least, most) => ({ type: 'string', minLength: least, maxLength: most }),
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
  matches: (form) => matching(form, textOr),
  isUrl: () => textOr({ type: 'string', pattern: '^https?://' }),
  isPostgresUrl: () => textOr({ type: 'string', pattern: '^postgres(ql)?://' }),
  isTimeZone: () => TEXT,
  isIso8601: () => ({ type: 'string', examples: ['2026-01-31T08:00:00Z'] }),
  isTextOrLines: () => ({
    anyOf: [TEXT, { type: 'array', items: { anyOf: [TEXT, LIST_LINE] } }],
  }),
  areAddressRanges: () => TEXTS,
  isListenAddress: () => ({ anyOf: [{ type: 'integer', minimum: 0, maximum: 65_535 }, TEXT] }),
  texts: () => TEXTS,
  notEmpty: () => ({ minItems: 1 }),
  waitingTime: () => ({ type: 'string', pattern: WAITING_TIME }),
  lasts: () => ({ type: 'string', pattern: WAITING_TIME }),
  isTextByName: () => ({ type: 'object', additionalProperties: TEXT }),
  isMapping: () => ({ type: 'object', additionalProperties: true }),
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
  isApprove: () => ({
    anyOf: [
      { enum: ['run', 'tools', 'reply', false] },
      {
        type: 'object',
        properties: {
          run: ASK_WHEN,
          tools: {
            anyOf: [
              ASK_WHEN,
              {
                type: 'array',
                items: { type: 'string', pattern: String.raw`^[\w*-]{1,64}$` },
                minItems: 1,
                maxItems: 50,
              },
            ],
          },
          reply: ASK_WHEN,
          until: { type: 'string', pattern: WAITING_TIME },
          then: { enum: ['deny', 'expire'] },
          whileWaiting: { enum: ['continue', 'hold'] },
          approvers: { type: 'array', minItems: 1, items: { type: 'string' } },
        },
        additionalProperties: false,
      },
    ],
  }),
  isCharset: () => ({ type: 'string' }),
  isPrivate: () => ({ anyOf: [{ const: true }, { type: 'object' }] }),
  isEndpoint: () => ({
    anyOf: [
      { type: 'boolean' },
      {
        type: 'object',
        properties: { exposeReply: { type: 'boolean' } },
        required: ['exposeReply'],
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
  asksAtAll: nothing,
  belongsTo: nothing,
  needsKey: nothing,
  holdsSession: nothing,
  namesSession: nothing,
});

/** The schema of a property by its validators. */
export class ValidatorSchemas {
  #rules;

  /** @param {(form: object) => object} textOr what may stand where a text of a certain form may; by default only it */
  constructor(textOr = (form) => form) {
    this.#rules = rulesWith(textOr);
  }

  /** All of them at once. @throws Error for a validator that has no row above */
  merged(validators) {
    const schema = Object.assign({}, ...validators.map((validator) => this.#schemaOf(validator)));
    // A type beside alternatives would refuse some of them.
    if (schema.anyOf !== undefined) delete schema.type;
    return schema;
  }

  #schemaOf({ name, type, constraints }) {
    // Which keys may be absent, and those of nested options, are read elsewhere.
    if (['conditionalValidation', 'nestedValidation', 'whitelistValidation'].includes(type))
      return {};
    const rule = this.#rules[name ?? type];
    if (rule === undefined) throw new Error(`the JSON Schema has no row for the validator ${name}`);
    return rule(...(constraints ?? []));
  }
}

function matching(form, textOr) {
  if (form.flags.includes('i')) return TEXT;
  const text = { type: 'string', pattern: form.source };
  return form.test('${NAME}') ? text : textOr(text);
}
