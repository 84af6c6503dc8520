import { makeChannel } from '../../src/adapters/channels/providers.ts';
import { discord } from '../support/platforms/discord.ts';
import { gitea } from '../support/platforms/gitea.ts';
import { github } from '../support/platforms/github.ts';
import { gitlab } from '../support/platforms/gitlab.ts';
import { alreadyQueued, imessage, imessageOn, serverInfo } from '../support/platforms/imessage.ts';
import type { PlatformSpeech } from '../support/platforms/index.ts';
import { msteams } from '../support/platforms/msteams.ts';
import {
  captcha,
  printedCaptcha,
  restLimit,
  signal,
  signalRest,
} from '../support/platforms/signal.ts';
import { slack } from '../support/platforms/slack.ts';
import { graphError, whatsapp, whatsappTemplate } from '../support/platforms/whatsapp.ts';
import { ChannelUnderTest } from './channels.contract.ts';

const UUID = '0f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9';
const GROUP = Buffer.from('Hello Signal, hello group of 32!').toString('base64');
const WRAPPED_GROUP = `group.${Buffer.from(GROUP).toString('base64')}`;

let under: ChannelUnderTest | undefined;
const open = async (speech: PlatformSpeech) => (under = await ChannelUnderTest.open(speech));
afterEach(async () => {
  await under?.[Symbol.asyncDispose]();
  under = undefined;
});

function whatsappParts(markdown: string): readonly string[] {
  return makeChannel('whatsapp', whatsappTemplate.settings('http://x')).parts(markdown);
}

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

  it('whatsapp: a template whose one variable is the reply in one line', async () => {
    const text = whatsappParts(
      '# Alert\n\nThe   disk\tis full:\n\n```\n/dev/sda1      99%\n```\n- call Ada\n',
    );
    expect(text).toEqual(['*Alert* · The disk is full: · /dev/sda1 99% · - call Ada']);
    expect(await bodyOf(whatsappTemplate)).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '491701234567',
      type: 'template',
      template: {
        name: 'gateway_alert',
        language: { code: 'en_US' },
        components: [{ type: 'body', parameters: [{ type: 'text', text: 'Good *morning*' }] }],
      },
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

  it.each([
    ['+49 170 1234567', { recipient: ['+491701234567'] }, '+491701234567'],
    [UUID, { recipient: [UUID] }, UUID],
    ['ada.42', { username: ['ada.42'] }, 'ada.42'],
    ['u:ada.42', { username: ['ada.42'] }, 'ada.42'],
    // signal-cli listGroups, and GET /v1/groups of the wrapper (client/client.go, getRecipientType).
    [`group.${GROUP}`, { groupId: GROUP }, WRAPPED_GROUP],
    [WRAPPED_GROUP, { groupId: GROUP }, WRAPPED_GROUP],
  ])('signal: %s, over the daemon and over the wrapper', async (to, address, recipient) => {
    expect(makeChannel('signal', signal.settings('http://x')).expectedInsteadOf(to)).toBeNull();
    const { params } = Object(await bodyOf(signal, to));
    expect(params).toEqual({ account: '+491700000000', message: 'Good *morning*', ...address });
    expect(await bodyOf(signalRest, to)).toMatchObject({ recipients: [recipient] });
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

describe('whatsapp: what only a person can mend', () => {
  it.each([
    [131042, 'Payment issue', /: Payment issue; mend the payment method of the WhatsApp Business/],
    [131045, 'Incorrect certificate', /; register the number again \(POST /],
    [131047, 'Re-engagement message', /; .*only a template arrives then, see template$/],
    [132000, 'Parameters', /; the template needs one variable in its body, \{\{1\}\}$/],
  ])('%d is told with what to do', async (code, said, message) => {
    const { server } = await open(whatsapp);
    server.nextMessage(graphError(500, code, said));
    const told = { kind: 'permanent', message: expect.stringMatching(message) };
    await expect(under?.send()).rejects.toMatchObject(told);
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

describe('signal: a captcha that is due', () => {
  const told = expect.stringMatching(
    /captcha first: solve https:\/\/signalcaptchas\.org\/challenge\/generate\.html .*the challenge d6f0-4c \(docs/,
  );

  it.each([
    [signal, captcha('d6f0-4c', 3000), 3_000_000],
    [signal, captcha('d6f0-4c', 86_400), 3_600_000],
    [signalRest, restLimit('d6f0-4c'), 600_000],
    [signalRest, printedCaptcha('d6f0-4c'), 600_000],
  ])('is told with its challenge, and the account rests', async (speech, script, retryAfterMs) => {
    const { server } = await open(speech);
    server.nextMessage(script);
    const error = { kind: 'rate-limited', retryAfterMs, message: told };
    await expect(under?.send()).rejects.toMatchObject(error);
  });

  it('is not told of a limit that only takes time', async () => {
    const { server } = await open(signal);
    server.nextMessage(signal.limited(60));
    const message = 'Signal asks to send more slowly';
    await expect(under?.send()).rejects.toMatchObject({ message, retryAfterMs: 60_000 });
  });
});

describe('signal: the REST wrapper', () => {
  it('before July 2026 answers one object', async () => {
    const { server } = await open(signalRest);
    server.nextMessage({ status: 201, body: { timestamp: '1700000000123' } });
    expect(await under?.send()).toEqual({ messageId: '1700000000123' });
  });

  it('has sent to a group though one of its members was not reached', async () => {
    const { server } = await open(signalRest);
    const errors = { recipients: [{ number: '+491701234567', reason: 'UNREGISTERED_FAILURE' }] };
    server.nextMessage({ status: 201, body: [{ timestamp: '1700000000123', errors }] });
    expect(await under?.send()).toEqual({ messageId: '1700000000123' });
  });

  it('may start a signal-cli for each message, which it gives 120 s', async () => {
    expect((await open(signalRest)).channel.timeoutMs).toBe(130_000);
  });
});

describe('signal: a daemon under another name', () => {
  it('is told by the setting that names it', async () => {
    const { server } = await open(signal);
    // The Fetch standard has a 421 asked for again once, on a new connection.
    server.nextMessage({ status: 421, body: '' }, { status: 421, body: '' });
    const message = expect.stringMatching(
      /listens on: put that into apiRoot, or start it with --http/,
    );
    await expect(under?.send()).rejects.toMatchObject({ kind: 'permanent', message });
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

describe.each([
  ['github', github],
  ['gitlab', gitlab],
  ['gitea', gitea],
] as const)('a comment on %s', (name, speech) => {
  it('commands nothing, wherever a long one is cut', () => {
    const channel = makeChannel(name, speech.settings('http://127.0.0.1:1'));
    for (let before = 19_800; before < 20_000; before += 1) {
      const parts = channel.parts(`${'a'.repeat(before)} /close ${'b '.repeat(20_000)}`);
      expect(parts.length).toBeGreaterThan(1);
      for (const part of parts) expect(part).not.toMatch(/^\/\w/m);
    }
  });

  it('is its words and the marker, and no more', async () => {
    const body = await bodyOf(speech);
    expect(body).toEqual({
      body: expect.stringMatching(/^Good \*morning\*\n\n<!-- nestjs-agent-hooks [\w-]{22} -->$/),
    });
  });
});
