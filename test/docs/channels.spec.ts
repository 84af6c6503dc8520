import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import JSON5 from 'json5';
import { DEFAULT_PROVIDERS } from '../../src/adapters/channels/providers.ts';
import { webhook } from '../../src/channels.ts';
import { CHANNEL_IDS } from '../../src/hooks/index.ts';
import { bindChannels } from '../../src/service/configuration/channels-section.ts';
import { Hooks } from '../support/hooks.ts';
import { PLATFORMS } from '../support/platforms/index.ts';
import { createReceiver } from './webhook-receiver.ts';

const text = await readFile(new URL('../../docs/channels.md', import.meta.url), 'utf8');

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

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

  it.each([
    ...CHANNEL_IDS.map((id) => [DEFAULT_PROVIDERS[id], id] as const),
    ['webhook', 'chan_5'] as const,
  ])('has five steps for %s, and its configuration of %s works', (provider, id) => {
    const [, section = ''] = text.split(`\n## ${provider}\n`);
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
    const { channels } = JSON5.parse<{ channels: Record<string, unknown> }>(
      written.replace('${RECEIVER_SECRET}', SECRET),
    );
    const { bindings, problems } = bindChannels(channels);
    expect(problems).toEqual([]);
    expect(bindings[id]?.provider.provider).toBe(provider);
    expect(bindings[id]?.to).toEqual(expect.any(String));
  });
});

describe('docs/channels.md, the receiver of webhooks', () => {
  const shown: unknown[] = [];
  const receiver = createReceiver(SECRET, (message) => shown.push(message));
  let url: string;

  beforeAll(async () => {
    await once(receiver.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/messages`;
  });
  beforeEach(() => (shown.length = 0));
  afterAll(() => receiver.close());

  it('is the one that is tested here', async () => {
    const here = await readFile(new URL('./webhook-receiver.ts', import.meta.url), 'utf8');
    expect(text).toContain(`\`\`\`ts\n${here}\`\`\``);
  });

  it('takes each reply once, and none that another secret has signed', async () => {
    const provider = webhook({ url, secrets: [SECRET], allowPrivate: true });
    const message = { to: 'on-call', text: 'Hi', idempotencyKey: 'd:1' };
    const shownOnce = { type: 'message', to: 'on-call', text: 'Hi' };
    const { signal } = new AbortController();
    await provider.send(message, signal);
    await provider.send(message, signal);
    const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
    const stranger = webhook({ url, secrets: [other], allowPrivate: true });
    await expect(stranger.send(message, signal)).rejects.toMatchObject({ kind: 'auth' });
    const both = webhook({ url, secrets: [other, SECRET], allowPrivate: true });
    await both.send({ ...message, idempotencyKey: 'd:2' }, signal);
    expect(shown).toEqual([shownOnce, shownOnce]);
  });

  it('takes the reply of a run', async () => {
    const provider = webhook({ url, secrets: [SECRET], allowPrivate: true });
    const hooks = await Hooks.start({ channels: { chan_5: { provider, to: 'on-call' } } });
    const { eventId } = await hooks.ask('/agent', { message: 'Who?', channel: 'chan_5' });
    const { deliveries } = await hooks.ended(eventId);
    expect(deliveries).toMatchObject([{ channel: 'chan_5', to: 'on-call', status: 'delivered' }]);
    expect(shown).toEqual([{ type: 'message', to: 'on-call', text: 'the reply' }]);
    await hooks.close();
  });
});
