import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigDirectory } from '../../../test/support/config-directory.ts';
import { inspectConfiguration } from './inspect.ts';
import { configurationDirectory, loadConfiguration } from './load.ts';

const TOKEN = 'a-hook-token-of-good-length';
const minimal = {
  hooks: { enabled: true, token: TOKEN },
  agents: { defaults: { model: 'auto' } },
};

let dir: ConfigDirectory;
beforeEach(() => (dir = new ConfigDirectory()));
afterEach(() => dir[Symbol.dispose]());

describe('loadConfiguration without gateway.json5', () => {
  it('shows a demo on loopback with tokens of its own', async () => {
    const demo = await loadConfiguration(dir.path, {});
    expect(demo).toMatchObject({
      isDemo: true,
      gateway: { host: '127.0.0.1', port: 18_790 },
      hooks: { enabled: true, agents: { defaults: { model: 'auto' } } },
    });
    expect(demo.hooks.token).toBe(readFileSync(join(dir.path, 'data/hook-token'), 'utf8').trim());
    expect(demo.operatorToken).not.toBe(demo.hooks.token);
  });

  it('keeps the tokens readable by this user only, and uses them again', async () => {
    const first = await loadConfiguration(dir.path, {});
    const second = await loadConfiguration(dir.path, {});
    expect(second.hooks.token).toBe(first.hooks.token);
    expect(second.operatorToken).toBe(first.operatorToken);
    const modes = ['data', 'data/hook-token', 'data/operator-token'].map(
      (name) => statSync(join(dir.path, name)).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o600, 0o600]);
  });
});

describe('loadConfiguration with gateway.json5', () => {
  it('warns of a key that is given twice, as `hooks config check` does', async () => {
    const hooks = `{ enabled: true, token: '${TOKEN}', path: '/a', path: '/hooks' }`;
    dir.write('gateway.json5', `{ hooks: ${hooks}, agents: { defaults: { model: 'auto' } } }`);
    const { warnings } = await loadConfiguration(dir.path, {});
    expect(warnings.map(({ key }) => key)).toContain('hooks.path');
  });

  it('generates the operator token when gateway.auth.token is absent, never the hook token', async () => {
    dir.write('gateway.json5', { ...minimal, store: { dir: 'state' } });
    const { operatorToken, hooks } = await loadConfiguration(dir.path, {});
    expect(readFileSync(join(dir.path, 'state/operator-token'), 'utf8').trim()).toBe(operatorToken);
    expect(hooks).toMatchObject({ token: TOKEN, gatewayAuthToken: operatorToken });
    expect(existsSync(join(dir.path, 'state/hook-token'))).toBe(false);
  });

  it('tells the hooks the secrets of other sections, so that no request shows them', async () => {
    const ops = { metricsToken: 'a-token-for-the-metrics-alone' };
    const channels = { chan_2: { provider: 'telegram', token: '${BOT}', to: '5' } };
    dir.write('gateway.json5', { ...minimal, ops, channels });
    const { hooks } = await loadConfiguration(dir.path, { BOT: '123:the-token-of-a-bot' });
    const others = ['123:the-token-of-a-bot', ops.metricsToken];
    expect(hooks.otherSecrets).toEqual(expect.arrayContaining(others));
  });

  it.each([
    ['http://models.example.org/v1', true],
    ['HTTP://203.0.113.5:8080/', true],
    ['http://[2001:db8::1]/', true],
    ['https://models.example.org/v1', false],
    ['http://127.0.0.1:1234/v1', false],
    ['http://[::1]:1234/v1', false],
    ['http://192.168.1.5:1234/v1', false],
    ['http://[fd00::1]/', false],
    ['http://llm:8080/v1', false],
    ['http://llm.internal/', false],
  ])('warns of a key that is sent to %s: %s', async (baseUrl, isWarned) => {
    const models = { providers: { p: { type: 'openai-compatible', baseUrl, apiKey: 'sk-key' } } };
    const channels = {
      chan_2: { provider: 'telegram', token: '1:bot', to: '5', apiRoot: baseUrl },
    };
    const web = { url: baseUrl, headers: { authorization: 'Bearer sk-key' } };
    const agents = { list: [{ id: 'a', tools: { mcp: { web } } }] };
    dir.write('gateway.json5', { ...minimal, models, channels, agents });
    const { warnings } = await loadConfiguration(dir.path, {});
    const found = warnings.filter(({ message }) => message.includes('without TLS'));
    const keys = [
      'agents.list[0].tools.mcp.web.url',
      'models.providers.p.baseUrl',
      'channels.chan_2.apiRoot',
    ];
    expect(found.map(({ key }) => key)).toEqual(isWarned ? keys : []);
    expect(JSON.stringify(warnings)).not.toContain('sk-key');
  });

  it('warns of no address to which no secret is sent', async () => {
    const baseUrl = 'http://models.example.org/v1';
    const models = { providers: { p: { type: 'openai-compatible', baseUrl } } };
    dir.write('gateway.json5', { ...minimal, models });
    const { warnings } = await loadConfiguration(dir.path, {});
    expect(warnings.filter(({ message }) => message.includes('without TLS'))).toEqual([]);
  });

  it('takes the variables of .env, and the real environment before them', async () => {
    dir.write('gateway.json5', { hooks: { token: '${HOOK}', defaultSessionKey: '${KEY}' } });
    dir.write('.env', 'HOOK=from-dotenv\nKEY=hook:dotenv\n');
    const { hooks } = await loadConfiguration(dir.path, { KEY: 'hook:real' });
    expect(hooks).toMatchObject({ token: 'from-dotenv', defaultSessionKey: 'hook:real' });
  });

  it('takes files that an editor put a mark before', async () => {
    const sections = { hooks: { token: '${HOOK}' } };
    mkdirSync(join(dir.path, 'gateway.d'));
    dir.write('gateway.json5', `\uFEFF${JSON.stringify(sections)}`);
    dir.write('gateway.d/a.json5', "\uFEFF{ hooks: { defaultSessionKey: 'hook:a' } }");
    dir.write('.env', '\uFEFFHOOK=from-dotenv\r\n');
    const { hooks } = await loadConfiguration(dir.path, {});
    expect(hooks).toMatchObject({ token: 'from-dotenv', defaultSessionKey: 'hook:a' });
  });

  it.each<[string, string, Uint8Array]>([
    ['.env', 'UTF-16', Buffer.from('\uFEFFHOOK=a\n', 'utf16le')],
    ['.env', 'UTF-16 without a mark', Buffer.from('HOOK=a\n', 'utf16le')],
    ['.env', 'UTF-16, the other way round', Buffer.from('\uFEFFHOOK=a\n', 'utf16le').swap16()],
    ['.env', 'Latin-1', Buffer.from('HOOK=ä\n', 'latin1')],
    ['gateway.json5', 'UTF-16', Buffer.from('\uFEFF{}', 'utf16le')],
    ['gateway.d/a.json5', 'Latin-1', Buffer.from('{ /* ä */ }', 'latin1')],
  ])('refuses a %s in %s', async (file, _, bytes) => {
    mkdirSync(join(dir.path, 'gateway.d'));
    dir.write('gateway.json5', minimal);
    writeFileSync(join(dir.path, file), bytes);
    await expect(loadConfiguration(dir.path, {})).rejects.toMatchObject({
      problems: [{ key: file, message: 'is not in UTF-8; save it in that encoding' }],
    });
  });

  it('uses secrets without what a file put around them, and warns of what may be none', async () => {
    const sections = {
      gateway: { auth: { token: '${OPERATOR}' } },
      hooks: {
        enabled: true,
        token: '${HOOK}',
        mappings: [{ id: 'a', verify: { scheme: 'github', secrets: ['${SIGNED}'] } }],
      },
      agents: minimal.agents,
      channels: { chan_2: { provider: 'telegram', token: '${BOT}', to: '5' } },
      ops: { metricsToken: '${METRICS}' },
    };
    dir.write('gateway.json5', sections);
    const env = {
      OPERATOR: 'the-operator-token-of-a-file\r\n',
      HOOK: `\uFEFF${TOKEN}\n`,
      SIGNED: '"a-secret-of-good-length"\n',
      BOT: '"123:the-token-of-a-bot"',
      METRICS: "'the-token-of-the-metrics'",
    };
    const { operatorToken, hooks } = await loadConfiguration(dir.path, env);
    expect([operatorToken, hooks.token?.trim()]).toEqual(['the-operator-token-of-a-file', TOKEN]);
    const { warnings } = await inspectConfiguration(dir.path, env);
    const quoted = warnings.filter(({ message }) => message.startsWith('stands in quotes'));
    expect(quoted.map(({ key }) => key).toSorted()).toEqual([
      'channels.chan_2.token',
      'hooks.mappings[0].verify.secrets[0]',
      'ops.metricsToken',
    ]);
  });

  it('warns of a value in .env that is cut, and not of one that is whole', async () => {
    dir.write('gateway.json5', { ...minimal, hooks: { enabled: true, token: '${HOOK}' } });
    dir.write('.env', `HOOK=${TOKEN}#and-more\nOTHER="${TOKEN}#and-more"\n`);
    const { warnings } = await loadConfiguration(dir.path, {});
    expect(warnings).toEqual([
      { key: '.env', message: expect.stringContaining('a value of HOOK that') },
    ]);
  });

  it('lets GATEWAY_HOST and GATEWAY_PORT win over the file', async () => {
    dir.write('gateway.json5', { ...minimal, gateway: { host: '127.0.0.1', port: 1 } });
    const { gateway } = await loadConfiguration(dir.path, {
      GATEWAY_HOST: '::1',
      GATEWAY_PORT: '0',
    });
    expect(gateway).toMatchObject({ host: '::1', port: 0 });
  });

  it('warns of listening beyond loopback without trusted proxies', async () => {
    dir.write('gateway.json5', { ...minimal, gateway: { host: '0.0.0.0' } });
    expect((await loadConfiguration(dir.path, {})).warnings.map(({ key }) => key)).toEqual([
      'gateway.host',
    ]);
    dir.write('gateway.json5', {
      ...minimal,
      gateway: { host: '0.0.0.0', trustedProxies: ['10.0.0.0/8'] },
      ops: { listen: 18_791 },
    });
    expect((await loadConfiguration(dir.path, {})).warnings).toEqual([]);
  });

  it.each([
    ['gateway.trustedProxies', { gateway: { trustedProxies: ['127.0.0.1'] } }],
    ['hooks.publicUrl', { hooks: { ...minimal.hooks, publicUrl: 'https://hooks.example.org' } }],
  ])('warns of %s without ops.listen: the proxy may forward everything', async (key, sections) => {
    const warnings = async (more: object) => {
      dir.write('gateway.json5', { ...minimal, ...sections, ...more });
      return (await loadConfiguration(dir.path, {})).warnings;
    };
    expect(await warnings({})).toContainEqual({
      key: 'ops.listen',
      message: expect.stringContaining(`(${key})`),
    });
    const listening = await warnings({ ops: { listen: 18_791 } });
    expect(listening.map((warning) => warning.key)).not.toContain('ops.listen');
  });

  it('warns of proxies that may be anybody, as doctor does', async () => {
    const gateway = { trustedProxies: ['127.0.0.1', '0.0.0.0/0'] };
    dir.write('gateway.json5', { ...minimal, gateway, ops: { listen: 18_791 } });
    expect((await loadConfiguration(dir.path, {})).warnings).toEqual([
      {
        key: 'gateway.trustedProxies',
        message: expect.stringContaining('holds 0.0.0.0/0: anybody can claim any address'),
      },
    ]);
  });

  it('warns of hooks that are off, since every one of them answers 404', async () => {
    dir.write('gateway.json5', {});
    expect((await loadConfiguration(dir.path, {})).warnings.map(({ key }) => key)).toEqual([
      'hooks.enabled',
    ]);
  });

  it.each([
    ['agents.defaults.model', { defaults: { model: 'openai/gpt-5' } }],
    [
      'agents.list[1].model',
      {
        list: [
          { id: 'main', model: 'auto' },
          { id: 'ops', model: 'gpt-5' },
        ],
      },
    ],
  ])('warns of %s when no provider can serve it', async (key, agents) => {
    dir.write('gateway.json5', { ...minimal, agents });
    const { warnings } = await loadConfiguration(dir.path, {});
    expect(warnings).toEqual([{ key, message: expect.stringContaining('add its provider') }]);
  });

  it('does not warn of a model that a program is given, or of auto', async () => {
    const runner = { type: 'command', command: process.execPath };
    const list = [
      { id: 'main', model: 'opus', runner },
      { id: 'ops', model: 'auto' },
    ];
    dir.write('gateway.json5', { ...minimal, agents: { list } });
    expect((await loadConfiguration(dir.path, {})).warnings).toEqual([]);
  });
});

describe('configurationDirectory', () => {
  it('is GATEWAY_CONFIG_DIR, else the working directory', () => {
    expect(configurationDirectory({}, dir.path)).toBe(dir.path);
    expect(configurationDirectory({ GATEWAY_CONFIG_DIR: dir.path }, '/')).toBe(dir.path);
  });

  it('is refused when it does not exist', () => {
    expect(() => configurationDirectory({ GATEWAY_CONFIG_DIR: 'nowhere' }, dir.path)).toThrow(
      /GATEWAY_CONFIG_DIR names no directory/,
    );
  });
});
