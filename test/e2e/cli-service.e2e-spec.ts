import { createServer } from 'node:http';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { hooksCall } from '../support/cli-call.ts';
import { hooksCommand } from '../support/cli-process.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { ScriptedServer } from '../support/scripted-server.ts';

const TOKENS = {
  gateway: { auth: { token: 'the-operator-token' } },
  hooks: { token: 'the-hook-token' },
};
const COMMANDS = [
  ['send', 'wake', '--text', 'x'],
  ['events', 'list'],
  ['events', 'tail'],
  ['sessions', 'x'],
  ['status'],
];

let dir: ConfigDirectory;
let server: ScriptedServer;
beforeEach(async () => {
  dir = new ConfigDirectory().write('gateway.json5', TOKENS);
  server = new ScriptedServer(() => ({ status: 404, headers: {}, chunks: ['{}'] }));
  await server.listen();
});
afterEach(async () => {
  await server.close();
  dir[Symbol.dispose]();
});

const hooks = (args: readonly string[], env: Record<string, string> = {}) =>
  hooksCall(args, { cwd: dir.path, env });

async function closedPort(): Promise<string> {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  other.close();
  await once(other, 'close');
  return String(typeof address === 'object' ? address?.port : '');
}

describe('a service that is down', () => {
  it.each(COMMANDS)('is 3 and how to start it: hooks %s %s', async (...args) => {
    const given = args.filter((arg) => arg !== undefined);
    const { code, stdout, stderr } = await hooks(given, { GATEWAY_PORT: await closedPort() });
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('cannot be reached (ECONNREFUSED');
    expect(stderr).toContain('Start it with: hooks start');
  });

  it('was never started: no token is made up, no file is written', async () => {
    dir.remove('gateway.json5');
    const { code, stderr } = await hooks(['events', 'list']);
    expect(code).toBe(3);
    expect(stderr).toContain('There is no operator token yet');
    expect(readdirSync(dir.path)).toEqual([]);
  });
});

describe('another operator token', () => {
  it('may come from a file', async () => {
    dir.write('token', 'another-token\n');
    server.next({ status: 200, body: { events: [], nextCursor: null } });
    const args = ['events', 'list', '--url', server.origin, '--token-file', 'token'];
    expect(await hooks(args)).toMatchObject({ code: 0 });
    expect(server.requests[0]?.headers.authorization).toBe('Bearer another-token');
  });

  it.each([
    ['no-such-file', 'cannot be read (ENOENT)'],
    ['two', 'does not hold one token'],
  ])('from file %s is wrong usage', async (file, said) => {
    dir.write('two', 'a\nb');
    const { code, stderr } = await hooks(['events', 'list', '--token-file', file]);
    expect(code).toBe(2);
    expect(stderr).toContain(said);
  });
});

describe('tokens go nowhere else', () => {
  it.each([
    ['another machine', 'http://192.0.2.1:18790'],
    ['a name that looks like ours', 'http://127.0.0.1.evil.example:18790'],
  ])('not to %s', async (_what, url) => {
    const { code, stderr } = await hooks(['events', 'list', '--url', url]);
    expect(code).toBe(2);
    expect(stderr).toContain('not sent to another machine');
    expect(stderr).toContain('--token-file');
  });

  it('the hook token not to another machine either', async () => {
    dir.write('token', 'another-token');
    const args = [
      'send',
      'wake',
      '--text',
      'x',
      '--url',
      'http://192.0.2.1:1',
      '--token-file',
      'token',
    ];
    const { code, stderr } = await hooks(args);
    expect(code).toBe(2);
    expect(stderr).toContain('--hook-token-file');
  });

  it('not through a proxy of the environment', async () => {
    const env = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: server.origin, http_proxy: server.origin };
    // Node reads them when a process begins.
    const place = { cwd: dir.path, env: { ...env, GATEWAY_PORT: await closedPort() } };
    const { code } = await hooksCommand(['events', 'list'], place);
    expect(code).toBe(3);
    expect(server.requests).toEqual([]);
  });

  it('never into the command line: --token is no option', async () => {
    expect(await hooks(['events', 'list', '--token', 'x'])).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('a configuration that does not tell', () => {
  it('where the service is: 2', async () => {
    const { code, stderr } = await hooks(['events', 'list'], { GATEWAY_PORT: '0' });
    expect(code).toBe(2);
    expect(stderr).toContain('--url');
  });

  it('anything: its problems', async () => {
    dir.write('gateway.json5', '{ hooks: ');
    const { code, stderr } = await hooks(['events', 'list']);
    expect(code).toBe(1);
    expect(stderr).toContain('gateway.json5 is not valid JSON5');
  });

  it('is no matter when --url and --token-file do', async () => {
    dir.write('gateway.json5', '{ hooks: ').write('token', 'another-token');
    server.next({ status: 200, body: { events: [], nextCursor: null } });
    const args = ['events', 'list', '--url', server.origin, '--token-file', 'token'];
    expect(await hooks(args)).toMatchObject({ code: 0 });
  });
});
