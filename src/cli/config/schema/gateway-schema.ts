import { SECTIONS } from '../../../standalone/sections.ts';
import { documentedKeys } from './documented-keys.ts';
import { REFERENCE } from './json-schema.ts';
import type { JsonSchema } from './json-schema.ts';
import { OptionsSchemas } from './options-schemas.ts';

/** The JSON Schema (2020-12) of gateway.json5, read from the options classes that check it and the page about them. */
export function gatewaySchema(): JsonSchema {
  const meanings = documentedKeys();
  const schemas = new OptionsSchemas(meanings);
  const sections = Object.entries(SECTIONS).map(([name, { options, parts = {} }]) => {
    const schema = schemas.of(options, name);
    for (const [part, ofPart] of Object.entries(parts)) {
      schemas.add(options, part, schemas.of(ofPart, placeOf(name, part, meanings)));
    }
    return [name, schema] as const;
  });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'gateway.json5 of nestjs-agent-hooks',
    type: 'object',
    properties: {
      $schema: { type: 'string', description: 'Where editors find this schema.' },
      ...Object.fromEntries(sections),
    },
    additionalProperties: false,
    $defs: { [REFERENCE]: VARIABLE, ...schemas.definitions },
  };
}

const VARIABLE: JsonSchema = {
  description: '${NAME}: taken from the environment or from .env.',
  type: 'string',
  pattern: String.raw`\$\{[A-Za-z_][A-Za-z0-9_]*\}`,
};

/** Where the page describes the keys of a part; several of one kind stand there once, as `channels.*`. */
function placeOf(section: string, part: string, meanings: ReadonlyMap<string, string>): string {
  const own = `${section}.${part}`;
  return [...meanings.keys()].some((key) => key.startsWith(`${own}.`)) ? own : `${section}.*`;
}
