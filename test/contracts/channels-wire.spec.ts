import { discord } from '../support/platforms/discord.ts';
import { imessage } from '../support/platforms/imessage.ts';
import type { PlatformSpeech } from '../support/platforms/index.ts';
import { msteams } from '../support/platforms/msteams.ts';
import { signal, signalRest } from '../support/platforms/signal.ts';
import { slack } from '../support/platforms/slack.ts';
import { whatsapp } from '../support/platforms/whatsapp.ts';
import { ChannelUnderTest } from './channels.contract.ts';

let under: ChannelUnderTest | undefined;
const open = async (speech: PlatformSpeech) => (under = await ChannelUnderTest.open(speech));
afterEach(async () => {
  await under?.[Symbol.asyncDispose]();
  under = undefined;
});

/** What went over the wire for one message. */
async function bodyOf(speech: PlatformSpeech, to = speech.to): Promise<unknown> {
  await using opened = await ChannelUnderTest.open(speech);
  const { server, channel } = opened;
  const message = { to, text: 'Good *morning*', idempotencyKey: 'delivery-1' };
  await channel.send(message, new AbortController().signal);
  return server.requests.at(-1)?.body;
}

describe('what goes over the wire', () => {
  it('whatsapp: digits, no preview', async () => {
    expect(await bodyOf(whatsapp)).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '491701234567',
      type: 'text',
      text: { body: 'Good *morning*', preview_url: false },
    });
  });

  it('discord: an enforced nonce, nobody mentioned, no preview', async () => {
    expect(await bodyOf(discord)).toEqual({
      content: 'Good *morning*',
      nonce: expect.stringMatching(/^[\da-f]{25}$/),
      enforce_nonce: true,
      allowed_mentions: { parse: [] },
      flags: 4,
    });
  });

  it('slack: Markdown, nothing unfurled', async () => {
    expect(await bodyOf(slack)).toEqual({
      channel: slack.to,
      markdown_text: 'Good *morning*',
      unfurl_links: 'false',
      unfurl_media: 'false',
    });
  });

  it('signal: a person or a group, in both forms', async () => {
    const group = `group.${Buffer.from('aGVsbG8=').toString('base64')}`;
    expect(await bodyOf(signal)).toMatchObject({ params: { recipient: ['+491701234567'] } });
    expect(await bodyOf(signal, group)).toMatchObject({ params: { groupId: 'aGVsbG8=' } });
    expect(await bodyOf(signalRest, group)).toMatchObject({ recipients: [group] });
  });

  it.each([
    ['+491701234567', 'any;-;+491701234567'],
    ['ada@example.com', 'any;-;ada@example.com'],
    ['iMessage;+;chat123', 'iMessage;+;chat123'],
  ])('imessage: %s is the chat %s', async (to, chatGuid) => {
    expect(await bodyOf(imessage, to)).toMatchObject({ chatGuid, method: 'apple-script' });
  });
});

describe('a table', () => {
  const table = '| Pod | Restarts |\n|:--|--:|\n| web-1 | 3 |';
  const code = ['```', 'Pod    Restarts', '-----  --------', 'web-1         3', '```'].join('\n');
  const list = 'Pod: Restarts\n- web-1: 3';

  it.each([
    ['discord', discord, code],
    ['whatsapp', whatsapp, code],
    ['signal', signal, list],
    ['imessage', imessage, list],
  ] as const)('arrives at %s without its bars', async (_name, speech, text) => {
    const { channel } = await open(speech);
    expect(channel.parts(table)).toEqual([text]);
  });
});

describe('msteams: the access token', () => {
  it('that is refused is told in the words of the directory', async () => {
    const { server } = await open(msteams);
    const error_description = 'AADSTS7000215: Invalid client secret provided.\r\nTrace ID: 1';
    server.next({ status: 401, body: { error: 'invalid_client', error_description } });
    await expect(under?.send()).rejects.toMatchObject({
      kind: 'auth',
      code: 'invalid_client',
      message: expect.stringContaining('AADSTS7000215: Invalid client secret provided.'),
    });
  });

  it('that nobody gives out there is told by the setting of its address', async () => {
    const { server } = await open(msteams);
    server.next({ status: 404, body: '<h1>Not Found</h1>' });
    const message = 'there is nothing of Microsoft Teams at this address (404), check tokenUrl';
    await expect(under?.send()).rejects.toMatchObject({ kind: 'permanent', message });
  });

  it('is asked for once, and anew after it was refused', async () => {
    const { server } = await open(msteams);
    await under?.send();
    await under?.send();
    server.next(msteams.refusals[0]?.[1] ?? {});
    await expect(under?.send()).rejects.toMatchObject({ kind: 'auth' });
    await under?.send();
    const paths = server.requests.map(({ path }) => (path === '/token' ? 'token' : 'message'));
    expect(paths).toEqual(['token', 'message', 'message', 'message', 'token', 'message']);
  });

  it.each([
    [{ status: 401, body: { error: 'invalid_client' } }, 'auth'],
    [{ status: 400, body: { error: 'unauthorized_client' } }, 'auth'],
    [{ status: 500, body: 'oops' }, 'retryable'],
    [{ cut: 'at-once' }, 'retryable'],
    [{ body: 'null' }, 'retryable'],
  ] as const)('%j instead of it is %s: no message was sent', async (script, kind) => {
    const { server } = await open(msteams);
    server.next(script);
    await expect(under?.send()).rejects.toMatchObject({ kind });
    expect(server.asked).toEqual([]);
  });

  it('a token endpoint that redirects is named by its own setting', async () => {
    const { server } = await open(msteams);
    server.next({ status: 302, headers: { location: `${server.origin}/login` }, body: '' });
    const message =
      'the Microsoft Teams server redirects elsewhere: set tokenUrl to its final address';
    await expect(under?.send()).rejects.toMatchObject({ kind: 'permanent', message });
    expect(server.requests).toHaveLength(1);
  });
});
