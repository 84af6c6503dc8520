// Writes what docs/ says of the options from the classes that declare them: the tables of docs/configuration.md, and
// docs/gateway.schema.json, which `hooks config schema` prints.
// With --check nothing is written; what is not up to date is named, and the exit code is 1.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { DeclaredOptions } from './options/declared-options.mjs';
import { gatewayOptions } from './options/gateway-options.mjs';
import { gatewaySchema } from './options/json-schema.mjs';
import { withTables } from './options/option-tables.mjs';

const ROOT = new URL('../', import.meta.url);
const PAGE = new URL('docs/configuration.md', ROOT);
const SCHEMA = new URL('docs/gateway.schema.json', ROOT);

const options = await gatewayOptions(DeclaredOptions.of(ROOT));
const page = withTables(readFileSync(PAGE, 'utf8'), options);

const files = [
  [PAGE, await formatted(PAGE, page)],
  [SCHEMA, `${JSON.stringify(gatewaySchema(options), undefined, 2)}\n`],
];
for (const [file, text] of files) {
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    process.stdout.write(`${file.pathname} is not up to date; run: npm run docs:options\n`);
    process.exitCode = 1;
  }
}

async function formatted(file, text) {
  const filepath = fileURLToPath(file);
  return format(text, { ...(await resolveConfig(filepath)), filepath });
}
