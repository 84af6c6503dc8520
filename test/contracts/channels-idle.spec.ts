import { jest } from '@jest/globals';

const LIBRARIES = ['grammy', '@discordjs/rest', '@slack/web-api'];
const loaded: string[] = [];
for (const name of LIBRARIES) {
  jest.unstable_mockModule(name, () => {
    loaded.push(name);
    return {};
  });
}
const { channelProviders, makeChannel } = await import('../../src/adapters/channels/providers.ts');

const settings = { token: 't', apiRoot: 'http://127.0.0.1:1' };
const FULL = {
  whatsapp: { ...settings, phoneNumberId: '1' },
  telegram: settings,
  discord: settings,
  slack: settings,
  mattermost: settings,
  signal: { ...settings, account: '+491700000000' },
  imessage: { apiRoot: settings.apiRoot, password: 'p' },
  msteams: { apiRoot: settings.apiRoot, appId: 'a', appSecret: 's' },
  webhook: {
    url: settings.apiRoot,
    secrets: [`whsec_${Buffer.alloc(24).toString('base64')}`],
    allowPrivate: true,
  },
  github: { ...settings, repositories: ['*'] },
  gitlab: { ...settings, repositories: ['*'] },
  gitea: { ...settings, repositories: ['*'] },
  linear: settings,
  jira: { ...settings, account: 'a', accountId: 'b', projects: ['*'] },
};

describe('idle providers', () => {
  it('import no library before they have something to send', async () => {
    const names = Object.keys(channelProviders) as (keyof typeof channelProviders)[];
    const channels = names.map((name) => makeChannel(name, FULL[name]));
    for (const channel of channels) channel.parts('Hello');
    expect(channels).toHaveLength(14);
    expect(loaded).toEqual([]);
    const message = { to: '1', text: 'Hello', idempotencyKey: 'k' };
    const { signal } = new AbortController();
    await Promise.allSettled(channels.map((channel) => channel.send(message, signal)));
    expect(loaded.toSorted()).toEqual(LIBRARIES.toSorted());
  });
});
