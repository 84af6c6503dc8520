import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from '../../hooks/index.ts';
import { ConfigDirectory } from '../../../test/support/config-directory.ts';
import { loadConfiguration } from './load.ts';

const TOKEN = 'a-hook-token-of-good-length';
const minimal = { hooks: { enabled: true, token: TOKEN } };

let dir: ConfigDirectory;
beforeEach(() => (dir = new ConfigDirectory()));
afterEach(() => dir[Symbol.dispose]());

async function refusal(env: Record<string, string> = {}): Promise<Record<string, string>> {
  try {
    await loadConfiguration(dir.path, env);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return Object.fromEntries(error.problems.map(({ key, message }) => [key, message]));
  }
  throw new Error('the configuration was accepted');
}

describe('loadConfiguration refuses', () => {
  it('every problem at once, each with its key', async () => {
    dir.write('gateway.json5', {
      gatway: {},
      gateway: { port: 70_000, auth: { token: ' ' }, trustedProxies: ['10.0.0.0/99'], hots: 'x' },
      hooks: { enabled: true, token: '${HOOK}', agents: {}, maxBodyBytes: 'big' },
      agents: { list: [{ id: 'a b' }] },
      models: { providers: { local: { baseUrl: 'nowhere' } } },
      channels: { chan_9: {}, chan_1: { provider: 'pigeon' }, chan_2: { provider: 'telegram' } },
      store: { payloadDays: -1, color: 'red' },
      ops: { exposed: 'yes' },
    });
    expect(Object.keys(await refusal()).toSorted()).toEqual([
      'agents.list[0].id',
      'channels.chan_1.provider',
      'channels.chan_2',
      'channels.chan_9',
      'gateway.auth.token',
      'gateway.hots',
      'gateway.port',
      'gateway.trustedProxies',
      'gatway',
      'hooks.agents',
      'hooks.maxBodyBytes',
      'hooks.token',
      'models.providers.local.baseUrl',
      'ops.exposed',
      'store.color',
      'store.payloadDays',
    ]);
    expect(existsSync(join(dir.path, 'data'))).toBe(false);
  });

  it('a syntax error with line and column', async () => {
    dir.write('gateway.json5', '{\n  hooks: { enabled: true,, }\n}');
    expect((await refusal())['gateway.json5']).toContain('line 2, column 26');
  });

  it('sections that are no objects', async () => {
    dir.write('gateway.json5', {
      gateway: [],
      hooks: 5,
      channels: 'x',
      store: 1,
      ops: 'x',
      models: 1,
    });
    const keys = ['gateway', 'hooks', 'channels', 'store', 'ops', 'models'];
    expect(Object.keys(await refusal()).toSorted()).toEqual(keys.toSorted());
    dir.write('gateway.json5', '[]');
    expect(Object.keys(await refusal())).toEqual(['gateway.json5']);
  });

  it('a variable that is not set, with what to do', async () => {
    dir.write('gateway.json5', { hooks: { enabled: true, token: '${HOOK_TOKEN}' } });
    expect(await refusal()).toEqual({
      'hooks.token': expect.stringMatching(/HOOK_TOKEN.* set it in the environment or in \.env/),
    });
  });

  it('a variable of a list that is not set, once', async () => {
    const verify = { scheme: 'github', secrets: ['${GITHUB_SECRET}', ' '] };
    const mappings = [{ id: 'm', match: { path: 'm' }, verify }];
    dir.write('gateway.json5', { hooks: { ...minimal.hooks, mappings } });
    expect(await refusal()).toEqual({
      'hooks.mappings[0].verify.secrets[0]': expect.stringContaining('the variable GITHUB_SECRET'),
    });
    expect(await refusal({ GITHUB_SECRET: 'a-secret-of-good-length' })).toEqual({
      'hooks.mappings[0].verify.secrets': expect.stringContaining('a blank secret'),
    });
  });

  it("a hook token that is the gateway's own, given or generated", async () => {
    dir.write('gateway.json5', { ...minimal, gateway: { auth: { token: TOKEN } } });
    expect(await refusal()).toEqual({
      'hooks.token': expect.stringContaining("the gateway's own"),
    });
    dir.write('gateway.json5', {});
    const { operatorToken } = await loadConfiguration(dir.path, {});
    dir.write('gateway.json5', { hooks: { enabled: true, token: operatorToken } });
    expect(await refusal()).toEqual({
      'hooks.token': expect.stringContaining("the gateway's own"),
    });
  });

  it('a port in the environment that is none', async () => {
    dir.write('gateway.json5', minimal);
    expect(Object.keys(await refusal({ GATEWAY_PORT: 'http' }))).toEqual(['GATEWAY_PORT']);
    expect(Object.keys(await refusal({ GATEWAY_PORT: '99999' }))).toEqual(['gateway.port']);
  });

  it('a transform that cannot be loaded, with its mapping', async () => {
    const mappings = [{ id: 'm', transform: { module: 't.ts' } }];
    dir.write('gateway.json5', { hooks: { mappings } });
    expect(await refusal()).toEqual({
      'hooks.mappings[0].transform.module': expect.stringMatching(
        /^of mapping "m" cannot be loaded: .* create transforms in the configuration directory$/,
      ),
    });
    mkdirSync(join(dir.path, 'transforms'));
    dir.write('transforms/t.ts', 'export default () => {');
    expect(await refusal()).toEqual({
      'hooks.mappings[0].transform.module': expect.stringContaining(
        'of mapping "m" names t.ts, which cannot be used: t.ts:1:23: Unexpected end of file',
      ),
    });
  });

  it('configDir, which is where the file is', async () => {
    dir.write('gateway.json5', { hooks: { configDir: '/' } });
    expect(Object.keys(await refusal())).toEqual(['hooks.configDir']);
  });

  it('a data directory that cannot be made', async () => {
    writeFileSync(join(dir.path, 'data'), 'a file');
    expect(Object.keys(await refusal())).toEqual(['store.dir']);
  });
});
