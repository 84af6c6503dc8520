/** The part of JSON Schema 2020-12 that is used. */
export interface JsonSchema {
  $schema?: string;
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  title?: string;
  description?: string;
  default?: unknown;
  type?: string | string[];
  enum?: readonly unknown[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  anyOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema | false;
}

/** Name of the definition of `${NAME}`: any text may be taken from a variable. */
export const REFERENCE = 'reference';

/** A text of a certain form, or a variable that holds it. */
export function textOr(form: JsonSchema): JsonSchema {
  return { anyOf: [form, { $ref: `#/$defs/${REFERENCE}` }] };
}
