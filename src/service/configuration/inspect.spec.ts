import { ConfigDirectory } from '../../../test/support/config-directory.ts';
import { inspectConfiguration } from './inspect.ts';

const hooks = { enabled: true, token: 'a-hook-token-of-good-length', defaultSessionKey: 'hook:x' };

let dir: ConfigDirectory;
beforeEach(() => (dir = new ConfigDirectory()));
afterEach(() => dir[Symbol.dispose]());

async function warningsOf(written: object): Promise<Record<string, string>> {
  const agents = { defaults: { model: 'auto' } };
  dir.write('gateway.json5', { agents, ...written });
  const { problems, warnings } = await inspectConfiguration(dir.path, {});
  expect(problems).toEqual([]);
  return Object.fromEntries(warnings.map(({ key, message }) => [key, message]));
}

describe('inspectConfiguration warns of what the service would warn of', () => {
  describe('replies that name no channel and can never be delivered (behaviour §5)', () => {
    const bot = { provider: 'telegram', token: 't' };
    const to = (channels: object, mappings: object[] = []): object => ({
      hooks: { ...hooks, mappings },
      channels,
    });

    it('several channels, and the default is none of them', async () => {
      const channels = { chan_2: { ...bot, to: '1' }, chan_3: { ...bot, to: '2' } };
      expect(await warningsOf(to(channels))).toEqual({
        'channels.default':
          'is chan_1, which has no provider, so no reply of a hook that names no channel can be delivered; set it to chan_2 or chan_3',
      });
      expect(await warningsOf(to({ ...channels, default: 'chan_3' }))).toEqual({});
    });

    it('a default channel that has nobody to speak to', async () => {
      expect(await warningsOf(to({ chan_2: bot }))).toEqual({
        'channels.chan_2.to': expect.stringContaining('cannot be delivered; set it'),
      });
      const content = { id: 'a', to: '{{ chat }}' };
      expect(Object.keys(await warningsOf(to({ chan_2: bot }, [content])))).toEqual([
        'channels.chan_2.to',
      ]);
      expect(await warningsOf(to({ chan_2: bot }, [{ id: 'a', to: '42' }]))).toEqual({});
    });

    it('not where none is configured, nor where hooks are off', async () => {
      expect(await warningsOf(to({}))).toEqual({});
      const off = { hooks: { ...hooks, enabled: false }, channels: { chan_2: bot } };
      expect(Object.keys(await warningsOf(off))).toEqual(['hooks.enabled']);
    });
  });
});

describe('inspectConfiguration of values that are no texts', () => {
  const odd = { toString: false };

  it.each([
    ['hooks.presets', { presets: [odd] }],
    ['hooks.tokens[0].id', { tokens: [{ id: odd, token: 'another-token-of-good-length' }] }],
    ['hooks.tokens[0].hooks', { tokens: [{ id: 'a', token: 'x'.repeat(24), hooks: [odd] }] }],
  ])('%s is a problem', async (key, over) => {
    dir.write('gateway.json5', { hooks: { ...hooks, ...over } });
    const { problems } = await inspectConfiguration(dir.path, {});
    expect(problems.map((problem) => problem.key).join()).toContain(key);
  });

  it('headers of a gateway are a problem', async () => {
    const runner = { type: 'gateway', url: 'http://127.0.0.1:1', headers: { a: odd } };
    dir.write('gateway.json5', { hooks, agents: { defaults: { runner } } });
    const { problems } = await inspectConfiguration(dir.path, {});
    expect(problems.map(({ key }) => key).join()).toContain('agents.defaults.runner.headers');
  });
});
