import { readFileSync } from 'node:fs';
import { normalizePrefix } from '../options/index.ts';

/** Written by `npm run docs:api`, and part of the package; the hooks stand below {@link DEFAULT_PREFIX} there. */
const DOCUMENT = new URL('../../../docs/openapi.json', import.meta.url);
const DEFAULT_PREFIX = '/hooks/';
const REFERENCE = /"#\/components\/(\w+)\/(\w+)"/g;

/** An OpenAPI 3.1 document, as far as somebody needs to know it who merges two. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>>;
  /** Where it is served; absent where the host knows better. */
  readonly servers?: readonly { readonly url: string }[];
  /** Operations by path. */
  readonly paths: Readonly<Record<string, object>>;
  /** What the operations refer to, by kind (`schemas`, `securitySchemes`, `responses`) and name. */
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

/**
 * `wake`, `agent` and the mapped hooks of one ingress as an OpenAPI 3.1 document, for a host to merge into its own.
 * @param path of `forRoot`. @default '/hooks'
 */
export function hooksOpenApi(path = DEFAULT_PREFIX): OpenApiDocument {
  const { components, servers: _ofTheService, ...document } = serviceOpenApi(path);
  const prefix = `${normalizePrefix(path)}/`;
  const paths = Object.fromEntries(
    Object.entries(document.paths).filter(([route]) => route.startsWith(prefix)),
  );
  return { ...document, paths, components: componentsOf(paths, components) };
}

/** All that the standalone service serves: hooks, operator API, health. @param path `hooks.path` */
export function serviceOpenApi(path: string): OpenApiDocument {
  const document: OpenApiDocument = JSON.parse(readFileSync(DOCUMENT, 'utf8'));
  const prefix = `${normalizePrefix(path)}/`;
  const paths = Object.entries(document.paths).map(([route, operations]) => {
    const isHook = route.startsWith(DEFAULT_PREFIX);
    return [isHook ? prefix + route.slice(DEFAULT_PREFIX.length) : route, operations] as const;
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

function componentsOf(
  paths: OpenApiDocument['paths'],
  components: OpenApiDocument['components'],
): OpenApiDocument['components'] {
  const used: Record<string, Record<string, object>> = {};
  const collect = (part: object): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(REFERENCE)) {
      const component = components[kind]?.[name];
      if (component === undefined || used[kind]?.[name] !== undefined) continue;
      (used[kind] ??= {})[name] = component;
      collect(component);
    }
  };
  collect(paths);
  const proofs = Object.entries(components['securitySchemes'] ?? {}).filter(([name]) =>
    name.startsWith('hook'),
  );
  return { ...used, securitySchemes: Object.fromEntries(proofs) };
}
