import { hookRequest, ingest } from '../../../test/support/ingest.ts';
import { presetFixture } from '../../../test/support/preset-fixtures.ts';
import type { HooksSettingsInput } from '../options/index.ts';
import { presets } from './index.ts';

type Mapping = NonNullable<HooksSettingsInput['mappings']>[number];

const { headers, body } = presetFixture('gitea').request;

async function giteaWith(mapping: Mapping, name = 'gitea') {
  const hooks = ingest({ presets: ['gitea'], mappings: [{ id: 'gitea', ...mapping }] });
  const { actions } = await hooks.apply(hookRequest(name, body, { headers }));
  return actions;
}

describe('a mapping with the id of a preset merges over it (behaviour §7), for every kind of field', () => {
  it.each([
    ['nothing', {}, { name: 'Gitea', sessionKey: 'hook:gitea:acme/shop' }],
    ['a text', { instructions: 'Be brief.' }, { instructions: 'Be brief.', name: 'Gitea' }],
    ['a template of words', { messageTemplate: '{{ ref }}' }, { message: 'refs/heads/main' }],
    ['a list of values', { channel: 'chan_2' }, { deliver: { channel: 'chan_2' } }],
    ['a switch', { deliver: false }, { deliver: null }],
    ['a number', { timeoutSeconds: 9 }, { timeoutSeconds: 9 }],
  ] as [string, Mapping, object][])('%s', async (_, mapping, expected) => {
    expect(await giteaWith(mapping)).toMatchObject([expected]);
  });

  it('a match takes the place of the whole match', async () => {
    expect(await giteaWith({ match: { path: 'git/hub' } }, 'git/hub')).toMatchObject([
      { name: 'Gitea' },
    ]);
  });

  it('trust is taken where nothing but the path chooses the preset, and refused where the sender could', async () => {
    const trusted = (id: string) =>
      ingest({ presets: [id], mappings: [{ id, allowUnsafeExternalContent: true }] });
    const { actions } = await trusted('apprise').apply(hookRequest('apprise', { title: 'x' }));
    expect(actions).toMatchObject([{ trust: { level: 'trusted', mapping: 'apprise' } }]);
    expect(() => trusted('gitea')).toThrow(/allowUnsafeExternalContent must not be true/u);
  });

  it('forEach makes one action per item', async () => {
    const mapping = { forEach: 'commits', messageTemplate: '{{ item.id }}' };
    expect(await giteaWith(mapping)).toMatchObject([
      { message: expect.stringMatching(/^6f2d54/u) },
    ]);
  });

  it('an action of wake keeps the words of the preset', async () => {
    const [wake] = await giteaWith({ action: 'wake' });
    expect(wake).toMatchObject({
      kind: 'wake',
      text: expect.stringMatching(/^Gitea: push to refs\/heads\/main of acme\/shop by ann\n/u),
    });
    expect(await giteaWith({ action: 'wake', textTemplate: 'Git' })).toMatchObject([
      { text: 'Git' },
    ]);
  });
});

describe('presets', () => {
  it.each([...presets])('%s has its own id as its path, and is sound alone', (name, preset) => {
    expect([preset.id, preset.match]).toEqual([name, { path: name }]);
    expect(() => ingest({ presets: [name], allowedSessionKeyPrefixes: ['hook:'] })).not.toThrow();
  });

  it('none sends anywhere, trusts anything or chooses an agent by itself', () => {
    const control = ['to', 'channel', 'deliver', 'agentId', 'model', 'allowUnsafeExternalContent'];
    const all = [...presets.values()].flatMap((preset) => [preset, ...(preset.cases ?? [])]);
    const given = all.flatMap((mapping) => Object.keys(mapping));
    expect(given.filter((field) => control.includes(field))).toEqual([]);
  });
});
