import { chmodSync, mkdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import JSON5 from 'json5';
import { hooksCall } from '../support/cli-call.ts';
import { hooksCommand } from '../support/cli-process.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { GOOD_TOKEN } from '../support/doctor-directory.ts';

const CANARY = 'canary-of-the-tests';
const secret = (name: string): string => `${CANARY}-${name}-0123456789abcdef`;

let dir: ConfigDirectory;
beforeEach(() => (dir = new ConfigDirectory()));
afterEach(() => dir[Symbol.dispose]());

function hooks(...args: string[]): ReturnType<typeof hooksCall> {
  return hooksCall(args, { cwd: dir.path });
}

function show(...args: string[]): ReturnType<typeof hooksCall> {
  return hooks('config', 'show', ...args);
}

const FULL_OF_SECRETS = {
  gateway: { port: 4711, auth: { token: secret('operator') } },
  hooks: { enabled: true, token: '${HOOK_TOKEN}' },
  models: {
    providers: {
      literal: { type: 'anthropic', apiKey: secret('key') },
      variable: { baseUrl: '${BASE_URL}', apiKey: 'sk-${KEY_PART}' },
    },
  },
  agents: {
    defaults: { model: 'literal/x' },
    list: [
      {
        id: 'main',
        instructions: `Never say ${secret('key')}.`,
        tools: {
          mcp: {
            a: {
              url: `https://u:${secret('url')}@x.test/?key=${secret('query')}`,
              headers: { authorization: secret('header') },
            },
            b: { command: 'b', args: ['--api-key', secret('arg'), `--token=${secret('flag')}`] },
          },
        },
      },
    ],
  },
  channels: {
    chan_2: { token: secret('telegram') },
    chan_7: { apiRoot: 'http://mac.test', password: secret('mac') },
  },
};

describe('hooks config show', () => {
  it('shows the demo with its defaults, without its token and without a trace', async () => {
    const { code, stdout, stderr } = await show();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON5.parse(stdout)).toMatchObject({
      gateway: { host: '127.0.0.1', port: 18_790 },
      hooks: { enabled: true, token: '***', bodyTimeoutSeconds: 30 },
    });
    expect(stdout).toContain('// defaults, demo\n  hooks:');
    expect(await readdir(dir.path)).toEqual([]);
  });

  it.each([[[]], [['--json']]])('shows no secret of any kind: %j', async (args: string[]) => {
    const variables = ['HOOK_TOKEN', 'BASE_URL', 'KEY_PART'];
    const values = variables.map((name) => `${name}=http://${secret('variable')}.test/${name}`);
    dir.write('gateway.json5', FULL_OF_SECRETS).write('.env', values.join('\n'));
    const { code, stdout, stderr } = await show(...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toContain(CANARY);
    expect(stdout).toContain('${HOOK_TOKEN}');
    expect(stdout).toContain('${BASE_URL}');
    expect(stdout).not.toContain('sk-');
  });

  it('says where sections and variables come from', async () => {
    dir
      .write('gateway.json5', { hooks: { enabled: true, token: '${A}${B}' } })
      .write('.env', `A=${'a'.repeat(16)}`);
    const env = { B: 'b'.repeat(16), GATEWAY_PORT: '4711' };
    const { stdout } = await hooksCall(['config', 'show', '--json'], { cwd: dir.path, env });
    expect(JSON.parse(stdout)).toMatchObject({
      sources: {
        gateway: ['defaults', 'GATEWAY_PORT (environment)'],
        hooks: ['defaults', 'gateway.json5'],
        store: ['defaults'],
      },
      variables: { A: '.env', B: 'environment' },
      configuration: { gateway: { port: 4711 }, hooks: { token: '***' } },
    });
  });

  it('steers no terminal, and is still the same JSON5', async () => {
    const instructions = 'a\u009b2J\u202eb\u200b\u007f';
    dir.write('gateway.json5', { agents: { list: [{ id: 'main', instructions }] } });
    const { code, stdout } = await show();
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/[\u007f-\u009f\u200b\u202e]/);
    expect(JSON5.parse(stdout)).toMatchObject({ agents: { list: [{ instructions }] } });
  });

  it('fails with every problem while there are any', async () => {
    dir.write('gateway.json5', { gateway: { port: 'x' } });
    const { code, stdout, stderr } = await show();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('gateway.port must be ');
  });
});

describe('hooks config check', () => {
  it('calls the demo fine and leaves no trace', async () => {
    const { code, stdout, stderr } = await hooks('config', 'check');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('fine');
    expect(await readdir(dir.path)).toEqual([]);
  });

  it('lists every problem, fails, and leaves no trace', async () => {
    dir.write('gateway.json5', {
      gateway: { port: 'x' },
      hooks: { enabled: true, token: '${NO_SUCH_VARIABLE}' },
    });
    const { code, stdout, stderr } = await hooks('config', 'check');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toContain('2 problems');
    expect(stdout).toContain('gateway.port must be ');
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'hooks.token names the variable NO_SUCH_VARIABLE',
    );
    expect(await readdir(dir.path)).toEqual(['gateway.json5']);
  });

  it('prints problems and warnings as one JSON document', async () => {
    dir.write('gateway.json5', { gateway: { host: '0.0.0.0' }, hooks: { enabled: false } });
    const { code, stdout } = await hooks('config', 'check', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      problems: [],
      warnings: [{ key: 'gateway.host' }, { key: 'hooks.enabled' }],
    });
  });

  it('says where the syntax is wrong', async () => {
    dir.write('gateway.json5', '{ hooks: ');
    const { code, stdout } = await hooks('config', 'check');
    expect(code).toBe(1);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('gateway.json5 is not valid JSON5 (line 1');
  });

  it.each([
    ['gateway.json5', 'gateway.json5'],
    ['data/operator-token', 'store.dir'],
  ])('says that %s cannot be read as a problem like any other', async (name, key) => {
    mkdirSync(join(dir.path, name), { recursive: true });
    const { code, stdout } = await hooks('config', 'check', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, problems: [{ key }] });
  });

  it('ends although a transform was compiled', async () => {
    mkdirSync(join(dir.path, 'transforms'));
    dir.write('transforms/m.ts', 'export default (): null => null;').write('gateway.json5', {
      hooks: { mappings: [{ id: 'm', transform: { module: 'm.ts' } }] },
    });
    const ending = await hooksCommand(['config', 'check'], { cwd: dir.path });
    expect(ending).toMatchObject({ code: 0, stderr: '' });
  });

  it('says that the configuration directory does not exist', async () => {
    const env = { GATEWAY_CONFIG_DIR: 'nowhere' };
    const { code, stderr } = await hooksCall(['config', 'check'], { cwd: dir.path, env });
    expect(code).toBe(1);
    expect(stderr).toContain('GATEWAY_CONFIG_DIR names no directory');
  });
});

describe('hooks doctor', () => {
  it('finds no error in the demo and leaves no trace', async () => {
    const { code, stdout, stderr } = await hooks('doctor', '--offline');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^0 errors, 0 warnings, \d+ info, \d+ ok$/m);
    expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
    expect(await readdir(dir.path)).toEqual([]);
  });

  it('fails when there is an error, with what to do', async () => {
    dir.write('.env', `HOOK=${GOOD_TOKEN}`).write('gateway.json5', {
      hooks: { enabled: true, token: '${HOOK}' },
    });
    chmodSync(join(dir.path, '.env'), 0o644);
    const { code, stdout } = await hooks('doctor', '--offline', '--json');
    expect(code).toBe(1);
    const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: object[] };
    expect(ok).toBe(false);
    expect(findings).toContainEqual({
      check: 'files',
      severity: 'error',
      what: `${join(dir.path, '.env')} can be read by other users`,
      fix: `chmod go-rwx '${join(dir.path, '.env')}'`,
    });
    expect(stdout).not.toContain(GOOD_TOKEN);
  });

  it('examines a configuration that cannot be parsed as far as it can', async () => {
    dir.write('gateway.json5', '{');
    const { code, stdout } = await hooks('doctor');
    expect(code).toBe(1);
    expect(stdout).toContain('error   configuration: gateway.json5 is not valid JSON5');
    expect(stdout).toContain('ok      node: Node ');
  });
});
