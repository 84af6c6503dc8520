import { tmpdir } from 'node:os';
import { isRecord } from '../../platform/objects.ts';
import { inspectConfiguration } from './inspect.ts';
import { showConfiguration } from './shown.ts';
import type { ShownConfiguration } from './shown.ts';

type Sections = Readonly<Record<string, object>>;

/** As they come out of generators; none of them ever opened anything. */
const DRAWN = 'q7Zx2LmT9vKc4RbN8wYd3HsJ';
const HEX = '9f86d081884c7d659a2feaa0c55ad015';
const UUID = '3f2b8c1e-7d4a-4e9b-9a61-5c0d2e8f7b34';
const CHOSEN = 'Tr0ub4dor&3';
const JWT = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${DRAWN}`;
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
/** Keys of both, two levels down. */
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
  ['a user alone', program(`https://${DRAWN}@host.test`), DRAWN],
  ['a fragment', remote(`https://host.test/#access_token=${CHOSEN}`), CHOSEN],
  ['lines behind a flag', server('npx', `--token=two\nlines-${CHOSEN}`), CHOSEN],
  ['a variable that is a key', server('docker', '-e', `SERVICE_API_KEY=${CHOSEN}`), CHOSEN],
  ['an address behind a flag', server('npx', `--url=https://host.test/?key=${CHOSEN}`), CHOSEN],
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
  [
    'docker',
    server('docker', 'run', '-i', '-e', `GITHUB_PERSONAL_ACCESS_TOKEN=ghp_${DRAWN}`),
    DRAWN,
  ],
  ['docker, by a name that tells nothing', server('docker', 'run', `-eACCESS=${CHOSEN}`), CHOSEN],
  [
    'a header',
    server('npx', 'mcp-remote', 'https://x.test/sse', '--header', `X-Team: ${CHOSEN}`),
    CHOSEN,
  ],
  [
    'a header without a blank',
    server('npx', 'mcp-remote', `--header=Authorization:Bearer ${CHOSEN}`),
    CHOSEN,
  ],
  ['a header alone', program('run', `Authorization: Basic ${CHOSEN}`), CHOSEN],
  [
    'an address of a database',
    server('npx', 'server-postgres', `postgresql://app:${CHOSEN}@db/prod?sslmode=on`),
    CHOSEN,
  ],
  [
    'an address with slashes in its password',
    server('db', `postgres://app:a/b${CHOSEN}@db/prod`),
    CHOSEN,
  ],
  ['the address of Go for MySQL', server('db', `app:${CHOSEN}@tcp(db:3306)/prod`), CHOSEN, 'app:'],
  ['redis', server('redis', '--url', `redis://:${CHOSEN}@cache:6379/0`), CHOSEN],
  ['mongodb', server('db', `mongodb+srv://app:${CHOSEN}@c0.x.test/?authSource=admin`), CHOSEN],
  [
    'a line for a shell',
    program('-c', `curl -sH "Authorization: token ${CHOSEN}" https://x.test | jq .`),
    CHOSEN,
  ],
  ['a variable in a line', program('-c', `DEPLOY_TOKEN='${CHOSEN}' exec agent --model x`), CHOSEN],
  ['a flag in a line', program('-c', `agent --api-key "${CHOSEN}" --json`), CHOSEN],
  ['an address in a line', program('-c', `curl https://chat.test/services/T0/B0/${DRAWN}`), DRAWN],
  [
    'settings as JSON',
    server('npx', 'run', 'exa', '--config', `{"exaApiKey":"${CHOSEN}"}`),
    CHOSEN,
  ],
  ['a flag that is called key', server('npx', 'run', '--key', UUID), UUID],
  ['a value that looks like a flag', program('--token', `-${CHOSEN}`), CHOSEN],
  ['a value that looks like an assignment', program('--token', 'abcKEYdefghij=='), 'abcKEYdefghij'],
  ['curl -u', program('-u', `me:${CHOSEN}`), CHOSEN],
  ['curl -u without a blank', program(`-ume:${CHOSEN}`), CHOSEN],
  ['mysql -p', program(`-p${CHOSEN}`), CHOSEN],
  ['sshpass -p', program('-p', CHOSEN, 'ssh', 'host'), CHOSEN],
  ['an argument that nobody could remember', program('serve', DRAWN), DRAWN],
  ['a JWT', program('serve', JWT), JWT, DRAWN],
  ['hexadecimal digits', program('serve', HEX), HEX],
  [
    'AWS',
    program('-e', `AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLEKEY`),
    'wJalr',
    'bPxRf',
  ],
  ['AWS alone', program('wJalrXUtnFEMI/K7MDENG/bPx3RfiCYzEXAMPLEKEY'), 'wJalr', 'RfiCY'],
  ['a server known by its path', remote(`https://mcp.x.test/api/mcp/s/${UUID}/mcp`), UUID],
  [
    'a server known by a query',
    remote(`https://mcp.x.test/mcp?user=me&api_key=${CHOSEN}`),
    CHOSEN,
    'user=me',
  ],
  ['a short path', remote('https://hooks.x.test/hooks/catch/123456/b7k2x9q/'), 'b7k2x9q'],
  ['a cookie', remote('https://x.test/mcp', { Cookie: `sid=${CHOSEN}` }), CHOSEN],
  [
    'a channel of Slack',
    receiver(`https://hooks.x.test/services/T024BE7LD/B024BE7LD/${DRAWN}`),
    DRAWN,
    'B024BE7LD',
  ],
  [
    'a channel without digits',
    receiver('https://hooks.x.test/in/QwErTzUiOpAsDfGhJkLyXcVb'),
    'QwErTzUi',
  ],
  ['a bot', receiver(`https://api.x.test/bot123456789:AA${DRAWN}/sendMessage`), DRAWN, '123456789'],
  ['a signed address', receiver(`https://x.test/invoke?sv=1.0&sig=${CHOSEN}`), CHOSEN],
  [
    'an address in a prompt',
    saying(`Post to https://x.test/in?token=${CHOSEN} when done.`),
    CHOSEN,
  ],
  ['a command in a prompt', saying(`First: export API_TOKEN=${CHOSEN}\nthen run.`), CHOSEN],
  ['a header in a prompt', saying(`Send "X-Api-Key: ${CHOSEN}" along.`), CHOSEN],
  ['a word in a prompt', saying(`The room is ${DRAWN}.`), DRAWN],
  ['a branded word in a prompt', saying('Use sk-ant-abcdefghij-Klmnop.'), 'abcdefghij'],
  ['a user in a prompt', saying(`git clone https://me:${CHOSEN}@git.test/x`), CHOSEN],
  [
    'a header said again',
    both(
      remote('https://x.test', { 'X-Team': `Bearer ${CHOSEN}` }),
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

  it('shows what is no secret', async () => {
    const args = ['-p', '8080:80', '--model', 'openrouter/qwen3-235b-a22b-2507', '--json', '-v'];
    args.push('run', '--model=x', 'a=b', 'mail@host.test', 'http://host.test/a@b');
    const task = 'See https://x.test/a?b=c, https://x.test/?id={{ id }} or me@x.test';
    const when = { 'payload.state': 'open', and: [{ 'headers.x-event': ['push'] }] };
    const shown = await show(
      both(both(program(...args), mapping({ when })), {
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
        list: [{ runner: { args } }],
      },
      hooks: { mappings: [{ when }] },
      models: { providers: { x: { baseUrl: 'https://api.x.test/v1/openai' } } },
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
