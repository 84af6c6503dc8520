import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { isRecord, parseJson } from '../../src/platform/objects.ts';
import { SERVICE_REFUSALS } from '../../src/service/refusals.ts';

interface Operation {
  readonly responses: Readonly<
    Record<string, { readonly $ref?: string; readonly content?: object }>
  >;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly responses: Readonly<Record<string, { readonly content?: object }>>;
  };
}

const ID = 'openapi.json';
/** Answered before it is known what is asked for; of no operation. */
const OF_THE_SERVER = new Set(Object.keys(SERVICE_REFUSALS));
const LONGEST_SHOWN = 2000;

const document = JSON.parse(
  readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'),
) as OpenApi;
const routes = Object.keys(document.paths).map((path) => ({ path, form: formOf(path) }));
const compiled = new Map<string, ValidateFunction>();
let ajv: Ajv2020 | undefined;

/** @throws Error when docs/openapi.json lacks something of this answer, or the answer something of it */
export function assertDocumented(
  method: string,
  url: string,
  { status, text }: { readonly status: number; readonly text: string },
): void {
  const [target = ''] = url.split('?');
  // The most literal one: `/events/retry` is not `/events/{id}`.
  const route = routes
    .filter(({ path, form }) => form.test(target) && method.toLowerCase() in document.paths[path]!)
    .toSorted((one, other) => one.path.split('{').length - other.path.split('{').length)[0]?.path;
  const operation = document.paths[route ?? '']?.[method.toLowerCase()];
  const body = parseJson(text);
  const code = isRecord(body) ? String(body['code']) : '';
  if (OF_THE_SERVER.has(code) && code !== 'internal_error') return;
  if (route === undefined || operation === undefined) {
    throw new Error(`${method} ${target} is not in docs/openapi.json`);
  }
  const known = operation.responses[status] === undefined ? 'default' : String(status);
  const response = operation.responses[known];
  const name = `${method} ${route} ${status}`;
  if (response === undefined) throw new Error(`docs/openapi.json does not know ${name}: ${text}`);
  const at =
    response.$ref ?? `#/paths/${escaped(route)}/${method.toLowerCase()}/responses/${known}`;
  const { content } = (response.$ref === undefined ? response : resolved(response.$ref)) as {
    readonly content?: object;
  };
  if (content === undefined) {
    if (text !== '') throw new Error(`docs/openapi.json knows no body of ${name}: ${text}`);
    return;
  }
  if (!('application/json' in content)) return;
  const validate = validator(`${at}/content/application~1json/schema`);
  if (validate(body)) return;
  const errors = validate.errors?.map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
  throw new Error(
    `${name} is not as docs/openapi.json says: ${errors?.join('; ')}\n${text.slice(0, LONGEST_SHOWN)}`,
  );
}

function validator(pointer: string): ValidateFunction {
  ajv ??= new Ajv2020({ allErrors: true, strict: false }).addSchema(closed(document), ID);
  const known = compiled.get(pointer) ?? ajv.compile({ $ref: `${ID}${encodeURI(pointer)}` });
  compiled.set(pointer, known);
  return known;
}

/** Clients have to bear properties they do not know; a test does not. */
function closed(value: unknown): object {
  return JSON.parse(JSON.stringify(value), (_key, part: unknown) => {
    if (!isRecord(part) || part['type'] !== 'object' || !isRecord(part['properties'])) return part;
    return { additionalProperties: false, ...part };
  }) as object;
}

function resolved(pointer: string): object | undefined {
  return document.components.responses[pointer.split('/').at(-1) ?? ''];
}

function escaped(path: string): string {
  return path.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** A name of a hook may have slashes, an id has none. */
function formOf(path: string): RegExp {
  const parts = path.split(/\{\w+\}/).map((part) => RegExp.escape(part));
  return new RegExp(`^${parts.join(path.startsWith('/hooks/') ? '.+' : '[^/]+')}$`);
}
