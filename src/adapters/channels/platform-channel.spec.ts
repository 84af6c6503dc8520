import { discord } from './discord.ts';
import { mattermost } from './mattermost.ts';
import { slack } from './slack.ts';
import { telegram } from './telegram.ts';
import { DeliveryError } from '../../hooks/ports/channel.ts';
import { OptionalPackageError } from '../../platform/optional-package.ts';
import { PlatformChannel, splitThread } from './platform-channel.ts';

const TOKEN = 'se\ncret';
const apiRoot = 'http://127.0.0.1:1';

describe('settings that make no request', () => {
  it.each([
    ['mattermost', mattermost({ token: TOKEN, apiRoot })],
    [
      'mattermost, credentials in the address',
      mattermost({ token: 't', apiRoot: 'http://a:secret@127.0.0.1:1' }),
    ],
    ['discord', discord({ token: TOKEN, apiRoot })],
    ['slack', slack({ token: TOKEN, apiRoot })],
    ['telegram, no address', telegram({ token: 't', apiRoot: 'secret' })],
  ])('%s: nothing was sent, and no secret is repeated', async (_name, channel) => {
    const message = { to: '12345678901234567', text: 'x', idempotencyKey: 'k' };
    const sending = channel.send(message, new AbortController().signal);
    const error: unknown = await sending.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ kind: 'auth', message: expect.stringContaining('sent nothing') });
    expect(String(error)).not.toContain('cret');
  });

  it.each([6000, 6667, 10080])('a port that fetch refuses, %i, is named as such', async (port) => {
    const apiRoot = `http://127.0.0.1:${port}`;
    const message = { to: 'qmd5oqtwoibz8cuzxzg5ekshgr', text: 'x', idempotencyKey: 'k' };
    const sending = mattermost({ token: 't', apiRoot }).send(message, new AbortController().signal);
    await expect(sending).rejects.toMatchObject({
      kind: 'auth',
      message: `Mattermost was sent nothing: no program may call port ${port}, use another one`,
    });
  });
});

class ChannelWithoutLibrary extends PlatformChannel {
  protected override readonly limit = 1000;
  protected override readonly recipient = null;

  constructor(private readonly error: Error) {
    super({ name: 'Telegram', secrets: [] });
  }

  protected override form(markdown: string): string {
    return markdown;
  }

  send(): Promise<never> {
    return this.library('grammy', () => Promise.reject(this.error));
  }
}

describe('a library', () => {
  it('that is not installed lets the message wait, and says what to install', async () => {
    const missing = new OptionalPackageError('grammy', 'is not installed, install it');
    const sending = new ChannelWithoutLibrary(missing).send();
    await expect(sending).rejects.toBeInstanceOf(DeliveryError);
    await expect(sending).rejects.toMatchObject({
      kind: 'retryable',
      message: 'Telegram was sent nothing: the package grammy is not installed, install it',
    });
  });

  it('that breaks while it is imported says so itself', async () => {
    const broken = new SyntaxError('unexpected token');
    await expect(new ChannelWithoutLibrary(broken).send()).rejects.toBe(broken);
  });
});

describe('splitThread', () => {
  it.each([
    ['-1001234567890', { chat: '-1001234567890' }],
    ['-1001234567890/42', { chat: '-1001234567890', thread: '42' }],
    ['C0123456789/1712345678.123456', { chat: 'C0123456789', thread: '1712345678.123456' }],
  ])('%s', (to, parts) => {
    expect(splitThread(to)).toEqual(parts);
  });
});
