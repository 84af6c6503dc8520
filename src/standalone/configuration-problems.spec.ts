import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from '../hooks/index.ts';
import { ConfigDirectory } from '../../test/support/config-directory.ts';
import { loadConfiguration } from './load-configuration.ts';

const TOKEN = 'a-hook-token-of-good-length';
const minimal = { hooks: { enabled: true, token: TOKEN } };

let dir: ConfigDirectory;
beforeEach(() => (dir = new ConfigDirectory()));
afterEach(() => dir[Symbol.dispose]());

function refusal(env: Record<string, string> = {}): Record<string, string> {
  try {
    loadConfiguration(dir.path, env);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return Object.fromEntries(error.problems.map(({ key, message }) => [key, message]));
  }
  throw new Error('the configuration was accepted');
}

describe('loadConfiguration refuses', () => {
  it('every problem at once, each with its key', () => {
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
    expect(Object.keys(refusal()).toSorted()).toEqual([
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

  it('a syntax error with line and column', () => {
    dir.write('gateway.json5', '{\n  hooks: { enabled: true,, }\n}');
    expect(refusal()['gateway.json5']).toContain('line 2, column 26');
  });

  it('sections that are no objects', () => {
    dir.write('gateway.json5', {
      gateway: [],
      hooks: 5,
      channels: 'x',
      store: 1,
      ops: 'x',
      models: 1,
    });
    const keys = ['gateway', 'hooks', 'channels', 'store', 'ops', 'models'];
    expect(Object.keys(refusal()).toSorted()).toEqual(keys.toSorted());
    dir.write('gateway.json5', '[]');
    expect(Object.keys(refusal())).toEqual(['gateway.json5']);
  });

  it('a variable that is not set, with what to do', () => {
    dir.write('gateway.json5', { hooks: { enabled: true, token: '${HOOK_TOKEN}' } });
    expect(refusal()).toEqual({
      'hooks.token': expect.stringMatching(/HOOK_TOKEN.* set it in the environment or in \.env/),
    });
  });

  it("a hook token that is the gateway's own, given or generated", () => {
    dir.write('gateway.json5', { ...minimal, gateway: { auth: { token: TOKEN } } });
    expect(refusal()).toEqual({ 'hooks.token': expect.stringContaining("the gateway's own") });
    dir.write('gateway.json5', {});
    const { operatorToken } = loadConfiguration(dir.path, {});
    dir.write('gateway.json5', { hooks: { enabled: true, token: operatorToken } });
    expect(refusal()).toEqual({ 'hooks.token': expect.stringContaining("the gateway's own") });
  });

  it('a port in the environment that is none', () => {
    dir.write('gateway.json5', minimal);
    expect(Object.keys(refusal({ GATEWAY_PORT: 'http' }))).toEqual(['GATEWAY_PORT']);
    expect(Object.keys(refusal({ GATEWAY_PORT: '99999' }))).toEqual(['gateway.port']);
  });

  it('a data directory that cannot be made', () => {
    writeFileSync(join(dir.path, 'data'), 'a file');
    expect(Object.keys(refusal())).toEqual(['store.dir']);
  });
});
