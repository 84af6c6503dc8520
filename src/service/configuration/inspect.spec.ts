import { ConfigDirectory } from '../../../test/support/config-directory.ts';
import { inspectConfiguration } from './inspect.ts';

const hooks = { enabled: true, token: 'a-hook-token-of-good-length', defaultSessionKey: 'hook:x' };

let dir: ConfigDirectory;
beforeEach(() => (dir = new ConfigDirectory()));
afterEach(() => dir[Symbol.dispose]());

async function warningsOf(written: object): Promise<Record<string, string>> {
  dir.write('gateway.json5', written);
  const { problems, warnings } = await inspectConfiguration(dir.path, {});
  expect(problems).toEqual([]);
  return Object.fromEntries(warnings.map(({ key, message }) => [key, message]));
}

describe('inspectConfiguration warns of what the service would warn of', () => {
  it('a mapping to a channel that nobody serves', async () => {
    const to = (entry: object): object => ({ hooks: { ...hooks, mappings: [entry] } });
    expect(await warningsOf(to({ id: 'a', channel: 'chan_3' }))).toEqual({
      'hooks.mappings[0].channel': 'names a channel without a provider; configure channels.chan_3',
    });
    expect(await warningsOf(to({ id: 'a', channel: 'chan_3', deliver: false }))).toEqual({});
    expect(await warningsOf(to({ id: 'a', channel: 'last' }))).toEqual({});
  });

  it('a mapping to an agent that is not there', async () => {
    const mappings = [
      { id: 'a', agentId: 'nobody' },
      { id: 'b', agentId: ' OPS ' },
    ];
    const written = { hooks: { ...hooks, mappings }, agents: { list: [{ id: 'ops' }] } };
    expect(await warningsOf(written)).toEqual({
      'hooks.mappings[0].agentId':
        'names no agent ("nobody"; known: ops); the default agent takes what comes there',
    });
  });

  it('a mapping to a model while there is no provider', async () => {
    const mappings = [
      { id: 'a', model: 'openai/gpt' },
      { id: 'b', model: 'auto' },
    ];
    expect(Object.keys(await warningsOf({ hooks: { ...hooks, mappings } }))).toEqual([
      'hooks.mappings[0].model',
    ]);
  });
});
