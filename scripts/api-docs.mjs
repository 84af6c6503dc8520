// Writes docs/openapi.json: the hooks, the operator API and the health checks as OpenAPI 3.1, from the controllers, the
// classes of queries and bodies, and the types of answers; and docs/openapi.d.ts, the same as types for the console and
// the command line.
// With --check nothing is written; what is not up to date is named, and the exit code is 1.
import { readFileSync, writeFileSync } from 'node:fs';
import openapiTs, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { Operations } from './api/operations.mjs';
import { hookPaths } from './api/hook-paths.mjs';
import { TypeSchemas } from './api/type-schemas.mjs';
import { DeclaredOptions } from './options/declared-options.mjs';

const ROOT = new URL('../', import.meta.url);

const declared = DeclaredOptions.of(ROOT);
const schemas = new TypeSchemas(declared.checker, (file) => declared.sourceFiles.includes(file));
const ANSWERS = [
  'RejectedAnswer',
  'WakeAnswer',
  'RunAnswer',
  'DeliveryAnswer',
  'HandledAnswer',
  'SkippedAnswer',
  'LateAnswer',
];
for (const name of ['ErrorBody', ...ANSWERS, 'RunStatusAnswer', 'RunOutcomeAnswer']) {
  schemas.schemaOf(interfaceType(name));
}

const rejections = await declared.compiled('REJECTIONS');
const refusals = await declared.compiled('OPS_REFUSALS');
const operations = new Operations(declared, schemas, { refusals, rejections });
const paths = { ...(await hookPaths(declared, rejections)) };
for (const [path, verb, operation] of await operations.below('/service/ops/'))
  paths[path] = { ...paths[path], [verb]: operation };

const { version, license } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));
const bearer = (description) => ({ type: 'http', scheme: 'bearer', description });
const document = {
  openapi: '3.1.1',
  info: {
    title: 'nestjs-agent-hooks',
    version,
    license: { name: license, identifier: license },
    description:
      'Webhook ingress for AI-agent gateways. The hooks stand below `hooks.path` (here its default, /hooks); the operator API answers on loopback only unless `ops.exposed`.',
  },
  servers: [{ url: 'http://127.0.0.1:18790' }],
  paths,
  components: {
    schemas: schemas.components,
    responses: operations.responses,
    securitySchemes: {
      hookToken: bearer('`hooks.token`, or one of `hooks.tokens`.'),
      hookTokenHeader: { type: 'apiKey', in: 'header', name: 'x-gateway-token' },
      hookTokenBasic: {
        type: 'http',
        scheme: 'basic',
        description: 'Any name; the token is the password.',
      },
      operator: bearer('`gateway.auth.token`; the hook token is not taken.'),
      console: {
        type: 'apiKey',
        in: 'cookie',
        name: 'hooks_session',
        description:
          'Of `POST /ops/api/session`; `__Secure-hooks_session` behind TLS. Every call but GET and HEAD has the header `x-hooks-console: 1` and an `Origin` of its own.',
      },
      metrics: bearer('`ops.metricsToken`.'),
    },
  },
};

const types = astToString(await openapiTs(structuredClone(document)));
const written = [
  [new URL('docs/openapi.json', ROOT), `${JSON.stringify(document, undefined, 2)}\n`],
  [new URL('docs/openapi.d.ts', ROOT), `// Written by \`npm run docs:api\`.\n${types}`],
];
for (const [file, text] of written) {
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    process.stdout.write(`${file.pathname} is not up to date; run: npm run docs:api\n`);
    process.exitCode = 1;
  }
}

function interfaceType(name) {
  const [found] = declared.sourceFiles
    .flatMap(({ statements }) => statements.filter(ts.isInterfaceDeclaration))
    .filter((declaration) => declaration.name.text === name);
  return declared.checker.getTypeAtLocation(found);
}
