import { readFileSync } from 'node:fs';
import { defineCommand, JSON_OPTION } from '../command.ts';

/** Written from the options classes by `npm run docs:options`, and part of the package. */
const SCHEMA = new URL('../../../docs/gateway.schema.json', import.meta.url);

export const configSchema = defineCommand({
  name: 'schema',
  description: 'print the JSON Schema of gateway.json5, for editors',
  // A schema is JSON with and without the flag.
  options: [JSON_OPTION],
  examples: [
    [
      'hooks config schema > gateway.schema.json',
      "for $schema: './gateway.schema.json' at the top of gateway.json5",
    ],
  ],
  action({ terminal }) {
    terminal.printJson(JSON.parse(readFileSync(SCHEMA, 'utf8')));
  },
});
