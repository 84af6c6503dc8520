import { readFileSync } from 'node:fs';
import { HooksModule, hooksOpenApi } from '../../src/index.ts';
import type { OpenApiDocument } from '../../src/index.ts';
import { REJECTIONS, serviceOpenApi } from '../../src/hooks/index.ts';
import { assertDocumented } from '../support/documented-answers.ts';
import { given } from '../support/ingress-host.ts';
import { OperatedService } from '../support/operated-service.ts';

const SERVED = '/ops/api/openapi.json';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly security: readonly object[];
  readonly parameters?: readonly { readonly name: string; readonly description: string }[];
  readonly responses: Readonly<Record<string, { readonly description?: string }>>;
}

const text = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8');
const document = JSON.parse(text) as OpenApiDocument;
const operations = Object.entries(document.paths).flatMap(([path, verbs]) =>
  Object.values<Operation>({ ...verbs }).map((operation) => ({ path, ...operation })),
);

function dangling(part: OpenApiDocument): string[] {
  const all = JSON.stringify(part).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g);
  return Array.from(all)
    .filter(([, kind = '', name = '']) => part.components[kind]?.[name] === undefined)
    .map(([reference]) => reference);
}

describe('docs/openapi.json', () => {
  it('is OpenAPI 3.1, and every reference of it leads somewhere', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(dangling(document)).toEqual([]);
  });

  it('names every operation once, says what it does, and what each parameter is', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { summary, parameters = [] } of operations) {
      expect(summary).not.toBe('');
      for (const { description } of parameters) expect(description).not.toBe('');
    }
  });

  it('lets nobody into the operator API without the operator’s token or a login with it', () => {
    const guarded = operations.filter(
      ({ path }) => path.startsWith('/ops/') && path !== '/ops/api/session',
    );
    for (const { path, security } of guarded) {
      const scraper = path === '/ops/metrics' ? [{ metrics: [] }] : [];
      const operator = [{ operator: [] }, { console: [] }];
      expect({ path, security }).toEqual({ path, security: [...operator, ...scraper] });
    }
  });

  it('knows every code that a sender can be answered', () => {
    const asked = operations.filter(({ operationId }) =>
      /^(?:sendToMapping|tellRun)$/.test(operationId),
    );
    const told = asked.flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ description = '' }) => description.split(', ')),
    );
    const { method_not_allowed: _otherMethods, ...ofOurs } = REJECTIONS;
    expect(told).toEqual(expect.arrayContaining(Object.keys(ofOurs)));
  });
});

describe('GET /ops/api/openapi.json', () => {
  it('is the document', async () => {
    await using service = await OperatedService.start();
    expect(await service.get(SERVED)).toMatchObject({ status: 200, body: document });
  });

  it('has the hooks where they are served', () => {
    const paths = Object.keys(serviceOpenApi('gw/in/').paths);
    expect(paths).toEqual(expect.arrayContaining(['/gw/in/wake', '/gw/in/{name}', SERVED]));
    expect(paths.filter((path) => path.startsWith('/hooks'))).toEqual([]);
  });
});

describe('hooksOpenApi', () => {
  it('has the hooks alone, with all that they refer to', () => {
    const own = hooksOpenApi('/in');
    expect(Object.keys(own.paths)).toEqual([
      '/in/wake',
      '/in/agent',
      '/in/runs/{runId}',
      '/in/{name}',
    ]);
    expect(dangling(own)).toEqual([]);
    expect(Object.keys(own.components['securitySchemes'] ?? {})).toEqual([
      'hookToken',
      'hookTokenHeader',
      'hookTokenBasic',
    ]);
    expect(own.components['schemas']).not.toHaveProperty('EventDetails');
  });

  it('is the only way into the document of a host that uses @nestjs/swagger', () => {
    const { controllers = [] } = HooksModule.forRoot(given());
    const marks = controllers.map((it) => Reflect.getMetadata('swagger/apiExcludeController', it));
    expect(marks).toEqual(controllers.map(() => [true]));
  });
});

describe('a recorded answer', () => {
  const event = { id: 'e', hook: 'h', status: 'done', receivedAt: 't', mapping: null };
  const page = (...events: object[]) => JSON.stringify({ events, nextCursor: null });

  it.each([
    ['lacks a property', 200, page({ ...event, mapping: undefined })],
    ['has one too many', 200, page({ ...event, color: 'red' })],
    ['has a word that is none', 200, page({ ...event, status: 'gone' })],
    ['has a status that is not told of', 418, '{}'],
    ['has a code of another status', 400, '{"ok":false,"error":"No.","code":"unknown_event"}'],
  ])('that %s does not pass', (_, status, text) => {
    const check = () => assertDocumented('GET', '/ops/api/events?limit=1', { status, text });
    expect(check).toThrow('docs/openapi.json');
  });
});
