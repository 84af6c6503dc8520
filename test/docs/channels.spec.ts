import { readFile } from 'node:fs/promises';
import JSON5 from 'json5';
import { DEFAULT_PROVIDERS } from '../../src/adapters/channels/providers.ts';
import { CHANNEL_IDS } from '../../src/hooks/index.ts';
import { bindChannels } from '../../src/service/configuration/channels-section.ts';
import { PLATFORMS } from '../support/platforms/index.ts';

const text = await readFile(new URL('../../docs/channels.md', import.meta.url), 'utf8');

/** Rows of the first table: channel, platform, recipient, limit, key. */
const rows = Array.from(text.matchAll(/^\| `(chan_\d)` +\|(.*)\|$/gm), ([, id = '', rest = '']) => {
  const [platform = '', , limit = '', key = ''] = rest.split('|').map((cell) => cell.trim());
  return { id, platform: platform.replaceAll('`', ''), limit, key };
});

describe('docs/channels.md', () => {
  it('has the default binding, and each platform’s limit and keys', () => {
    expect(rows).toEqual(
      CHANNEL_IDS.map((id) => {
        const platform = DEFAULT_PROVIDERS[id];
        const speech = PLATFORMS.find(([name]) => name === platform)?.[1];
        const limit = speech?.limit.toLocaleString('en') ?? '';
        return { id, platform, limit, key: speech?.knowsKeys === true ? 'yes' : '—' };
      }),
    );
  });

  it.each(CHANNEL_IDS)(
    'has five steps for the platform of %s, and its configuration works',
    (id) => {
      const [, section = ''] = text.split(`\n## ${DEFAULT_PROVIDERS[id]}\n`);
      const [steps = ''] = section.split('\n## ');
      expect(Array.from(steps.matchAll(/^(\d)\. /gm), ([, n]) => n)).toEqual([
        '1',
        '2',
        '3',
        '4',
        '5',
      ]);
      const [, written = ''] =
        /^4\. In `gateway\.json5`.*\n\n {3}```json5\n([\s\S]*?)^ {3}```$/m.exec(steps) ?? [];
      const { channels } = JSON5.parse<{ channels: Record<string, unknown> }>(written);
      const { bindings, problems } = bindChannels(channels);
      expect(problems).toEqual([]);
      expect(bindings[id]?.provider.provider).toBe(DEFAULT_PROVIDERS[id]);
      expect(bindings[id]?.to).toEqual(expect.any(String));
    },
  );
});
