import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { OPTIONAL_PACKAGES } from '../../src/platform/optional-package.ts';
import type { OptionalPackage } from '../../src/platform/optional-package.ts';
import { agentTurn } from '../support/agent-turn.ts';
import { eventually } from '../support/eventually.ts';
import { startOpenAiServer } from '../support/openai-server.ts';
import { ServiceProcess } from '../support/service-process.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MODULES = join(ROOT, 'node_modules');
const MODEL_PACKAGES = (Object.keys(OPTIONAL_PACKAGES) as OptionalPackage[]).filter(
  (name) => name === 'ai' || name.startsWith('@ai-sdk/'),
);

let installation: string;
beforeAll(() => {
  installation = mkdtempSync(join(tmpdir(), 'hooks-packages-'));
  cpSync(join(ROOT, 'dist'), join(installation, 'dist'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(installation, 'package.json'));
  const names = readdirSync(MODULES).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(MODULES, name)).map((part) => `${name}/${part}`) : name,
  );
  for (const name of names.filter((name) => !name.startsWith('.'))) install(name);
});
afterEach(() => {
  uninstall(MODEL_PACKAGES);
  for (const name of MODEL_PACKAGES) install(name);
});
afterAll(() => rmSync(installation, { recursive: true }));

const placeOf = (name: string): string => join(installation, 'node_modules', name);

function uninstall(names: readonly string[]): void {
  for (const name of names) rmSync(placeOf(name), { recursive: true, force: true });
}

function install(name: string): void {
  const place = placeOf(name);
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(join(MODULES, name), place);
}

async function turnsThere(
  runner: 'agentRunner' | 'gatewayRunner',
  ...turns: readonly object[]
): Promise<unknown> {
  const script = `
    const { ${runner} } = await import(${JSON.stringify(`file://${installation}/dist/agents.js`)});
    const nowhere = 'http://127.0.0.1:1';
    const local = { type: 'openai-compatible', baseUrl: nowhere + '/v1' };
    const options = {
      models: () => ({ providers: { local, openai: { type: 'openai', apiKey: 'x' } } }),
      env: () => process.env,
      workspaces: ${JSON.stringify(join(installation, 'workspaces'))},
      ollamaUrl: nowhere,
    };
    const { signal } = new AbortController();
    const ended = ${JSON.stringify(turns)}.map(async (turn) => {
      const running = ${runner}(options).run(turn, signal);
      const { text, name, kind, message } = await running.catch((error) => error);
      return { text, name, kind, message };
    });
    console.log(JSON.stringify(await Promise.all(ended)));
  `;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script]);
  return JSON.parse(stdout);
}

/** A model that lacks one cannot be asked, and its turns wait; a tool server that does concerns its own turn alone. */
function missing(name: OptionalPackage, state = 'is not installed'): object {
  const message = `the package ${name} ${state}, install it with: npm i [-g] ${name}@${OPTIONAL_PACKAGES[name]}`;
  const kind = name === '@ai-sdk/mcp' ? 'retryable' : 'unreachable';
  return { name: 'AgentError', kind, message };
}

const http = {
  type: 'http',
  baseUrl: 'http://127.0.0.1:1/v1',
  model: 'x',
  sessions: 'here',
  headers: {},
} as const;
const TURNS = {
  model: agentTurn({ model: 'local/llama3' }),
  openai: agentTurn({ model: 'openai/gpt-5' }),
  gateway: agentTurn({ agent: { id: 'ops', timeoutSeconds: 600, runner: http } }),
  tools: agentTurn({
    model: 'local/llama3',
    agent: {
      id: 'main',
      timeoutSeconds: 600,
      tools: { mcp: { desk: { command: 'x', args: [], env: [] } }, untrusted: [] },
    },
    contract: { ...agentTurn().contract, allowedTools: 'all' },
  }),
};

describe('where the packages for models are not installed', () => {
  it.each([
    [{ model: 'ai', gateway: 'ai', tools: 'ai' }],
    [{ model: '@ai-sdk/openai-compatible', gateway: '@ai-sdk/openai-compatible' }],
    [{ openai: '@ai-sdk/openai', tools: '@ai-sdk/mcp' }],
  ] as const)('turns say what to install: %j', async (left) => {
    uninstall(Object.values(left));
    const turns = Object.keys(left).map((turn) => TURNS[turn as keyof typeof TURNS]);
    expect(await turnsThere('agentRunner', ...turns)).toEqual(
      Object.values(left).map((name) => missing(name)),
    );
  });

  it('one that is too old is named, with its version', async () => {
    uninstall(['ai']);
    const place = placeOf('ai');
    mkdirSync(place);
    const manifest = { name: 'ai', version: '6.9.0', type: 'module', exports: './index.js' };
    writeFileSync(join(place, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(place, 'index.js'), '');
    expect(await turnsThere('gatewayRunner', TURNS.gateway)).toEqual([
      missing('ai', 'is installed as 6.9.0'),
    ]);
  });

  it('agents that need none of them run', async () => {
    uninstall(MODEL_PACKAGES);
    const demo = { text: expect.stringContaining('This is the demo agent') };
    const agent = { id: 'ops', timeoutSeconds: 600 };
    const turn = { ...agentTurn(), agent: { ...agent, runner: { type: 'demo' } } };
    const runner = { type: 'command', command: 'echo', args: ['hello'], output: 'text', env: [] };
    const command = { ...agentTurn(), agent: { ...agent, runner } };
    expect(await turnsThere('agentRunner', turn, command)).toEqual([demo, { text: 'hello' }]);
  });

  it('a run waits, and is done when it is installed and tried again, without a restart', async () => {
    uninstall(['ai']);
    const [hook, operator] = [
      'the-token-of-the-hooks-0123456789',
      'the-token-of-operators-0123456789',
    ];
    const model = await startOpenAiServer();
    const settings = {
      hooks: { enabled: true, token: hook },
      gateway: { auth: { token: operator } },
      agents: { defaults: { model: 'local/test-model' } },
      models: { providers: { local: { type: 'openai-compatible', baseUrl: model.baseUrl } } },
    };
    const directory = mkdtempSync(join(tmpdir(), 'hooks-late-'));
    writeFileSync(join(directory, 'gateway.json5'), JSON.stringify(settings));
    await using service = await ServiceProcess.listening(
      directory,
      { GATEWAY_CONFIG_DIR: directory },
      [join(installation, 'dist/main.js')],
    );
    const body = { message: 'hello', wakeMode: 'next-heartbeat' };
    const accepted = (await service.ask('/hooks/agent', { token: hook, body })).body;
    const run = (wait = '') =>
      service.ask(`/hooks/runs/${String(accepted['runId'])}${wait}`, { token: hook });
    await eventually('the run waits', async () => {
      return service.logged('is unavailable') && (await run()).body['status'] === 'queued';
    });
    install('ai');
    const retry = `/ops/api/events/${String(accepted['eventId'])}/retry`;
    // 409: its backend has rested long enough, and it is tried just now.
    const { status } = await service.ask(retry, { token: operator, body: {} });
    expect([200, 409]).toContain(status);
    expect((await run('?wait=30')).body).toMatchObject({ status: 'succeeded' });
    await service.stop();
    await model.close();
    rmSync(directory, { recursive: true });
  });
});
