import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenApiDocument } from '../../src/index.ts';
import { serviceOpenApi } from '../../src/hooks/index.ts';
import { inspectConfiguration } from '../../src/service/index.ts';
import { createProgram, toPath, withDescendants } from '../../src/cli/program.ts';
import { Terminal } from '../../src/cli/terminal.ts';
import { hooksCall } from '../support/cli-call.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { ServedGateway } from '../support/served-gateway.ts';

// What comes over the API or a command line is data: `${NAME}` in it names no variable of the service.

/** Variables of the service: what the configuration names, and what it does not. */
const SECRETS = {
  OPERATOR_TOKEN: 'operator-token-that-nobody-sees',
  HOOK_TOKEN: 'hook-token-that-nobody-sees',
  PROVIDER_KEY: 'provider-key-that-nobody-sees',
};
const NAMES = Object.keys(SECRETS);
const VALUES = Object.values(SECRETS);
/** All of them, so that one try stands for each; and one alone, for fields that take no blanks. */
const OFFERED = NAMES.map((name) => `\${${name}}`).join(' ');
const ALONE = '${OPERATOR_TOKEN}';
const UNSET = NAMES.map((name) => `\${${name.replaceAll(/./g, 'Q')}}`).join(' ');

const GATEWAY = {
  gateway: { auth: { token: '${OPERATOR_TOKEN}' } },
  hooks: {
    enabled: true,
    token: '${HOOK_TOKEN}',
    presets: ['generic'],
    mappings: [{ id: 'in', match: { path: 'in' }, messageTemplate: 'came: {{ text }}' }],
  },
  agents: { defaults: { runner: { type: 'demo' }, heartbeat: { every: '0m' } } },
};

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema }>> };
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

interface Attempt {
  readonly title: string;
  readonly method: Method;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** It never ends; what it tells is what stories do. */
const STREAM = '/ops/api/events/stream';
/** What a field is where nothing else is tried in it: so that the request gets as far as it can. */
const USUAL: Readonly<Record<string, unknown>> = { hook: 'in', name: 'in', id: 'some', token: 'x' };
const MAPPING = { id: 'tried', match: { path: 'in' }, messageTemplate: 'x' };

function resolved(schema: Schema, { components }: OpenApiDocument): Schema {
  const name = schema.$ref?.split('/').at(-1);
  if (name === undefined) return schema;
  return resolved((components['schemas'] as Record<string, Schema>)[name] ?? {}, {
    components,
  } as OpenApiDocument);
}

function usual(name: string, schema: Schema): unknown {
  if (name === 'mapping') return MAPPING;
  if (name in USUAL) return USUAL[name];
  if (schema.enum !== undefined) return schema.enum[0];
  return (
    { string: 'x', array: ['in'], object: {}, boolean: true, number: 1, integer: 1 }[
      String(schema.type)
    ] ?? 'x'
  );
}

function offered(name: string, schema: Schema, text: string): unknown[] {
  if (name === 'mapping') {
    const entries = [
      'id',
      'name',
      'messageTemplate',
      'to',
      'sessionKey',
      'dedupeKey',
      'model',
      'agentId',
    ];
    return [
      ...entries.map((key) => ({ ...MAPPING, [key]: text })),
      { ...MAPPING, match: { path: text } },
      { ...MAPPING, verify: { scheme: 'hmac', secrets: [text] } },
      { ...MAPPING, transform: { module: text } },
    ];
  }
  return [
    text,
    ...(schema.type === 'array' ? [[text]] : []),
    ...(schema.type === 'string' ? [] : [{ text, [text]: text }]),
  ];
}

function attempts(document: OpenApiDocument, text: string): Attempt[] {
  return Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs as Readonly<Record<string, Operation>>).flatMap(([verb, operation]) =>
      path === STREAM
        ? []
        : attemptsOn(verb.toUpperCase() as Method, path, operation, document, text),
    ),
  );
}

function attemptsOn(
  method: Method,
  path: string,
  { parameters = [], requestBody }: Operation,
  document: OpenApiDocument,
  text: string,
): Attempt[] {
  const schema = resolved(Object.values(requestBody?.content ?? {})[0]?.schema ?? {}, document);
  const { properties = {}, required = [] } = schema;
  const base = Object.fromEntries(
    required.map((name) => [name, usual(name, properties[name] ?? {})]),
  );
  const hasBody = requestBody !== undefined;
  const placed = (own: string | undefined): string =>
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(name === own ? text : String(usual(name, { type: 'string' }))),
    );
  const made = (title: string, more: Partial<Attempt>): Attempt => ({
    title: `${method} ${path} ${title}`,
    method,
    path: placed(undefined),
    headers: {},
    body: hasBody ? base : undefined,
    ...more,
  });
  const fields = Object.entries(properties).flatMap(([name, field]) =>
    offered(name, resolved(field, document), text).map((value) =>
      made(`field ${name}`, { body: { ...base, [name]: value } }),
    ),
  );
  const places = parameters.map(({ in: where, name }) => {
    const title = `${where} ${name}`;
    if (where === 'path') return made(title, { path: placed(name) });
    if (where === 'header') return made(title, { headers: { [name]: text } });
    return made(title, {
      path: `${placed(undefined)}?${new URLSearchParams({ [name]: text }).toString()}`,
    });
  });
  const whole = hasBody
    ? [
        made('body', { body: { ...base, text, [text]: text } }),
        made('text', { body: JSON.stringify(text) }),
      ]
    : [];
  return [...fields, ...places, ...whole];
}

function filesBelow(dir: string): string {
  const names = readdirSync(dir, { recursive: true }).map((name) => join(dir, String(name)));
  return names
    .filter((name) => statSync(name).isFile())
    .map((name) => readFileSync(name, 'latin1'))
    .join('\n');
}

const shown = (text: string): string[] => VALUES.filter((value) => text.includes(value));

describe('${NAME} in what comes over the API', () => {
  it('is text in every field of every operation, refused alike whether it is set or not: no value is in an answer, a story, a file or the log', async () => {
    using dir = new ConfigDirectory().write('gateway.json5', GATEWAY);
    const told: string[] = [];
    const refusals = new Map<string, string[]>();
    {
      await using service = await ServedGateway.start(dir.path, SECRETS);
      const document = serviceOpenApi('/hooks');
      const all = [UNSET, OFFERED, ALONE].flatMap((given) =>
        attempts(document, given).map((attempt) => ({ given, ...attempt })),
      );
      expect(all.length).toBeGreaterThan(150);
      for (const { given, title, method, path, headers, body } of all) {
        const { status, text } = await service.ask(method, path, { headers, body });
        const isRefused = status >= 400 && status < 500;
        const known = isRefused ? text.replaceAll(/\$\{\w+\}/g, '${NAME}') : '';
        refusals.set(given, [...(refusals.get(given) ?? []), `${title} ${status} ${known}`]);
        expect({ title, status, shown: shown(text) }).toEqual({
          title,
          status: expect.any(Number),
          shown: [],
        });
        expect({ title, isFault: status >= 500 && status !== 501 && status !== 503 }).toEqual({
          title,
          isFault: false,
        });
        if (path === '/ops/api/pause') await service.post('/ops/api/resume', undefined);
      }
      const asked = Object.keys(document.paths).filter(
        (path) => 'get' in (document.paths[path] ?? {}) && !path.includes('{') && path !== STREAM,
      );
      for (const path of asked) told.push((await service.get(path)).text);
      const { body } = await service.get('/ops/api/events?limit=100');
      const events = body['events'] as { id: string }[];
      expect(events.length).toBeGreaterThan(0);
      for (const { id } of events) told.push((await service.get(`/ops/api/events/${id}`)).text);
      expect(told.join('\n')).toContain('${OPERATOR_TOKEN}');
      told.push(...service.log.lines);
    }
    expect(refusals.get(UNSET)).toEqual(refusals.get(OFFERED));
    expect(shown(told.join('\n'))).toEqual([]);
    expect(shown(filesBelow(dir.path))).toEqual([]);
  });

  it('names no hook of a token, and a reference that an operator wrote is shown as it is written', async () => {
    using dir = new ConfigDirectory();
    const tokens = [{ id: 'ci', token: 'a-token-of-the-tests-for-ci', hooks: ['${PROVIDER_KEY}'] }];
    dir.write('gateway.json5', { ...GATEWAY, hooks: { ...GATEWAY.hooks, tokens } });
    await using service = await ServedGateway.start(dir.path, SECRETS);
    const refused = await service.post('/ops/api/tokens', {
      id: 'x',
      hooks: ['in', '${OPERATOR_TOKEN}'],
    });
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
    const { text } = await service.get('/ops/api/tokens');
    expect(text).toContain('"hooks":["${PROVIDER_KEY}"]');
    expect(text).not.toContain('"id":"x"');
    expect(shown(text)).toEqual([]);
    expect(readdirSync(dir.path)).not.toContain('gateway.d');
  });
});

/** What each command that writes needs besides; a new one that writes fragments belongs here. */
const WRITERS: readonly (readonly [command: string, base: readonly string[]])[] = [
  ['hooks token new', ['--for', 'ci']],
  ['hooks setup', ['github']],
  ['hooks setup', ['stripe', '--secret', 'whsec_of-the-tests-and-long-enough']],
  [
    'hooks mail setup',
    [
      '--account',
      'a@example.org',
      '--host',
      'imap.example.org',
      '--password-stdin',
      '--no-check',
      '--yes',
    ],
  ],
  [
    'hooks mail setup',
    [
      '--account',
      'a@example.org',
      '--host',
      'imap.example.org',
      '--oauth2',
      '--client-id',
      'x',
      '--refresh-token-env',
      'REFRESH',
      '--no-check',
      '--yes',
    ],
  ],
];

function textOptions(command: string): string[] {
  const { stdin, stdout, stderr } = process;
  const program = createProgram({ terminal: new Terminal({ stdin, stdout, stderr }) } as never);
  const found = withDescendants(program).find((one) => toPath(one) === command);
  // Those name a variable on purpose.
  return (found?.options ?? []).flatMap(({ long, required }) =>
    required && long !== undefined && long !== null && !long.endsWith('-env') ? [long] : [],
  );
}

describe('${NAME} on a command line', () => {
  it.each(WRITERS)('is text in every option of %s %j', async (command, base) => {
    const options = textOptions(command);
    expect(options).not.toEqual([]);
    for (const [name, text] of options.flatMap((one) =>
      [OFFERED, ALONE].map((text) => [one, text] as const),
    )) {
      using dir = new ConfigDirectory().write('gateway.json5', GATEWAY);
      const at = base.indexOf(name);
      const args = at < 0 ? [...base, name, text] : base.with(at + 1, text);
      const { stdout, stderr } = await hooksCall([...command.split(' ').slice(1), ...args], {
        cwd: dir.path,
        env: SECRETS,
        input: text,
      });
      expect(shown(stdout + stderr + filesBelow(dir.path))).toEqual([]);
      const { sections } = await inspectConfiguration(dir.path, {
        ...SECRETS,
        REFRESH: 'x'.repeat(20),
      });
      const own = JSON.stringify({
        ...sections,
        gateway: undefined,
        hooks: { ...(sections['hooks'] as object), token: undefined },
      });
      expect({ name, shown: shown(own) }).toEqual({ name, shown: [] });
    }
  });
});
