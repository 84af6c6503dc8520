import { readFile, readdir } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import JSON5 from 'json5';
import { readExamples } from '../support/page-examples.ts';

const ROOT = new URL('../../', import.meta.url);
const read = (name: string): Promise<string> => readFile(new URL(name, ROOT), 'utf8');

/** What `npm run docs:options` wrote, and `hooks config schema` prints. */
const schema = JSON.parse(await read('docs/gateway.schema.json')) as {
  $defs: Record<string, { properties?: Record<string, Property> }>;
};
const validate = new Ajv2020({ allErrors: true, strictTypes: false }).compile(schema);

interface Property {
  readonly description?: string;
  readonly $ref?: string;
  readonly items?: { readonly $ref?: string };
  readonly additionalProperties?: unknown;
}

/** What the schema says against a configuration; empty: nothing. */
function complaints(configuration: unknown): string[] {
  validate(configuration);
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

/** Every `json5` block of the documentation; those of mappings.md that show a refusal are left out. */
async function documented(): Promise<[string, unknown][]> {
  const names = (await readdir(new URL('docs/', ROOT))).filter((name) => name.endsWith('.md'));
  const pages = ['README.md', ...names.map((name) => `docs/${name}`)];
  const blocks = await Promise.all(
    pages.map(async (page) =>
      Array.from((await read(page)).matchAll(/^```json5\n([\s\S]*?)^```$/gmu), ([, code = '']) => [
        page,
        JSON5.parse(code),
      ]),
    ),
  );
  const mistakes = new Set(
    readExamples(await read('docs/mappings.md'))
      .filter(({ log }) => log.length > 0)
      .map(({ configuration }) => JSON.stringify(configuration)),
  );
  return blocks.flat().filter(([, value]) => !mistakes.has(JSON.stringify(value))) as [
    string,
    unknown,
  ][];
}

describe('the JSON Schema of gateway.json5', () => {
  it('takes the example configuration, which names it', async () => {
    const example: unknown = JSON5.parse(await read('gateway.example.json5'));
    expect(example).toHaveProperty('$schema', './docs/gateway.schema.json');
    expect(complaints(example)).toEqual([]);
  });

  it('takes every configuration of the documentation', async () => {
    const blocks = await documented();
    expect(blocks.length).toBeGreaterThan(20);
    for (const [page, block] of blocks) {
      expect({ page, block, complaints: complaints(block) }).toMatchObject({ complaints: [] });
    }
  });

  it('describes every key that is documented', () => {
    const silent = Object.entries(schema.$defs).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties)
        .filter(([, { description, $ref, items, additionalProperties }]) => {
          const isGroup = [$ref, items?.$ref, additionalProperties || undefined].some(Boolean);
          return description === undefined && !isGroup;
        })
        .map(([key]) => `${name}.${key}`),
    );
    expect(silent).toEqual([]);
  });
});

describe('the JSON Schema of gateway.json5 refuses', () => {
  it.each<[string, unknown, string]>([
    ['an unknown section', { hook: {} }, 'additional properties'],
    ['an unknown key', { hooks: { tokn: 'x' } }, '/hooks must NOT have additional properties'],
    ['an unknown key in a list', { hooks: { mappings: [{ ID: 'x' }] } }, '/hooks/mappings/0'],
    ['an unknown channel', { channels: { chan_9: {} } }, 'chan_9'],
    ['an unknown key of a channel', { channels: { chan_1: { tokens: '' } } }, '/channels/chan_1'],
    ['a number as text', { gateway: { port: '80' } }, '/gateway/port must be integer'],
    ['a number out of its range', { gateway: { port: 70_000 } }, '/gateway/port must be <= 65535'],
    ['another word than the known ones', { hooks: { summary: 'never' } }, '/hooks/summary'],
    [
      'an address without its protocol',
      { models: { providers: { a: { baseUrl: 'x' } } } },
      'baseUrl',
    ],
    ['an agent without an id', { agents: { list: [{}] } }, "required property 'id'"],
    ['a list that is none', { hooks: { presets: 'mail' } }, '/hooks/presets must be array'],
  ])('%s', (_, configuration, complaint) => {
    expect(complaints(configuration).join('\n')).toContain(complaint);
  });

  it('no text that is taken from a variable', () => {
    const provider = { type: '${TYPE}', baseUrl: '${BASE_URL}', apiKey: '${KEY}' };
    expect(complaints({ models: { providers: { a: provider } } })).toEqual([]);
  });
});
