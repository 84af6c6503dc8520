import { dirname } from 'node:path';
import { asWritten } from '../../../test/support/as-written.ts';
import { ConfigDirectory } from '../../../test/support/config-directory.ts';
import { ConfigurationError } from '../../hooks/index.ts';
import { leakedTokens, withAbsoluteWorkspaces } from './agents-section.ts';
import { loadConfiguration } from './load.ts';

const HOOK_TOKEN = 'the-hook-token-of-the-tests';
const OPERATOR = 'the-operator-token-of-the-tests';

async function problems(
  list: unknown,
  defaults?: unknown,
  env: Record<string, string> = {},
): Promise<string[]> {
  using dir = new ConfigDirectory();
  dir
    .write('.env', `HOOK_TOKEN=${HOOK_TOKEN}\nCOPY=" ${HOOK_TOKEN} "\nAPI_KEY=key`)
    .write('gateway.json5', {
      gateway: { auth: { token: OPERATOR } },
      hooks: { enabled: true, token: '${HOOK_TOKEN}' },
      agents: { list, ...(defaults !== undefined && { defaults }) },
    });
  try {
    await loadConfiguration(dir.path, env);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems.map(({ key }) => key);
    throw error;
  }
}

const command = (...env: string[]): unknown => ({ type: 'command', command: 'x', env });

const tools = (...env: string[]): unknown => ({
  mcp: { files: { command: 'x', env: ['API_KEY'] }, web: { command: 'x', env } },
});

describe('tools.mcp.*.env', () => {
  it('may not hold one of our tokens either', async () => {
    const list = [{ id: 'a' }, { id: 'b', tools: tools('API_KEY', 'COPY', 'OPS') }];
    expect(await problems(list, undefined, { OPS: OPERATOR })).toEqual([
      'agents.list[1].tools.mcp.web.env[1]',
      'agents.list[1].tools.mcp.web.env[2]',
    ]);
  });

  it('is left to the other checks while the section has another shape', () => {
    for (const mcp of [3, null, [], { web: 3 }, { web: { env: 3 } }, { web: { env: [3] } }]) {
      const agents = { list: [{ tools: { mcp } }] };
      expect(leakedTokens(asWritten({ agents, token: HOOK_TOKEN }), { X: HOOK_TOKEN })).toEqual([]);
    }
  });
});

describe('everything else that agents and models are given', () => {
  const auth = { authorization: `Bearer ${HOOK_TOKEN}` };
  it.each([
    ['runner.args[1]', { runner: { type: 'command', command: 'x', args: ['-t', OPERATOR] } }],
    ['runner.apiKey', { runner: { type: 'http', baseUrl: 'http://x.test/', apiKey: OPERATOR } }],
    [
      'tools.mcp.web.headers.authorization',
      { tools: { mcp: { web: { url: 'http://x.test/', headers: auth } } } },
    ],
    ['instructions', { instructions: `Post it with ${HOOK_TOKEN}.` }],
  ])('%s may not hold one of our tokens', async (key, agent) => {
    expect(await problems([{ id: 'a', ...agent }])).toEqual([`agents.list[0].${key}`]);
  });

  it('models.providers may not either', () => {
    const models = { providers: { p: { apiKey: HOOK_TOKEN } } };
    expect(leakedTokens(asWritten({ models, token: HOOK_TOKEN }), {})).toMatchObject([
      { key: 'models.providers.p.apiKey', message: expect.stringContaining('holds hooks.token') },
    ]);
  });
});

describe('runner.env', () => {
  it('may not hold more than the token either', async () => {
    const list = [{ id: 'a', runner: command('AUTH') }];
    expect(await problems(list, undefined, { AUTH: `Bearer ${HOOK_TOKEN}` })).toEqual([
      'agents.list[0].runner.env[0]',
    ]);
  });

  it('may not hold the hook token, whatever the variable is called', async () => {
    const list = [{ id: 'a' }, { id: 'b', runner: command('API_KEY', 'COPY') }];
    expect(await problems(list)).toEqual(['agents.list[1].runner.env[1]']);
  });

  it('is checked in agents.defaults, too', async () => {
    expect(await problems([], { runner: command('HOOK_TOKEN') })).toEqual([
      'agents.defaults.runner.env[0]',
    ]);
  });

  it('may hold any other variable, or one that is not set', async () => {
    expect(
      await problems([{ id: 'a', runner: command('API_KEY', 'MISSING', '__proto__') }]),
    ).toEqual([]);
  });

  it('is left to the other checks while the section has another shape', () => {
    const env = { X: HOOK_TOKEN };
    for (const agents of [3, [], { list: 3, defaults: 3 }, { list: [3, { runner: { env: 3 } }] }]) {
      expect(leakedTokens(asWritten({ agents, token: 3 }), env)).toEqual([]);
    }
    const runner = { env: ['X', 3] };
    const input = asWritten({ agents: { list: [{ runner }] }, token: HOOK_TOKEN });
    expect(leakedTokens(input, env)).toEqual([
      {
        key: 'agents.list[0].runner.env[0]',
        message: 'names a variable that holds hooks.token, which no agent may know; remove it',
        names: ['hooks.token'],
      },
    ]);
  });
});

describe('withAbsoluteWorkspaces', () => {
  it('starts relative workspaces from the configuration directory', () => {
    const list = [{ id: 'a', workspace: 'ws/a' }, { id: 'b', workspace: '/srv/b' }, { id: 'c' }];
    expect(withAbsoluteWorkspaces({ defaults: {}, list }, '/etc/gateway')).toEqual({
      defaults: {},
      list: [{ id: 'a', workspace: '/etc/gateway/ws/a' }, list[1], list[2]],
    });
  });

  it.each([
    undefined,
    null,
    3,
    [],
    { list: 3 },
    { list: [3, { workspace: 3 }, { workspace: '' }] },
  ])('leaves %j to the checks', (agents) => {
    expect(withAbsoluteWorkspaces(agents, '/etc/gateway')).toEqual(agents);
  });
});

const program = (path: string): unknown => ({ type: 'command', command: path });

async function warnings(given: object): Promise<string[]> {
  const agents = { defaults: { model: 'auto' }, ...given };
  using dir = new ConfigDirectory();
  dir.write('gateway.json5', { hooks: { enabled: true, token: HOOK_TOKEN }, agents });
  const path = { PATH: dirname(process.execPath) };
  const { warnings: found } = await loadConfiguration(dir.path, path);
  return found.map(({ key, message }) => `${key} ${message}`);
}

describe('agents whose model nobody names', () => {
  const defaults = {};
  const NONE = expect.stringContaining('agents.defaults.model is not set, so runs that name no');

  it.each([
    [{ defaults }, [NONE]],
    [{ defaults, list: [{ id: 'a', model: 'auto' }, { id: 'b' }] }, [NONE]],
    [{ defaults, list: [{ id: 'a', model: 'auto' }] }, []],
    [{ defaults: { runner: { type: 'demo' } } }, []],
    [{ defaults, list: [{ id: 'a', runner: program('node') }] }, []],
  ])('%j: the start says %j', async (agents, said) => {
    expect(await warnings(agents)).toEqual(said);
  });
});

describe('programs that cannot be started', () => {
  it('are named at start, with what to do', async () => {
    const mcp = { desk: { command: 'no-such-server' }, web: { command: 'node' } };
    const list = [
      { id: 'a', runner: program('no-such-agent') },
      { id: 'b', runner: program('/nowhere/agent') },
      { id: 'c', tools: { mcp } },
    ];
    const unfound =
      'names a program that PATH does not find; install it or write its absolute path';
    expect(await warnings({ list })).toEqual([
      `agents.list[0].runner.command ${unfound}`,
      'agents.list[1].runner.command names a program that is not there or may not be run; install it there or correct the path',
      `agents.list[2].tools.mcp.desk.command ${unfound}`,
    ]);
  });

  it('are not those that PATH finds or that are there', async () => {
    const list = [
      { id: 'a', runner: program('node') },
      { id: 'b', runner: program(process.execPath) },
    ];
    expect(await warnings({ list })).toEqual([]);
  });
});
