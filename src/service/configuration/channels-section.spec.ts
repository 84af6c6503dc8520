import { CHANNEL_IDS } from '../../hooks/index.ts';
import { bindChannels } from './channels-section.ts';

const COMPLETE = {
  chan_1: { token: 't', phoneNumberId: '1' },
  chan_2: { token: 't' },
  chan_3: { token: 't' },
  chan_4: { token: 't' },
  chan_5: { token: 't', apiRoot: 'https://chat.example.org' },
  chan_6: { apiRoot: 'http://127.0.0.1:8080', account: '+491700000000' },
  chan_7: { apiRoot: 'http://127.0.0.1:1234', password: 'p' },
  chan_8: { appId: 'a', appSecret: 's' },
};

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const WEBHOOK = {
  provider: 'webhook',
  url: 'https://receiver.example.org/messages?tenant=1',
  secrets: [SECRET],
};

function problemsOf(section: unknown): string[] {
  return bindChannels(section).problems.map(({ key, message }) => `${key} ${message}`);
}

describe('bindChannels', () => {
  it('without a provider each channel has the platform of its number', () => {
    const { bindings, problems } = bindChannels(COMPLETE);
    expect(problems).toEqual([]);
    expect(CHANNEL_IDS.map((id) => bindings[id]?.provider.provider)).toEqual([
      'whatsapp',
      'telegram',
      'discord',
      'slack',
      'mattermost',
      'signal',
      'imessage',
      'msteams',
    ]);
  });

  it('any provider may serve any channel, and the recipients follow it', () => {
    const { bindings } = bindChannels({
      chan_1: { provider: 'slack', token: 't', to: 'C0123456789' },
    });
    expect(bindings.chan_1?.provider.provider).toBe('slack');
    expect(bindings.chan_1?.provider.expectedInsteadOf('+491701234567')).toMatch(/channel id/);
  });

  it('chan_7 takes any recipient that is not blank (specification)', () => {
    const { bindings } = bindChannels(COMPLETE);
    for (const to of ['+49', 'ada@example.com', 'iMessage;+;chat1', 'Ada', '42']) {
      expect(bindings.chan_7?.provider.expectedInsteadOf(to)).toBeNull();
    }
  });

  it('channels with the same settings are one account of their platform', () => {
    const bot = { provider: 'telegram', token: 't', apiRoot: 'https://bots.example.org' };
    const { apiRoot, token, provider } = bot;
    const { bindings } = bindChannels({
      chan_2: { ...bot, to: '1', onUnknown: 'stop' },
      chan_5: { apiRoot, token, provider, to: '2' },
      chan_6: { ...bot, token: 'u' },
      chan_7: { ...bot, provider: 'slack' },
    });
    expect(bindings.chan_5?.provider).toBe(bindings.chan_2?.provider);
    expect(bindings.chan_5).toMatchObject({ to: '2', onUnknown: undefined });
    const accounts = [bindings.chan_2, bindings.chan_6, bindings.chan_7];
    expect(new Set(accounts.map((binding) => binding?.provider)).size).toBe(3);
  });

  it('the same template is the same account, another one is not', () => {
    const whatsapp = { ...COMPLETE.chan_1, provider: 'whatsapp' };
    const template = { name: 'gateway_alert', language: 'en_US' };
    const { bindings, problems } = bindChannels({
      chan_1: { ...whatsapp, template },
      chan_2: { ...whatsapp, template: { language: 'en_US', name: 'gateway_alert' } },
      chan_3: whatsapp,
    });
    expect(problems).toEqual([]);
    expect(bindings.chan_2?.provider).toBe(bindings.chan_1?.provider);
    expect(bindings.chan_3?.provider).not.toBe(bindings.chan_1?.provider);
  });

  it('a webhook may serve any channel', () => {
    const { bindings, problems } = bindChannels({
      chan_3: { ...WEBHOOK, to: 'on-call' },
      chan_5: { ...WEBHOOK, url: 'http://10.0.0.1/messages', allowPrivate: true },
    });
    expect(problems).toEqual([]);
    const served = [bindings.chan_3, bindings.chan_5].map((one) => one?.provider.provider);
    expect(served).toEqual(['webhook', 'webhook']);
  });

  it('takes what the channels have in common', () => {
    expect(bindChannels(COMPLETE).bindings.retryHours).toBe(24);
    expect(bindChannels({ retryHours: 0.5 }).bindings.retryHours).toBe(0.5);
    const { bindings } = bindChannels({ chan_2: { token: 't', onUnknown: 'stop' } });
    expect(bindings.chan_2?.onUnknown).toBe('stop');
  });

  it('takes a topic and a format of Telegram', () => {
    const chan_2 = { token: 't', to: '-1001234567890/42', format: 'plain' };
    const { bindings, problems } = bindChannels({ chan_2 });
    expect(problems).toEqual([]);
    expect(bindings.chan_2?.to).toBe('-1001234567890/42');
  });

  it.each([
    [[], 'channels must be an object'],
    [{ chan_9: {} }, 'channels.chan_9 is not a channel; use chan_1 to chan_8'],
    [{ retryHours: 0 }, 'channels.retryHours must be a positive number'],
    [{ retryHours: 169 }, 'channels.retryHours must not be greater than 168'],
    [{ chan_2: { provider: 'fax' } }, /^channels.chan_2.provider must be one of: whatsapp, /],
    [{ chan_2: {} }, 'channels.chan_2 cannot be used by telegram: token is missing'],
    [{ chan_1: { token: ' ' } }, /^channels.chan_1.token must not be empty/],
    [{ chan_2: { token: 't', password: 'p' } }, /telegram: it does not know password/],
    [
      { chan_2: { token: 't', format: 'html' } },
      /^channels.chan_2.format must be one of .*auto, rich, plain/,
    ],
    [{ chan_2: { token: 'a\nb' } }, /telegram: token holds a blank, a line break/],
    [{ chan_4: { token: 'xoxb-…' } }, /slack: token holds a blank, a line break/],
    [
      { chan_2: { token: 't', to: 'Ada' } },
      /^channels.chan_2.to is no recipient of telegram; expected a chat id/,
    ],
    [{ chan_2: { token: 't', apiRoot: 'ftp://x' } }, /^channels.chan_2.apiRoot must be a URL/],
    [
      { chan_5: { token: 't', apiRoot: 'https://chat.example.org?a=b' } },
      /^channels.chan_5.apiRoot must be a URL such as https:\S+, without user, \? and #$/,
    ],
    [
      { chan_5: { ...WEBHOOK, secrets: [SECRET.slice(6)] } },
      /webhook: each of secrets must be whsec_ and 24 to 64 bytes in base64, .*openssl rand/,
    ],
    [{ chan_5: { ...WEBHOOK, secrets: ['whsec_c2hvcnQ='] } }, /webhook: each of secrets must be/],
    [{ chan_5: { ...WEBHOOK, secrets: [] } }, /webhook: secrets is empty/],
    [{ chan_5: { ...WEBHOOK, secrets: SECRET } }, /^channels.chan_5.secrets must be an array/],
    [{ chan_5: { provider: 'webhook' } }, /webhook: url and secrets are missing/],
    [{ chan_5: { ...WEBHOOK, url: 'http://localhost:9/x' } }, /set allowPrivate: true/],
    [{ chan_5: { ...WEBHOOK, url: 'http://[::ffff:10.0.0.1]/x' } }, /set allowPrivate: true/],
    [
      { chan_5: { ...WEBHOOK, url: 'https://a:b@example.org' } },
      /^channels.chan_5.url must be a URL/,
    ],
    [{ chan_5: { ...WEBHOOK, to: ' ' } }, /^channels.chan_5.to is no recipient of webhook/],
    [{ chan_2: { token: 't', onUnknown: 'x' } }, /^channels.chan_2.onUnknown must be one of/],
    [
      { chan_1: { ...COMPLETE.chan_1, template: { name: 'Gateway alert', language: 'en' } } },
      /^channels.chan_1.template.name must be small letters, digits and underscores/,
    ],
    [
      { chan_1: { ...COMPLETE.chan_1, template: { name: 'gateway_alert', language: 'English' } } },
      /^channels.chan_1.template.language must be as Meta writes it, such as en_US or de/,
    ],
    [
      { chan_2: { token: 't', buttons: { url: 'https://hooks.example.org', secret: 's' } } },
      /telegram: it does not know buttons/,
    ],
    [
      { chan_5: { ...COMPLETE.chan_5, buttons: { url: 'hooks.example.org', secret: 's' } } },
      /^channels.chan_5.buttons.url must be a URL such as/,
    ],
    [{ colour: 1 }, /^channels.colour is not a known key/],
  ])('%j: %s', (section, problem) => {
    expect(problemsOf(section)).toEqual([expect.stringMatching(problem)]);
  });
});
