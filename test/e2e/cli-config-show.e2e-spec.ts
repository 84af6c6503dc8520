import { readdir } from 'node:fs/promises';
import JSON5 from 'json5';
import { hooksCall } from '../support/cli-call.ts';
import { ConfigDirectory } from '../support/config-directory.ts';

const CANARY = 'canary-of-the-tests';
const secret = (name: string): string => `${CANARY}-${name}-0123456789abcdef`;

let dir: ConfigDirectory;
beforeEach(() => (dir = new ConfigDirectory()));
afterEach(() => dir[Symbol.dispose]());

function show(...args: string[]): ReturnType<typeof hooksCall> {
  return hooksCall(['config', 'show', ...args], { cwd: dir.path });
}

/** Every kind of secret, written out and by a variable. */
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
      hooks: { enabled: true, token: '***', maxBodyBytes: 1_048_576 },
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
