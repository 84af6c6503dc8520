import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigDirectory } from '../../../test/support/config-directory.ts';
import { OPTIONAL_PACKAGES } from '../../platform/optional-package.ts';
import { inspectConfiguration } from './inspect.ts';
import { findMissing } from './packages.ts';
import type { Need } from './packages.ts';

const TOKEN = 'a-token-of-good-length-for-a-test';
const hooks = { enabled: true, token: TOKEN };

async function neededBy(sections: object): Promise<readonly Need[]> {
  using dir = new ConfigDirectory();
  dir.write('gateway.json5', { hooks, ...sections });
  const { needed, problems } = await inspectConfiguration(dir.path, {});
  expect(problems).toEqual([]);
  return needed;
}

const local = { providers: { local: { baseUrl: 'http://127.0.0.1:1/v1' } } };
const byCommand = { runner: { type: 'command', command: process.execPath } };

describe('the packages that a configuration needs', () => {
  it.each<[string, object, Record<string, string>]>([
    [
      'a provider of models',
      { models: local, agents: { defaults: { model: 'local/small' } } },
      { ai: 'models.providers.local', '@ai-sdk/openai-compatible': 'models.providers.local' },
    ],
    [
      'a local Ollama',
      { agents: { defaults: { model: 'auto' } } },
      { ai: 'agents.defaults.model', '@ai-sdk/openai-compatible': 'agents.defaults.model' },
    ],
    ['a provider that no agent asks', { models: local, agents: { defaults: byCommand } }, {}],
    [
      'another gateway',
      {
        agents: { list: [{ id: 'a', runner: { type: 'http', baseUrl: 'http://127.0.0.1:1/v1' } }] },
      },
      { ai: 'agents.list[0].runner', '@ai-sdk/openai-compatible': 'agents.list[0].runner' },
    ],
    [
      'channels',
      {
        agents: { defaults: byCommand },
        channels: {
          chan_2: { token: TOKEN },
          chan_3: { token: TOKEN, provider: 'slack' },
          chan_5: { token: TOKEN, apiRoot: 'http://127.0.0.1:1' },
        },
      },
      { grammy: 'channels.chan_2', '@slack/web-api': 'channels.chan_3' },
    ],
    [
      'the metrics',
      { agents: { defaults: byCommand }, ops: { metricsToken: 'another-token-for-metrics' } },
      { 'prom-client': 'ops.metricsToken' },
    ],
  ])('%s', async (_, sections, expected) => {
    const needed = await neededBy(sections);
    expect(Object.fromEntries(needed.map(({ name, key }) => [name, key]))).toEqual(expected);
  });

  it('are told together, with one command', async () => {
    const needed = await neededBy({
      models: local,
      agents: { defaults: { model: 'local/small' } },
      channels: { chan_2: { token: TOKEN } },
    });
    const directory = mkdtempSync(join(tmpdir(), 'packages-'));
    try {
      const ai = join(directory, 'node_modules', 'ai');
      mkdirSync(ai, { recursive: true });
      writeFileSync(join(ai, 'package.json'), '{"name":"ai","version":"7.0.200"}');
      const from = pathToFileURL(join(directory, 'app.js')).href;
      expect(findMissing(needed, from)).toEqual({
        what: 'missing, or of another version: @ai-sdk/openai-compatible (for models.providers.local), grammy (for channels.chan_2); what needs them waits',
        command: `npm i [-g] @ai-sdk/openai-compatible@${OPTIONAL_PACKAGES['@ai-sdk/openai-compatible']} grammy@${OPTIONAL_PACKAGES.grammy}`,
        packages: [
          `@ai-sdk/openai-compatible@${OPTIONAL_PACKAGES['@ai-sdk/openai-compatible']}`,
          `grammy@${OPTIONAL_PACKAGES.grammy}`,
        ],
      });
    } finally {
      rmSync(directory, { recursive: true });
    }
    expect(findMissing(needed)).toBeNull();
  });
});
