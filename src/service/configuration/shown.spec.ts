import { tmpdir } from 'node:os';
import { isRecord } from '../../platform/objects.ts';
import { inspectConfiguration } from './inspect.ts';
import { showConfiguration } from './shown.ts';
import type { ShownConfiguration } from './shown.ts';

type Sections = Readonly<Record<string, object>>;

const DRAWN = 'q7Zx2LmT9vKc4RbN8wYd3HsJ';
const CHOSEN = 'Tr0ub4dor&3';
const PEM_LINE = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj';

async function show(
  sections: Sections,
  env: Readonly<Record<string, string>> = {},
): Promise<ShownConfiguration> {
  const files = { gateway: JSON.stringify(sections), dotenv: undefined };
  const inspection = await inspectConfiguration(tmpdir(), env, files);
  expect(inspection.problems).toEqual([]);
  return showConfiguration(inspection, env);
}

const agents = (agent: object): Sections => ({
  agents: { defaults: { runner: { type: 'demo' } }, list: [{ id: 'main', ...agent }] },
});
const program = (...args: string[]): Sections =>
  agents({ runner: { type: 'command', command: 'agent', args } });
const server = (command: string, ...args: string[]): Sections =>
  agents({ tools: { mcp: { tools: { command, args } } } });
const remote = (url: string, headers: object = {}): Sections =>
  agents({ tools: { mcp: { tools: { url, headers } } } });
const saying = (instructions: string): Sections => agents({ instructions });
const mapping = (more: object): Sections => ({
  hooks: {
    enabled: true,
    token: '${HOOK_TOKEN}',
    defaultSessionKey: 'hook:x',
    mappings: [{ id: 'ci', messageTemplate: 'x', ...more }],
  },
});
const receiver = (url: string): Sections => ({
  channels: { chan_8: { provider: 'webhook', url, to: 'me', secrets: [`whsec_${btoa(DRAWN)}`] } },
  ...agents({}),
});
function both(one: Sections, other: Sections): Sections {
  const merged = Object.entries(other).map(([name, section]) => {
    const before: Readonly<Record<string, unknown>> = { ...one[name] };
    const keys = Object.entries(section).map(([key, value]): [string, unknown] => {
      const found = before[key];
      return [key, isRecord(found) && isRecord(value) ? { ...found, ...value } : value];
    });
    return [name, { ...before, ...Object.fromEntries(keys) }];
  });
  return { ...one, ...Object.fromEntries(merged) };
}

const HOOK_TOKEN = 'hook-token-in-words-alone';
const TOKEN = { HOOK_TOKEN };

const WRITTEN_OUT: readonly [string, Sections, ...string[]][] = [
  ['a user with @ in the password', program(`https://me:p@ss${CHOSEN}@host.test/path`), CHOSEN],
  ['a user alone', remote(`https://${DRAWN}@host.test`), DRAWN],
  ['a path', remote('https://hooks.x.test/hooks/catch/123456/b7k2x9q/'), 'b7k2x9q'],
  ['a query', remote(`https://mcp.x.test/mcp?user=me&api_key=${CHOSEN}`), CHOSEN, 'user=me'],
  ['a fragment', remote(`https://host.test/#access_token=${CHOSEN}`), CHOSEN],
  ['a cookie', remote('https://x.test/mcp', { Cookie: `sid=${CHOSEN}` }), CHOSEN],
  ['a header of no known name', remote('https://x.test/mcp', { 'X-Team': CHOSEN }), CHOSEN],
  ['a channel', receiver(`https://hooks.x.test/services/T024BE7LD/${DRAWN}`), DRAWN, 'T024BE7LD'],
  ['arguments', program('--token', CHOSEN, `Authorization: Basic ${DRAWN}`), CHOSEN, DRAWN],
  ['an address among arguments', program(`postgresql://app:${CHOSEN}@db/prod`), CHOSEN],
  ['the address of Go for MySQL', program(`app:${CHOSEN}@tcp(db:3306)/prod`), CHOSEN, 'app:'],
  [
    'arguments that resume',
    agents({
      runner: {
        type: 'command',
        command: 'agent',
        output: 'json',
        sessionIdPath: 'id',
        resumeArgs: ['{session}', '--token', CHOSEN],
      },
    }),
    CHOSEN,
  ],
  ['arguments of a server', server('docker', 'run', `-eACCESS=${CHOSEN}`), CHOSEN],
  [
    'a header said again',
    both(
      remote('https://x.test', { authorization: `Bearer ${CHOSEN}` }),
      mapping({ task: `Say ${CHOSEN}.` }),
    ),
    CHOSEN,
  ],
];

const CONDITIONS: readonly object[] = [
  { 'payload.clientState': CHOSEN },
  { 'headers.x-api-key': { startsWith: CHOSEN } },
  { 'query.code': [CHOSEN, 'x'] },
  { 'headers.x-gateway-secret': { not: CHOSEN } },
  { and: [{ or: [{ 'payload.deep.token': { any: [CHOSEN] } }] }] },
];

const FROM_VARIABLES: readonly [string, Sections, Readonly<Record<string, string>>][] = [
  ['a token that a prompt repeats', program('--token=${TOOL}', `say ${CHOSEN}`), { TOOL: CHOSEN }],
  [
    'a part of a header that a prompt repeats',
    both(
      remote('https://x.test', { authorization: 'Bearer ${TOOL}' }),
      mapping({ task: `Say ${CHOSEN}!` }),
    ),
    { TOOL: CHOSEN },
  ],
  ['two that overlap', saying('abcdef-ghijkl-mnopqr'), { A: 'abcdef-ghijkl', B: 'ghijkl-mnopqr' }],
  [
    'one that is the beginning of another',
    saying('abcdef-ghijkl'),
    { A: 'abcdef', B: 'abcdef-ghijkl' },
  ],
  [
    'one line of several',
    saying(`Key: ${PEM_LINE}`),
    { KEY: `-----BEGIN KEY-----\n${PEM_LINE}\n-----END KEY-----` },
  ],
  ['one with blanks around', saying(`It is ${CHOSEN}`), { KEY: ` ${CHOSEN} ` }],
  [
    'one as an address writes it',
    remote(`https://x.test/a%20b%26${'c'.repeat(9)}`),
    { KEY: `a b&${'c'.repeat(9)}` },
  ],
  ['one that is no secret', saying('We are Example Corp.'), { COMPANY: 'Example Corp' }],
];

describe('a configuration that is shown', () => {
  it.each(WRITTEN_OUT)(
    'tells no secret that is written out: %s',
    async (_, sections, ...secrets) => {
      const shown = JSON.stringify(await show(sections, TOKEN));
      for (const secret of [...secrets, HOOK_TOKEN]) expect(shown).not.toContain(secret);
    },
  );

  it.each(CONDITIONS)('tells no secret that a condition names: %j', async (when) => {
    const shown = await show(mapping({ when, messageTemplate: [{ line: 'x', when }] }), TOKEN);
    expect(JSON.stringify(shown)).not.toContain(CHOSEN);
  });

  it.each(FROM_VARIABLES)('tells no value of a variable: %s', async (_, sections, env) => {
    const references = Object.keys(env).map((name) => `$\{${name}}`);
    const naming = both(sections, { agents: { defaults: { task: references.join(' ') } } });
    const { configuration } = await show(naming, { ...TOKEN, ...env });
    const shown = JSON.stringify(configuration);
    for (const value of Object.values(env).flatMap((text) => [text, ...text.split('\n')])) {
      expect(shown).not.toContain(value.trim());
    }
    expect(shown).toContain(references.join(' '));
  });

  it('shows what is no secret, and the server of an address', async () => {
    const task = 'See https://x.test/a?b=c, https://x.test/?id={{ id }} or me@x.test';
    const when = { 'payload.state': 'open', and: [{ 'headers.x-event': ['push'] }] };
    const shown = await show(
      both(both(program('--json'), mapping({ when })), {
        agents: {
          defaults: { model: 'x/claude-sonnet-4-20250514', task },
        },
        models: {
          providers: {
            x: { type: 'openai', apiKey: 'x', baseUrl: 'https://api.x.test/v1/openai' },
          },
        },
      }),
      TOKEN,
    );
    expect(shown.configuration).toMatchObject({
      agents: {
        defaults: { model: 'x/claude-sonnet-4-20250514', task },
        list: [{ runner: { command: 'agent', args: ['***'] } }],
      },
      hooks: { mappings: [{ when }] },
      models: { providers: { x: { baseUrl: 'https://api.x.test/***' } } },
    });
  });

  it('shows where it listens when the environment says so, and else the variable', async () => {
    const sections = both(agents({}), { gateway: { host: '${HOST}', port: 4711 } });
    const env = { HOST: '127.0.0.1', GATEWAY_PORT: '4712' };
    const gateway = async (given: Readonly<Record<string, string>>) =>
      (await show(sections, given)).configuration['gateway'];
    expect(await gateway(env)).toMatchObject({ host: '${HOST}', port: 4712 });
    expect(await gateway({ ...env, GATEWAY_HOST: '::1' })).toMatchObject({ host: '::1' });
  });
});
