import { discord } from '../support/platforms/discord.ts';
import { alreadyQueued, imessage, imessageOn, serverInfo } from '../support/platforms/imessage.ts';
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
    ['26.1', '+491701234567', 'any;-;+491701234567'],
    // What a program that is older than macOS 26 is told there.
    ['16.0', '+491701234567', 'any;-;+491701234567'],
    ['26.1', 'ada@example.com', 'any;-;ada@example.com'],
    ['15.7', '+49 (170) 123-4567', 'iMessage;-;+491701234567'],
    ['10.15.7', 'ada@example.com', 'iMessage;-;ada@example.com'],
    ['15.7', 'iMessage;+;chat123', 'iMessage;+;chat123'],
  ])('imessage: on macOS %s %s is the chat %s', async (version, to, chatGuid) => {
    const body = await bodyOf(imessageOn(version), to);
    expect(body).toMatchObject({ chatGuid, method: 'apple-script' });
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

describe('imessage: the system of the Mac', () => {
  const paths = () => under?.server.requests.map(({ method }) => method);

  it('is asked for once', async () => {
    await open(imessage);
    await under?.send();
    await under?.send();
    expect(paths()).toEqual(['GET', 'POST', 'POST']);
  });

  it('is asked for again after a message that Messages did not take: it may have got another one', async () => {
    const { server } = await open(imessage);
    server.next(serverInfo('15.7'));
    await expect(under?.send()).rejects.toMatchObject({ kind: 'unknown' });
    await under?.send();
    expect(server.shown).toEqual([{ to: 'any;-;+491701234567', text: 'Good morning' }]);
    expect(paths()).toEqual(['GET', 'POST', 'GET', 'POST']);
  });

  it('is not asked for where the chat is named', async () => {
    await open(imessage);
    await under?.send({ to: 'iMessage;+;chat123' });
    expect(paths()).toEqual(['POST']);
  });

  it.each([
    [{ status: 401, body: { status: 401, message: 'Unauthorized' } }, 'auth'],
    [{ status: 500, body: 'oops' }, 'retryable'],
    [{ status: 504, body: 'upstream timed out' }, 'retryable'],
    [{ cut: 'at-once' }, 'retryable'],
    [{ body: { status: 200, message: 'Success', data: {} } }, 'retryable'],
  ] as const)('%j instead of it is %s: no message was sent', async (script, kind) => {
    const { server } = await open(imessage);
    server.next(script);
    await expect(under?.send()).rejects.toMatchObject({ kind });
    expect(server.asked).toEqual([]);
  });
});

describe('imessage: a message that is under way', () => {
  it('has 150 s, since the server awaits it for 120 s, and is tried again when it is still in hand', async () => {
    const { channel, server } = await open(imessage);
    expect(channel.timeoutMs).toBe(150_000);
    server.nextMessage(alreadyQueued('a1b2c3'));
    await expect(under?.send()).rejects.toMatchObject({
      kind: 'retryable',
      retryAfterMs: 30_000,
      message: expect.stringContaining('an earlier attempt of it is still under way'),
    });
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
